// Events: those that webhooks deliver, listed, streamed and sent again.

import type { Api } from '../api.ts'
import { type StreamOptions, streamEvents } from '../event-stream.ts'
import type { CallOptions } from '../http-client.ts'
import type { FilterOf } from '../operations.ts'

const EVENTS = '/api/v1/events'
const EVENT = '/api/v1/events/{id}'

export class Events {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get(id: string, options?: CallOptions) {
    return this.#api.call('get', EVENT, { ...options, params: { id } })
  }

  list(filter?: FilterOf<typeof EVENTS>, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(EVENTS, { ...options, filter })
  }

  /** Sends the event to all destinations at once. */
  resend(id: string, options?: CallOptions) {
    return this.#api.call('post', `${EVENT}/redeliver`, { ...options, params: { id } })
  }

  /** Streams events as they happen, without end. Reconnects, and resumes where it was. */
  stream(options?: StreamOptions) {
    return streamEvents(this.#api.http, options)
  }
}

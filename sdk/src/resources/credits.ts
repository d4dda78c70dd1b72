// Credits: each transfer that a bank reported.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf, FilterOf } from '../operations.ts'

const CREDITS = '/api/v1/credits'
const CREDIT = '/api/v1/credits/{id}'

export class Credits {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get(id: number | string, options?: CallOptions) {
    return this.#api.call('get', CREDIT, { ...options, params: { id } })
  }

  list(filter?: FilterOf<typeof CREDITS>, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(CREDITS, { ...options, filter })
  }

  refund(
    id: number | string,
    body: BodyOf<'post', `${typeof CREDIT}/refunds`>,
    options?: CallOptions,
  ) {
    return this.#api.call('post', `${CREDIT}/refunds`, { ...options, body, params: { id } })
  }

  timeline(id: number | string, options?: CallOptions) {
    return this.#api.call('get', `${CREDIT}/timeline`, { ...options, params: { id } })
  }
}

// Settlements: the money collected in a period, and its payout.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf, FilterOf } from '../operations.ts'

const SETTLEMENTS = '/api/v1/settlements'
const SETTLEMENT = '/api/v1/settlements/{reference}'

export class Settlements {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get(reference: string, options?: CallOptions) {
    return this.#api.call('get', SETTLEMENT, { ...options, params: { reference } })
  }

  list(filter?: FilterOf<typeof SETTLEMENTS>, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(SETTLEMENTS, { ...options, filter })
  }

  /** The movements in the settlement. */
  lines(reference: string, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(`${SETTLEMENT}/lines`, { ...options, params: { reference } })
  }

  /** A preview of the next settlement, as of now. */
  upcoming(options?: CallOptions) {
    return this.#api.call('get', `${SETTLEMENTS}/upcoming`, options)
  }

  close(body: BodyOf<'post', typeof SETTLEMENTS>, options?: CallOptions) {
    return this.#api.call('post', SETTLEMENTS, { ...options, body })
  }

  /** The settlement is paid as the `revision` that you read says, or not at all. */
  approve(
    reference: string,
    body: BodyOf<'post', `${typeof SETTLEMENT}/approve`>,
    options?: CallOptions,
  ) {
    const call = { ...options, params: { reference }, body }
    return this.#api.call('post', `${SETTLEMENT}/approve`, call)
  }

  cancel(reference: string, options?: CallOptions) {
    return this.#api.call('post', `${SETTLEMENT}/cancel`, { ...options, params: { reference } })
  }
}

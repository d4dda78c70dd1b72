// Payment advices: amounts that a customer owes, before a number is issued.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf, FilterOf } from '../operations.ts'

const ADVICES = '/api/v1/advices'
const ADVICE = '/api/v1/advices/{reference}'

/** A reference is the advice's or its payment's, or your merchantRef. */
export class Advices {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  create(body: BodyOf<'post', '/Payment/advice'>, options?: CallOptions) {
    return this.#api.call('post', '/Payment/advice', { ...options, body })
  }

  get(reference: string, options?: CallOptions) {
    return this.#api.call('get', ADVICE, { ...options, params: { reference } })
  }

  list(filter?: FilterOf<typeof ADVICES>, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(ADVICES, { ...options, filter })
  }

  extend(
    reference: string,
    body: BodyOf<'post', `${typeof ADVICE}/extend`>,
    options?: CallOptions,
  ) {
    return this.#api.call('post', `${ADVICE}/extend`, { ...options, body, params: { reference } })
  }

  cancel(reference: string, options?: CallOptions) {
    return this.#api.call('post', `${ADVICE}/cancel`, { ...options, params: { reference } })
  }
}

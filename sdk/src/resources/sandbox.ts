// The sandbox: transfers that no bank made, and webhooks that misbehave. Refused in live mode.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf } from '../operations.ts'

const SIMULATE = '/Payment/process/banktransfer/simulate/payment'
const CHAOS = '/sandbox/webhook-endpoints/{id}/chaos'

export class Sandbox {
  /** Disturbs the webhooks of an endpoint, to prove its handler. */
  readonly chaos: WebhookChaos
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
    this.chaos = new WebhookChaos(api)
  }

  /** Pays a number, of a payment or a collection account, as a payer's bank would. */
  pay(accountNumber: string, amount: number | string, options?: CallOptions) {
    const body = { virtualAccountNumber: accountNumber, amount }
    return this.#api.call('post', SIMULATE, { ...options, body })
  }

  /** A transfer with a story: under, over, late, duplicate, reversed … */
  transfer(body: BodyOf<'post', '/sandbox/transfers'>, options?: CallOptions) {
    return this.#api.call('post', '/sandbox/transfers', { ...options, body })
  }

  /** What the bank answers to the next payouts. */
  payoutOutcome(body: BodyOf<'put', '/sandbox/payout-outcome'>, options?: CallOptions) {
    return this.#api.call('put', '/sandbox/payout-outcome', { ...options, body })
  }
}

class WebhookChaos {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get(endpointId: string, options?: CallOptions) {
    return this.#api.call('get', CHAOS, { ...options, params: { id: endpointId } })
  }

  set(endpointId: string, body: BodyOf<'put', typeof CHAOS>, options?: CallOptions) {
    return this.#api.call('put', CHAOS, { ...options, body, params: { id: endpointId } })
  }

  stop(endpointId: string, options?: CallOptions) {
    return this.#api.call('delete', CHAOS, { ...options, params: { id: endpointId } })
  }
}

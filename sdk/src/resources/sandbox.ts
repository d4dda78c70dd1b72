// The sandbox: transfers that no bank made, a test clock, webhooks that misbehave. Refused in live
// mode.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf } from '../operations.ts'

const SIMULATE = '/Payment/process/banktransfer/simulate/payment'
const CLOCK = '/sandbox/clock'
const CHAOS = '/sandbox/webhook-endpoints/{id}/chaos'

export class Sandbox {
  /** Your client's time, which expiry, grace, retries and settlements follow. */
  readonly clock: SandboxClock
  /** Disturbs the webhooks of an endpoint, to prove its handler. */
  readonly chaos: WebhookChaos
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
    this.clock = new SandboxClock(api)
    this.chaos = new WebhookChaos(api)
  }

  /** Pays a number of a payment or a collection account, as a payer's bank would. */
  pay(accountNumber: string, amount: number | string, options?: CallOptions) {
    const body = { virtualAccountNumber: accountNumber, amount }
    return this.#api.call('post', SIMULATE, { ...options, body })
  }

  /** A transfer in a scenario: under, over, late, duplicate, reversed … */
  transfer(body: BodyOf<'post', '/sandbox/transfers'>, options?: CallOptions) {
    return this.#api.call('post', '/sandbox/transfers', { ...options, body })
  }

  /** The bank's answer to the next payouts. */
  payoutOutcome(body: BodyOf<'put', '/sandbox/payout-outcome'>, options?: CallOptions) {
    return this.#api.call('put', '/sandbox/payout-outcome', { ...options, body })
  }

  /** Fills the sandbox with accounts and days of payments; `seeding` shows its progress. */
  seed(body: BodyOf<'post', '/sandbox/seed'>, options?: CallOptions) {
    return this.#api.call('post', '/sandbox/seed', { ...options, body })
  }

  seeding(options?: CallOptions) {
    return this.#api.call('get', '/sandbox/seed', options)
  }

  /** Deletes everything of your client. */
  reset(options?: CallOptions) {
    return this.#api.call('post', '/sandbox/reset', options)
  }
}

class SandboxClock {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get(options?: CallOptions) {
    return this.#api.call('get', CLOCK, options)
  }

  /** Stops the clock at a time, not before the one it shows. */
  set(now: Date | string, options?: CallOptions) {
    const body = { now: now instanceof Date ? now.toISOString() : now }
    return this.#api.call('put', CLOCK, { ...options, body })
  }

  /** Moves the clock, and returns the work that fell due and has run. */
  advance(body: BodyOf<'post', '/sandbox/clock/advance'>, options?: CallOptions) {
    return this.#api.call('post', '/sandbox/clock/advance', { ...options, body })
  }

  /** Returns to real time. */
  release(options?: CallOptions) {
    return this.#api.call('delete', CLOCK, options)
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

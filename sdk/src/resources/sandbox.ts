// The sandbox: transfers that no bank made. Refused in live mode.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf } from '../operations.ts'

const SIMULATE = '/Payment/process/banktransfer/simulate/payment'

export class Sandbox {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Pays a number, of a payment or a collection account, as a payer's bank would. */
  pay(accountNumber: string, amount: number | string, options?: CallOptions) {
    const body = { virtualAccountNumber: accountNumber, amount }
    return this.#api.call('post', SIMULATE, { ...options, body })
  }

  transfer(body: BodyOf<'post', '/sandbox/transfers'>, options?: CallOptions) {
    return this.#api.call('post', '/sandbox/transfers', { ...options, body })
  }
}

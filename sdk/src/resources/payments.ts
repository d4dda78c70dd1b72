// Payments: transfers to a number that was issued for an advice.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf, FilterOf } from '../operations.ts'

const PAYMENTS = '/api/v1/payments'
const PAYMENT = '/api/v1/payments/{reference}'
const INITIATE = '/Payment/process/banktransfer/{adviceReference}'

export class Payments {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Issues the number that the payer transfers to. */
  initiate(adviceReference: string, body: BodyOf<'post', typeof INITIATE>, options?: CallOptions) {
    return this.#api.call('post', INITIATE, { ...options, body, params: { adviceReference } })
  }

  /** The banks that issue numbers. */
  banks(options?: CallOptions) {
    return this.#api.call('get', '/Payment/banktransfer/supportedbank', options)
  }

  get(reference: string, options?: CallOptions) {
    return this.#api.call('get', PAYMENT, { ...options, params: { reference } })
  }

  list(filter?: FilterOf<typeof PAYMENTS>, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(PAYMENTS, { ...options, filter })
  }

  /** Cancels its advice. */
  cancel(reference: string, options?: CallOptions) {
    const path = '/api/v1/advices/{reference}/cancel'
    return this.#api.call('post', path, { ...options, params: { reference } })
  }

  refund(
    reference: string,
    body: BodyOf<'post', `${typeof PAYMENT}/refunds`>,
    options?: CallOptions,
  ) {
    return this.#api.call('post', `${PAYMENT}/refunds`, { ...options, body, params: { reference } })
  }

  refunds(reference: string, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(`${PAYMENT}/refunds`, { ...options, params: { reference } })
  }

  /** Asks the banks for money that they have not reported. */
  requery(
    reference: string,
    body: BodyOf<'post', `${typeof PAYMENT}/requery`> = {},
    options?: CallOptions,
  ) {
    return this.#api.call('post', `${PAYMENT}/requery`, { ...options, body, params: { reference } })
  }

  /** Sends its latest event again. */
  resend(paymentReference: string, options?: CallOptions) {
    const path = '/api/WebHook/push/{paymentReference}'
    return this.#api.call('post', path, { ...options, params: { paymentReference } })
  }

  timeline(reference: string, options?: CallOptions) {
    return this.#api.call('get', `${PAYMENT}/timeline`, { ...options, params: { reference } })
  }
}

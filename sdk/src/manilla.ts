// The entry point of the SDK. Create one `Manilla` per clientId and share it: its concurrent requests share
// one access token.

import { Api, type CallArgs, type ListArgs } from './api.ts'
import { HttpClient, type ManillaOptions } from './http-client.ts'
import type { List } from './lists.ts'
import type { DataOf, ItemOf, ListPath, Method, PathOf } from './operations.ts'
import { Accounts } from './resources/accounts.ts'
import { Advices } from './resources/advices.ts'
import { Credits } from './resources/credits.ts'
import { Events } from './resources/events.ts'
import { Payments } from './resources/payments.ts'
import { Sandbox } from './resources/sandbox.ts'
import { Settlements } from './resources/settlements.ts'
import { type DecidedPayment, type WaitOptions, waitForPayment } from './wait-for-payment.ts'
import { verify } from './webhooks.ts'

export class Manilla {
  readonly accounts: Accounts
  readonly advices: Advices
  readonly payments: Payments
  readonly credits: Credits
  readonly events: Events
  readonly settlements: Settlements
  readonly sandbox: Sandbox
  readonly webhooks = { verify }
  readonly #api: Api

  constructor(options: ManillaOptions) {
    const api = new Api(new HttpClient(options))
    this.#api = api
    this.accounts = new Accounts(api)
    this.advices = new Advices(api)
    this.payments = new Payments(api)
    this.credits = new Credits(api)
    this.events = new Events(api)
    this.settlements = new Settlements(api)
    this.sandbox = new Sandbox(api)
  }

  /** Resolves once the payment is paid, permanently expired, cancelled or reversed; see its status. */
  waitForPayment(reference: string, options?: WaitOptions): Promise<DecidedPayment> {
    return waitForPayment(this.#api, reference, options)
  }

  /** Any other operation of the API, by method and path. */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...args: Record<never, never> extends CallArgs<M, P> ? [CallArgs<M, P>?] : [CallArgs<M, P>]
  ): Promise<DataOf<M, P>> {
    return this.#api.call(method, path, ...(args as never))
  }

  /** Any other list of the API, by its path. */
  list<P extends ListPath>(
    path: P,
    ...args: Record<never, never> extends ListArgs<P> ? [ListArgs<P>?] : [ListArgs<P>]
  ): List<ItemOf<P>> {
    return this.#api.list(path, ...(args as never))
  }
}

// Collection accounts: permanent numbers of a customer.

import type { Api } from '../api.ts'
import type { CallOptions } from '../http-client.ts'
import type { BodyOf, FilterOf, QueryOf } from '../operations.ts'

const ACCOUNTS = '/api/v1/accounts/static'
const ACCOUNT = '/api/v1/accounts/static/{accountNumber}'
type Window = NonNullable<QueryOf<'/api/v1/accounts/static/{accountNumber}/statement.csv'>>

export class Accounts {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  create(body: BodyOf<'post', typeof ACCOUNTS>, options?: CallOptions) {
    return this.#api.call('post', ACCOUNTS, { ...options, body })
  }

  /** Up to 500 at once; each result says whether its account was created. */
  createMany(body: BodyOf<'post', `${typeof ACCOUNTS}/bulk`>, options?: CallOptions) {
    return this.#api.call('post', `${ACCOUNTS}/bulk`, { ...options, body })
  }

  get(accountNumber: string, options?: CallOptions) {
    return this.#api.call('get', ACCOUNT, { ...options, params: { accountNumber } })
  }

  /** With KYC and limits. */
  details(accountNumber: string, options?: CallOptions) {
    return this.#api.call('get', `${ACCOUNT}/details`, { ...options, params: { accountNumber } })
  }

  list(filter?: FilterOf<typeof ACCOUNTS>, options?: Pick<CallOptions, 'signal'>) {
    return this.#api.list(ACCOUNTS, { ...options, filter })
  }

  update(accountNumber: string, body: BodyOf<'patch', typeof ACCOUNT>, options?: CallOptions) {
    return this.#api.call('patch', ACCOUNT, { ...options, body, params: { accountNumber } })
  }

  activate(accountNumber: string, options?: CallOptions & { note?: string }) {
    return this.#change('activate', accountNumber, options)
  }

  deactivate(accountNumber: string, options?: CallOptions & { note?: string }) {
    return this.#change('deactivate', accountNumber, options)
  }

  /** Money received, with the balance after each. */
  transactions(
    accountNumber: string,
    filter?: FilterOf<`${typeof ACCOUNT}/transactions`>,
    options?: Pick<CallOptions, 'signal'>,
  ) {
    return this.#api.list(`${ACCOUNT}/transactions`, {
      ...options,
      filter,
      params: { accountNumber },
    })
  }

  /** The statement as CSV. */
  statement(accountNumber: string, window?: Window, options?: CallOptions): Promise<string> {
    return this.#api.text(`${ACCOUNT}/statement.csv`, {
      ...options,
      query: window,
      params: { accountNumber },
    })
  }

  #change(
    change: 'activate' | 'deactivate',
    accountNumber: string,
    { note, ...options }: CallOptions & { note?: string } = {},
  ) {
    return this.#api.call('post', `${ACCOUNT}/${change}`, {
      ...options,
      ...(note === undefined ? {} : { body: { note } }),
      params: { accountNumber },
    })
  }
}

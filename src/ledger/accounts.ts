// The chart of accounts. Shared accounts (a bank's, a client's) are opened on first use. Their ids
// never change, so a process may cache them while it is connected to the same server.
//
// The meaning of each kind is documented in db/migrations/0001_ledger.sql,
// 0032_credit_identifiers.sql, 0036_fees.sql and 0037_money_out.sql.

import type { Hosts } from '#db/hosts.ts'
import type { Queryable } from '#db/pool.ts'
import type { AccountId, ClientId, SubaccountId } from '#ids.ts'

type BankKind = 'bank' | 'shortfall' | 'returning' | 'bank_cost' | 'input_vat'
type OperatorKind = 'fee_income' | 'vat_payable'
type PayoutKind = 'settling' | 'reserve' | 'paying' | 'refunding' | 'receivable' | 'write_off'
type SharedKind =
  | BankKind
  | OperatorKind
  | PayoutKind
  | 'pending'
  | 'available'
  | 'subaccount'
  | 'suspense'
export type SharedAccount = { kind: SharedKind; owner: string; currency: string }

// Suspense has two kinds of owners; the prefix distinguishes a client's id from a bank code.
export const clientOwner = (clientId: ClientId) => `client:${clientId}`
// One operator account per client, so that the fees of a client are one balance.
export const operatorOwner = (clientId: ClientId) => `operator:${clientId}`
export const subaccountOwner = (id: SubaccountId) => `subaccount:${id}`
export const bankOwner = (bankCode: string) => `bank:${bankCode}`

// `clock` dates new accounts; it defaults to the database's.
type Options = { clock?: () => Date; hosts?: Pick<Hosts, 'onMove'> | undefined }

export class SharedAccounts {
  readonly #ids = new Map<string, AccountId>()
  readonly #db: Queryable
  readonly #clock: (() => Date) | undefined

  // Clears the cache when another server takes over. An asynchronous standby may lack the latest
  // writes, so a cached id may not exist there or may be assigned to another account.
  constructor(db: Queryable, { clock, hosts }: Options = {}) {
    this.#db = db
    this.#clock = clock
    hosts?.onMove(() => this.#ids.clear())
  }

  // An account stays open even if the transaction that needed it fails: it is empty and harmless.
  // Its id is above all others, so that it is moved last (0021_shared_accounts_last.sql).
  async open(accounts: readonly SharedAccount[]): Promise<void> {
    const missing = accounts.filter((account) => !this.#ids.has(cacheKey(account)))
    if (missing.length === 0) return
    const values = [
      missing.map((account) => account.kind),
      missing.map((account) => account.owner),
      missing.map((account) => account.currency),
    ]
    await this.#db.query(
      `insert into ledger_accounts (id, kind, owner, currency, opened_at)
       select nextval('shared_account_ids'), w.*, coalesce($4::timestamptz, now())
         from unnest($1::text[], $2::text[], $3::text[]) as w
       on conflict (kind, owner, currency) where kind <> 'collection' do nothing`,
      [...values, this.#clock?.() ?? null],
    )
    const { rows } = await this.#db.query<SharedAccount & { id: AccountId }>(
      `select a.id, a.kind, a.owner, a.currency from ledger_accounts a
         join unnest($1::text[], $2::text[], $3::text[]) as w (kind, owner, currency)
           on (a.kind, a.owner, a.currency) = (w.kind, w.owner, w.currency)
        where a.kind <> 'collection'`,
      values,
    )
    for (const row of rows) this.#ids.set(cacheKey(row), row.id)
  }

  id(account: SharedAccount): AccountId {
    const id = this.#ids.get(cacheKey(account))
    if (id === undefined) throw new Error(`ledger account ${cacheKey(account)} was not opened`)
    return id
  }
}

function cacheKey({ kind, owner, currency }: SharedAccount): string {
  return `${kind}/${owner}/${currency}`
}

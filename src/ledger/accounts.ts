// The chart of accounts. Shared accounts (a bank's, a client's) are opened on first use. Their ids never
// change, so a process may cache them while it is connected to the same database server.
//
// The migrations document the meaning of each kind: 0001_ledger.sql, 0024_holds.sql,
// 0027_adjusting_entries.sql and 0030_tax.sql.

import type { Hosts } from '#db/hosts.ts'
import type { Queryable } from '#db/pool.ts'
import type { AccountId, ClientId, SubaccountId } from '#ids.ts'

type BankKind =
  | 'bank'
  | 'shortfall'
  | 'due_to_bank'
  | 'returning'
  | 'bank_cost'
  | 'stamp_duty'
  | 'input_vat'
type OperatorKind =
  | 'fee_income'
  | 'vat_payable'
  | 'wht_receivable'
  | 'wht_credit'
  | 'doubtful_debt'
  | 'provision'
type PayoutKind = 'settling' | 'reserve' | 'paying' | 'refunding' | 'receivable' | 'write_off'
type HoldKind = 'held' | 'forfeited'
type SharedKind =
  | BankKind
  | OperatorKind
  | PayoutKind
  | HoldKind
  | 'pending'
  | 'available'
  | 'subaccount'
  | 'suspense'
export type SharedAccount = { kind: SharedKind; owner: string; currency: string }

// The owners of ledger accounts. The prefix distinguishes, for example, a client's id from a bank code: a
// suspense account can belong to either.
export const clientOwner = (clientId: ClientId) => `client:${clientId}`
// Accounts of the operator, such as fee income, are separate for each client, so that each client's fees are
// one balance.
export const operatorOwner = (clientId: ClientId) => `operator:${clientId}`
export const subaccountOwner = (id: SubaccountId) => `subaccount:${id}`
export const bankOwner = (bankCode: string) => `bank:${bankCode}`

// `clock` dates new accounts. The default is the database's clock.
type Options = { clock?: () => Date; hosts?: Pick<Hosts, 'onMove'> | undefined }

// Opens shared ledger accounts and caches their ids.
export class SharedAccounts {
  readonly #ids = new Map<string, AccountId>()
  readonly #db: Queryable
  readonly #clock: (() => Date) | undefined

  // Accounts are opened outside the transaction that needs them. So `db` must be a pool that no transaction
  // uses: if a transaction held its last connection, open() would wait for that transaction forever.
  //
  // When another database server takes over, the cache is cleared: an asynchronous standby may lack the
  // latest writes, so a cached id may be missing there or belong to another account.
  constructor(db: Queryable, { clock, hosts }: Options = {}) {
    this.#db = db
    this.#clock = clock
    hosts?.onMove(() => this.#ids.clear())
  }

  // Opens the accounts that do not exist yet, and caches the ids of all. If the transaction that needs an
  // account then fails, the account stays: it is empty and harmless. A new account has the highest id, so
  // transfers lock it last (0001_ledger.sql).
  async open(accounts: readonly SharedAccount[]): Promise<void> {
    const missing = accounts.filter((account) => !this.#ids.has(cacheKey(account)))
    if (missing.length === 0) return
    const values = [
      missing.map((account) => account.kind),
      missing.map((account) => account.owner),
      missing.map((account) => account.currency),
    ]
    // `kind <> 'collection'` is the condition of the unique index on kind, owner and currency. PostgreSQL
    // uses the index only in statements with this condition.
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

  // Returns the id of an account, which must have been opened before.
  id(account: SharedAccount): AccountId {
    const id = this.#ids.get(cacheKey(account))
    if (id === undefined) throw new Error(`ledger account ${cacheKey(account)} was not opened`)
    return id
  }
}

function cacheKey({ kind, owner, currency }: SharedAccount): string {
  return `${kind}/${owner}/${currency}`
}

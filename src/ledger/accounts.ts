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

// A suspense account belongs to a client or to a bank. The prefix distinguishes a client's id from a bank
// code.
export const clientOwner = (clientId: ClientId) => `client:${clientId}`
// Each client has its own operator account, so that the fees from one client are one balance.
export const operatorOwner = (clientId: ClientId) => `operator:${clientId}`
export const subaccountOwner = (id: SubaccountId) => `subaccount:${id}`
export const bankOwner = (bankCode: string) => `bank:${bankCode}`

// `clock` dates new accounts. The default is the database's clock.
type Options = { clock?: () => Date; hosts?: Pick<Hosts, 'onMove'> | undefined }

export class SharedAccounts {
  readonly #ids = new Map<string, AccountId>()
  readonly #db: Queryable
  readonly #clock: (() => Date) | undefined

  // Accounts are opened outside the transaction that needs them. So `db` must be a pool in which no
  // transaction runs: a transaction that held the last connection would wait for itself. Clears the cache
  // when another server takes over. An asynchronous standby may lack the latest writes, so a cached id may be
  // missing there or belong to another account.
  constructor(db: Queryable, { clock, hosts }: Options = {}) {
    this.#db = db
    this.#clock = clock
    hosts?.onMove(() => this.#ids.clear())
  }

  // An account stays open if the transaction that needed it fails: it is empty and harmless. A new account
  // has the highest id, so transfers lock it last (0001_ledger.sql).
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

// Checks the ledger on live data: recomputes from the transfers alone what 0001_ledger.sql enforces
// at every write (I1, I3, I4).
//
// A check is one statement that returns violations, and no row if there are none.

export type Finding = { check: string; subject: string; expected: string; found: string }

// The statement returns `subject`, `expected` and `found`, as text.
export type Check = { name: string; sql: string }

// Enough for a diagnosis. Broken books may have as many findings as accounts.
export const FINDINGS_PER_CHECK_MAX = 100

export const LEDGER_CHECKS: readonly Check[] = [
  {
    // Uses a full join, so that a transfer of a missing account is found too.
    name: 'balances_are_their_transfers',
    sql: `
      with sides as (
        select debit_account_id as id, sum(amount_kobo) as debits, 0 as credits
          from transfers group by debit_account_id
        union all
        select credit_account_id, 0, sum(amount_kobo) from transfers group by credit_account_id
      ), sums as (
        select id, sum(debits) as debits, sum(credits) as credits from sides group by id
      )
      select 'ledger account ' || coalesce(a.id, s.id) as subject,
             format('debits %s, credits %s', coalesce(s.debits, 0), coalesce(s.credits, 0))
               as expected,
             case when a.id is null then 'no such account'
                  else format('debits %s, credits %s', a.debits_kobo, a.credits_kobo) end as found
        from ledger_accounts a full join sums s on s.id = a.id
       where a.debits_kobo is distinct from coalesce(s.debits, 0)
          or a.credits_kobo is distinct from coalesce(s.credits, 0)
       order by coalesce(a.id, s.id)`,
  },
  {
    name: 'currencies_sum_to_zero',
    sql: `
      select currency as subject, '0' as expected,
             (sum(debits_kobo) - sum(credits_kobo))::text as found
        from ledger_accounts
       group by currency having sum(debits_kobo) <> sum(credits_kobo)
       order by currency`,
  },
  {
    name: 'nothing_is_overdrawn',
    sql: `
      select format('ledger account %s (%s %s)', id, kind, owner) as subject,
             '0 or more' as expected, balance::text as found
        from (select id, kind, owner,
                     case when kind in ('shortfall', 'bank_cost', 'stamp_duty', 'input_vat',
                                       'receivable', 'write_off', 'wht_receivable', 'wht_credit',
                                       'doubtful_debt')
                          then debits_kobo - credits_kobo
                          else credits_kobo - debits_kobo end as balance
                from ledger_accounts where kind <> 'bank') as balances
       where balance < 0
       order by id`,
  },
]

export async function runCheck(db: Queryable, { name, sql }: Check): Promise<Finding[]> {
  const { rows } = await db.query<Omit<Finding, 'check'>>(`${sql} limit ${FINDINGS_PER_CHECK_MAX}`)
  return rows.map((row) => ({ check: name, ...row }))
}

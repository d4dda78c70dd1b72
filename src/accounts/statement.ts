// The statement of a collection account: every transfer in and out, newest first, each with the balance after
// it.
//
// Balances are not stored per transfer. The first page starts from the account's balance, read in the same
// statement as the transfers. Older balances follow by subtraction, and the cursor carries the last one. This
// works because every posting locks the account first, so the ids of its transfers are in the order in which
// its balance changed.

import { isInMerchantScope } from '#access/permissions.ts'
import { idBounds, PAST_ID, type Window } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, CreditId, TransferId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { CAUSE_COLUMNS, CAUSE_JOINS, type CauseReferences } from '#records/shared-sql.ts'
import { accountWithNumber } from './account.ts'

export type Entry = CauseReferences & {
  id: TransferId
  type: string // The transfer's reason.
  direction: 'in' | 'out'
  amountKobo: Kobo
  balanceAfterKobo: Kobo
  creditId: CreditId | null // Null for a payout, a settlement, an adjustment or a hold.
  sessionId: string | null
  narration: string | null
  sourceAccountName: string | null
  postedAt: Date
}

// The next page starts after the transfer `id`. `balanceKobo` is the balance before that transfer.
export type EntryPosition = { id: TransferId; balanceKobo: Kobo }

type StatementAccount = { id: AccountId; currency: string }

// Finds the account by any of its numbers, if the client may use its merchant code.
export async function getStatementAccount(
  db: Queryable,
  clientId: ClientId,
  accountNumber: string,
): Promise<StatementAccount> {
  const { rows } = await db.query<StatementAccount>({
    name: 'get-statement-account',
    text: `select id, currency_code as currency from collection_accounts
            where id = ${accountWithNumber('$1')} and client_id = $2
              and ${isInMerchantScope('merchant_code', '$2')}`,
    values: [accountNumber, clientId],
  })
  if (!rows[0]) throw new Refusal('account_not_found')
  return rows[0]
}

// The position of the page that begins after this entry. The list goes back in time, so the next entry ends
// with the balance before this one.
export function positionAfter(last: Entry): EntryPosition {
  const changeKobo = last.direction === 'in' ? last.amountKobo : -last.amountKobo
  return { id: last.id, balanceKobo: kobo(last.balanceAfterKobo - changeKobo) }
}

// SQL query: the transfers into an account, and those out of it with a negative amount. `columns` and `rows`
// write the select list and the condition of either side. A transfer with the reason `credit` never debits a
// collection account; the condition lets PostgreSQL use the partial index transfers_by_debit_account.
const bothSides = (columns: (change: string) => string, rows: (side: string) => string) => `
  (select ${columns('amount_kobo')} from transfers where ${rows('credit_account_id')})
  union all
  (select ${columns('-amount_kobo')} from transfers
    where reason <> 'credit' and ${rows('debit_account_id')})`

const CAUSES = 'credit_id, payout_id, settlement_id, adjustment_id, difference_id, hold_id'

// Selects the rows of the page first, then adds up balances over the span of these rows only, so
// that a page costs the same at any depth. Only the first page of a window that ended in the past
// reads newer transfers, because it needs their sum. The span is compared as pairs: with a range of
// ids alone, the planner sometimes walks all accounts' transfers in the range.
const LIST_ENTRIES = `
  with page as materialized (
    select id from (${bothSides(
      () => 'id',
      (side) => `${side} = $1 and id >= $3 and id < least($4::bigint, $8)
                 and posted_at >= $5 and posted_at < $6 order by id desc limit $7`,
    )}) as p order by id desc limit $7
  ), span as (
    select id, ${CAUSES}, reason, posted_at, amount_kobo, change,
           (coalesce($2, (select credits_kobo - debits_kobo from ledger_accounts where id = $1))
            - coalesce(sum(change) over (order by id desc
                         rows between unbounded preceding and 1 preceding), 0))::bigint as balance
      from (${bothSides(
        (change) => `id, ${CAUSES}, reason, posted_at, amount_kobo, ${change} as change`,
        (side) =>
          `(${side}, id) >= ($1, (select min(id) from page)) and (${side}, id) < ($1, $4::bigint)`,
      )}) as s
  )
  select t.id, t.reason as type, case when t.change > 0 then 'in' else 'out' end as direction,
         t.amount_kobo, t.balance as balance_after_kobo, t.credit_id, c.session_id, c.narration,
         c.source_account_name, t.posted_at, ${CAUSE_COLUMNS}
    from span t left join credits c on c.id = t.credit_id ${CAUSE_JOINS}
   where t.id = any(array(select id from page))
   order by t.id desc`

type StatementPage = { window: Window; after?: EntryPosition | undefined; limit: number }

// Lists the transfers of an account, newest first, each with the balance after it.
export async function listEntries(
  db: Queryable,
  accountId: AccountId,
  { window: { from, to }, after, limit }: StatementPage,
): Promise<Entry[]> {
  const { firstId, pastId } = await idBounds(db, 'transfers', { from, to })
  const { rows } = await db.query<Entry>({
    name: 'list-entries',
    text: LIST_ENTRIES,
    values: [
      accountId,
      after?.balanceKobo ?? null,
      firstId,
      after?.id ?? PAST_ID,
      from ?? '-infinity',
      to ?? 'infinity',
      limit,
      pastId,
    ],
  })
  return rows
}

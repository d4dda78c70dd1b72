// The statement of a collection account: every transfer in and out, newest first, each with the
// balance after it.
//
// Balances are not stored per transfer. The first page starts from the account's balance, read in
// the same statement as the transfers; older balances follow by subtraction, and the cursor carries
// the last one. This holds because every posting locks the account first, so the ids of its
// transfers are in the order in which its balance changed.

import type { Queryable } from '#db/pool.ts'
import { idBounds, PAST_ID, type Window } from '#db/time-bounds.ts'
import { isInMerchantScope } from '#domain/access/merchant-scope.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, CreditId, TransferId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { accountWithNumber } from './additional-numbers.ts'

export type Entry = {
  id: TransferId
  type: string // The transfer's reason: credit, assign, reversal, fee, fee_vat, split.
  direction: 'in' | 'out'
  amountKobo: Kobo
  balanceAfterKobo: Kobo
  creditId: CreditId | null // Null: of a payout, a settlement or an adjustment.
  sessionId: string | null
  narration: string | null
  sourceAccountName: string | null
  postedAt: Date
}

// Where a page goes on: after this transfer, with this balance before it.
export type EntryPosition = { id: TransferId; balanceKobo: Kobo }

type StatementAccount = { id: AccountId; currency: string }

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

export function positionAfter(last: Entry): EntryPosition {
  const changeKobo = last.direction === 'in' ? last.amountKobo : -last.amountKobo
  return { id: last.id, balanceKobo: kobo(last.balanceAfterKobo - changeKobo) }
}

// Both sides of an account, each through its own index.
const bothSides = (columns: (change: string) => string, rows: (side: string) => string) => `
  (select ${columns('amount_kobo')} from transfers where ${rows('credit_account_id')})
  union all
  (select ${columns('-amount_kobo')} from transfers
    where reason <> 'credit' and ${rows('debit_account_id')})`

// First which rows are shown, then the balances, added up over nothing but the span of these rows;
// so a page costs the same at any depth. Only the first page of a window that ended in the past
// reads what is newer, because its sum is needed. The span is compared as pairs: with a range of
// ids alone, the planner at times walks all transfers of the range, whose ever they are.
const LIST_ENTRIES = `
  with page as materialized (
    select id from (${bothSides(
      () => 'id',
      (side) => `${side} = $1 and id >= $3 and id < least($4::bigint, $8)
                 and posted_at >= $5 and posted_at < $6 order by id desc limit $7`,
    )}) as p order by id desc limit $7
  ), span as (
    select id, credit_id, reason, posted_at, amount_kobo, change,
           (coalesce($2, (select credits_kobo - debits_kobo from ledger_accounts where id = $1))
            - coalesce(sum(change) over (order by id desc
                         rows between unbounded preceding and 1 preceding), 0))::bigint as balance
      from (${bothSides(
        (change) => `id, credit_id, reason, posted_at, amount_kobo, ${change} as change`,
        (side) =>
          `(${side}, id) >= ($1, (select min(id) from page)) and (${side}, id) < ($1, $4::bigint)`,
      )}) as s
  )
  select e.id, e.reason as type, case when e.change > 0 then 'in' else 'out' end as direction,
         e.amount_kobo as "amountKobo", e.balance as "balanceAfterKobo",
         e.credit_id as "creditId", c.session_id as "sessionId", c.narration,
         c.source_account_name as "sourceAccountName", e.posted_at as "postedAt"
    from span e left join credits c on c.id = e.credit_id
   where e.id = any(array(select id from page))
   order by e.id desc`

type StatementPage = { window: Window; after?: EntryPosition | undefined; limit: number }

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

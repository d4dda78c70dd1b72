// The transfers of some ledger accounts within a period, oldest first, in batches.
//
// Each side of a transfer has its own index by account and id, except a bank's debits by credits
// (0001_ledger.sql): those are found through the credits.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import { idBounds, PAST_ID, type Window } from '#db/time-bounds.ts'
import { assignedTo, type Viewer } from '#domain/credits/credit-list.ts'
import {
  CAUSE_COLUMNS,
  CAUSE_JOINS,
  type CauseReferences,
} from '#domain/records/transfer-causes.ts'
import type { AccountId, CreditId, TransferId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export type Move = CauseReferences & {
  id: TransferId
  reason: string
  changeKobo: Kobo // Credits less debits.
  accountNumber: string | null // The viewer's own collection account.
  otherAccountNumber: string | null // The viewer's collection account on the other side.
  otherKind: string
  creditId: CreditId | null // Null: none, or the viewer may not see it.
  sessionId: string | null
  sourceAccountName: string | null
  narration: string | null
  postedAt: Date
}

type Query = { viewer: Viewer; accountIds: readonly AccountId[]; window: Window }

const BATCH = 500
const CREDITS_PER_BATCH = 5_000 // Takes some 20 ms.
// The first batch of several accounts scans this many ids. Every batch scans all accounts, so the number
// grows if it finds little.
const IDS_OF_FIRST_BATCH = 50_000n

// $1 the accounts, $2 and $3 the client and whether it is the operator, $4 and $5 the period.
const describe = (transfers: string) => `
  select t.id, t.reason, t.change as "changeKobo", t.posted_at as "postedAt",
         m.account_number as "accountNumber", o.kind as "otherKind",
         om.account_number as "otherAccountNumber",
         case when credit.is_visible then c.id end as "creditId",
         case when credit.is_visible then c.session_id end as "sessionId",
         case when credit.is_visible then c.source_account_name end as "sourceAccountName",
         case when credit.is_visible then c.narration end as narration, ${CAUSE_COLUMNS}
    from (${transfers}) as t
    join ledger_accounts o on o.id = t.other_id
    left join collection_accounts m on m.id = t.own_id and m.client_id = $2
    left join collection_accounts om on om.id = t.other_id and om.client_id = $2
    left join credits c on c.id = t.credit_id ${CAUSE_JOINS}
   cross join lateral (
     select c.client_id = $2 or $3 and c.client_id is null or ${assignedTo('$2')} as is_visible) as credit
   order by t.id, t.change`

const COLUMNS =
  'id, reason, posted_at, credit_id, payout_id, settlement_id, adjustment_id, difference_id'
const WITHIN = 'posted_at >= $4 and posted_at < $5'
const BETWEEN = `id > $6 and id < $7 and ${WITHIN} order by id limit $8`

const BY_ID = describe(`
  select * from (
    select own as own_id, t.*
      from unnest($1::bigint[]) as own
     cross join lateral (
       (select ${COLUMNS}, debit_account_id as other_id, amount_kobo as change
          from transfers where credit_account_id = own and ${BETWEEN})
       union all
       (select ${COLUMNS}, credit_account_id, -amount_kobo
          from transfers where debit_account_id = own and reason <> 'credit' and ${BETWEEN})
     ) as t) as sides
   order by id fetch first ($8) rows with ties`)

const BY_CREDIT = describe(`
  select debit_account_id as own_id, ${COLUMNS}, credit_account_id as other_id,
         -amount_kobo as change
    from transfers
   where credit_id > $6 and credit_id <= $7 and debit_account_id = any($1) and reason = 'credit'
     and ${WITHIN}`)

const valuesOf = ({ viewer, accountIds, window: { from, to } }: Query) => [
  numberArray(accountIds),
  viewer.id,
  viewer.isOperator,
  from ?? '-infinity',
  to ?? 'infinity',
]

export async function* readMoves(db: Queryable, query: Query): AsyncGenerator<Move[], void> {
  const { firstId, pastId } = await idBounds(db, 'transfers', query.window)
  yield* readBetween(db, query, { after: firstId - 1n, before: pastId })
}

type Ids = { after: bigint; before: bigint }

// A batch of one account scans all ids.
async function* readBetween(
  db: Queryable,
  query: Query,
  { after, before }: Ids,
): AsyncGenerator<Move[], void> {
  const isOne = query.accountIds.length <= 1
  const past = isOne ? before : await findEnd(db, query, before)
  let width = IDS_OF_FIRST_BATCH
  while (after < past - 1n) {
    const end = isOne || after + width > past ? past : after + width
    const { rows } = await db.query<Move>({
      name: 'statement-moves',
      text: BY_ID,
      values: [...valuesOf(query), after, end, BATCH],
    })
    if (rows.length > 0) yield rows
    const isFull = rows.length >= BATCH
    after = isFull ? (rows.at(-1) as Move).id : end - 1n
    width = isFull ? width / 2n + 1n : width * 2n
  }
}

// The id after the last transfer of these accounts.
async function findEnd(db: Queryable, query: Query, before: bigint): Promise<bigint> {
  const last = (column: string, more = '') => `
    (select id from transfers where ${column} = own and id < $2 ${more} order by id desc limit 1)`
  const { rows } = await db.query<{ last: bigint | null }>({
    name: 'last-move',
    text: `select max(t.id) as last from unnest($1::bigint[]) as own
            cross join lateral (${last('credit_account_id')} union all
                                ${last('debit_account_id', `and reason <> 'credit'`)}) as t`,
    values: [numberArray(query.accountIds), before],
  })
  return (rows[0]?.last ?? 0n) + 1n
}

// Credits in id order, with the other transfers up to the last of them.
export async function* readBankMoves(db: Queryable, query: Query): AsyncGenerator<Move[], void> {
  const { firstId, pastId } = await idBounds(db, 'transfers', query.window)
  const credits = await findCredits(db, query.window)
  let after = firstId - 1n
  for (let past = credits.first - 1n; past < credits.last; past += BigInt(CREDITS_PER_BATCH)) {
    const { rows } = await db.query<Move>({
      name: 'statement-moves-of-bank',
      text: BY_CREDIT,
      values: [...valuesOf(query), past, past + BigInt(CREDITS_PER_BATCH)],
    })
    const [first, last] = [rows[0]?.id, rows.at(-1)?.id]
    if (first === undefined || last === undefined) continue
    yield* readBetween(db, query, { after, before: first })
    after = first > after ? first : after
    const others: Move[] = []
    for await (const batch of readBetween(db, query, { after, before: last })) others.push(...batch)
    after = last > after ? last : after
    yield [...rows, ...others].toSorted((one, other) => (one.id < other.id ? -1 : 1))
  }
  yield* readBetween(db, query, { after, before: pastId })
}

async function findCredits(db: Queryable, window: Window) {
  const { firstId, pastId } = await idBounds(db, 'credits', window)
  if (pastId < PAST_ID) return { first: firstId, last: pastId - 1n }
  const { rows } = await db.query<{ last: bigint | null }>({
    name: 'last-credit',
    text: 'select max(id) as last from credits',
  })
  return { first: firstId, last: rows[0]?.last ?? 0n }
}

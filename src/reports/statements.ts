// Reads statements of ledger accounts over a period: opening balance, transfers and closing balance.
// Transfers are read oldest first, in batches.
//
// Each side of a transfer has an index by account and id, with one exception (0001_ledger.sql): every booked
// credit debits the ledger account of its bank, and these debits have no index by account. They are found
// through the ids of the credits.

import { assignedTo, type Viewer } from '#credits/queries.ts'
import { idBounds, PAST_ID, type Window } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, CreditId, TransferId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { CAUSE_COLUMNS, CAUSE_JOINS, type CauseReferences } from '#records/shared-sql.ts'
import { firstTransferSince, growsByDebits, type LedgerAccount, movesSince } from './ledger.ts'

// One side of a transfer: how it changed the account of the statement.
type Move = CauseReferences & {
  id: TransferId
  reason: string
  changeKobo: Kobo // Credits less debits.
  accountNumber: string | null // Set if the viewer owns this collection account.
  otherAccountNumber: string | null // Set if the viewer owns the collection account on the other side.
  otherKind: string
  creditId: CreditId | null // null if the transfer has none, or the viewer may not see it.
  sessionId: string | null
  sourceAccountName: string | null
  narration: string | null
  postedAt: Date
}

type Query = { viewer: Viewer; accountIds: readonly AccountId[]; window: Window }

const BATCH = 500
const CREDITS_PER_BATCH = 5_000 // Takes some 20 ms.
// How many ids of transfers the first batch of a statement of several accounts scans. A batch that finds few
// transfers doubles this number for the next batch, because every batch queries all accounts.
const IDS_OF_FIRST_BATCH = 50_000n

// SQL query: the columns of these transfers. $1 is the accounts, $2 the client, $3 whether the client is the
// operator, $4 and $5 the period.
const selectMoves = (transfers: string) => `
  select t.id, t.reason, t.change as change_kobo, t.posted_at, m.account_number,
         o.kind as other_kind, om.account_number as other_account_number,
         case when credit.is_visible then c.id end as credit_id,
         case when credit.is_visible then c.session_id end as session_id,
         case when credit.is_visible then c.source_account_name end as source_account_name,
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
  'id, reason, posted_at, credit_id, payout_id, settlement_id, adjustment_id, difference_id, hold_id'
const WITHIN = 'posted_at >= $4 and posted_at < $5'
const BETWEEN = `id > $6 and id < $7 and ${WITHIN} order by id limit $8`

const BY_ID = selectMoves(`
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

const BY_CREDIT = selectMoves(`
  select debit_account_id as own_id, ${COLUMNS}, credit_account_id as other_id,
         -amount_kobo as change
    from transfers
   where credit_id > $6 and credit_id <= $7 and debit_account_id = any($1) and reason = 'credit'
     and ${WITHIN}`)

const toValues = ({ viewer, accountIds, window: { from, to } }: Query) => [
  numberArray(accountIds),
  viewer.id,
  viewer.isOperator,
  from ?? '-infinity',
  to ?? 'infinity',
]

// Reads the moves of accounts that are not a bank's.
async function* readMoves(db: Queryable, query: Query): AsyncGenerator<Move[], void> {
  const { firstId, pastId } = await idBounds(db, 'transfers', query.window)
  yield* readBetween(db, query, { after: firstId - 1n, before: pastId })
}

// Reads the transfers with ids between `after` and `before`. For one account, each batch may scan all ids up
// to the end, because the index finds the account's transfers directly. For several accounts, each batch
// scans a limited number of ids, which adapts to the number of transfers that the last batch found.
async function* readBetween(
  db: Queryable,
  query: Query,
  { after, before }: { after: bigint; before: bigint },
): AsyncGenerator<Move[], void> {
  const isSingleAccount = query.accountIds.length <= 1
  const endId = isSingleAccount ? before : await findIdAfterLastMove(db, query, before)
  let idsPerBatch = IDS_OF_FIRST_BATCH
  while (after < endId - 1n) {
    const batchEnd = isSingleAccount || after + idsPerBatch > endId ? endId : after + idsPerBatch
    const { rows } = await db.query<Move>({
      name: 'statement-moves',
      text: BY_ID,
      values: [...toValues(query), after, batchEnd, BATCH],
    })
    if (rows.length > 0) yield rows
    const isFull = rows.length >= BATCH
    after = isFull ? (rows.at(-1) as Move).id : batchEnd - 1n
    idsPerBatch = isFull ? idsPerBatch / 2n + 1n : idsPerBatch * 2n
  }
}

// Returns the id after the last transfer of these accounts, so that the scan stops there.
async function findIdAfterLastMove(db: Queryable, query: Query, before: bigint): Promise<bigint> {
  const selectLastId = (column: string, condition = '') => `
    (select id from transfers where ${column} = own and id < $2 ${condition} order by id desc limit 1)`
  const { rows } = await db.query<{ last: bigint | null }>({
    name: 'last-move',
    text: `select max(t.id) as last from unnest($1::bigint[]) as own
            cross join lateral (${selectLastId('credit_account_id')} union all
                                ${selectLastId('debit_account_id', `and reason <> 'credit'`)}) as t`,
    values: [numberArray(query.accountIds), before],
  })
  return (rows[0]?.last ?? 0n) + 1n
}

// Reads the moves of a bank's account: the transfers of credits, which debit it, in batches of credits, and
// with each batch the other transfers up to the batch's last one. Ids of transfers of credits are only
// approximately ordered, so a batch may begin before the end of the previous one. `after` is the last id up
// to which the other transfers were read, and never decreases.
async function* readBankMoves(db: Queryable, query: Query): AsyncGenerator<Move[], void> {
  const { firstId, pastId } = await idBounds(db, 'transfers', query.window)
  const credits = await findCreditRange(db, query.window)
  let after = firstId - 1n
  for (
    let readToCredit = credits.first - 1n;
    readToCredit < credits.last;
    readToCredit += BigInt(CREDITS_PER_BATCH)
  ) {
    const { rows } = await db.query<Move>({
      name: 'statement-moves-of-bank',
      text: BY_CREDIT,
      values: [...toValues(query), readToCredit, readToCredit + BigInt(CREDITS_PER_BATCH)],
    })
    const [firstMoveId, lastMoveId] = [rows[0]?.id, rows.at(-1)?.id]
    if (firstMoveId === undefined || lastMoveId === undefined) continue
    yield* readBetween(db, query, { after, before: firstMoveId })
    after = firstMoveId > after ? firstMoveId : after
    const otherMoves: Move[] = []
    for await (const batch of readBetween(db, query, { after, before: lastMoveId }))
      otherMoves.push(...batch)
    after = lastMoveId > after ? lastMoveId : after
    yield [...rows, ...otherMoves].toSorted((one, other) => (one.id < other.id ? -1 : 1))
  }
  yield* readBetween(db, query, { after, before: pastId })
}

// Returns the ids of the first and the last credit that may have been posted in the window.
async function findCreditRange(db: Queryable, window: Window) {
  const { firstId, pastId } = await idBounds(db, 'credits', window)
  if (pastId < PAST_ID) return { first: firstId, last: pastId - 1n }
  const { rows } = await db.query<{ last: bigint | null }>({
    name: 'last-credit',
    text: 'select max(id) as last from credits',
  })
  return { first: firstId, last: rows[0]?.last ?? 0n }
}

// A statement has the opening balance, every transfer with the balance after it, ordered by posting, and the
// closing balance. It is for one account, or for all available accounts of a client.
//
// Opening + movements = closing (I61): the opening balance is the current balance less the movements since,
// read in one SQL statement. The statement of a past period never changes. Without a start, it goes back to
// the start of the ledger.

export type StatementSubject = {
  accountIds: readonly AccountId[] // One account, or several accounts that grow by credits.
  kind: string
  currency: string
}

export type StatementRow = Move & { balanceKobo: Kobo } // The balance after the move.

// SQL query: the debits of a bank's ledger account that booked credits made. They have no index by account,
// so they are found through the ids of the credits.
const BANK_CREDITS = `
  select -amount_kobo, credit_id, reason from transfers
   where credit_id >= $4 and debit_account_id = a.id and reason = 'credit' and posted_at >= $3`

// Returns the accounts' balance of all transfers posted before the moment: the current balance less the
// movements since. It is positive on the side on which the account grows.
export async function readBalanceAt(
  db: Queryable,
  { accountIds, kind }: StatementSubject,
  at: Date,
): Promise<Kobo> {
  const isBank = kind === 'bank'
  const firstId = await firstTransferSince(db, at)
  const { rows } = await db.query<{ kobo: bigint }>({
    name: isBank ? 'balance-of-bank-at' : 'balance-at',
    text: `select coalesce(sum(l.credits_kobo - l.debits_kobo - moved.kobo), 0)::bigint as kobo
             from unnest($1::bigint[]) as a (id)
             join ledger_accounts l on l.id = a.id
            cross join lateral (
              select coalesce(sum(change), 0) as kobo from (
                ${movesSince({ account: 'a.id', firstId: '$2', at: '$3' })}
                ${isBank ? `union all ${BANK_CREDITS}` : ''}) as t) as moved`,
    values: [
      numberArray(accountIds),
      firstId,
      at,
      ...(isBank ? [(await idBounds(db, 'credits', { from: at })).firstId] : []),
    ],
  })
  return inOwnSign(kind, (rows[0] as { kobo: bigint }).kobo)
}

// Returns a change or a balance of an account, given as credits less debits, with the sign in which accounts
// of this kind grow: some kinds grow by debits.
function inOwnSign(kind: string, creditsLessDebits: bigint): Kobo {
  return kobo(growsByDebits(kind) ? -creditsLessDebits : creditsLessDebits)
}

type StatementPeriod = { window: Window; openingKobo: Kobo }

// Begins a statement: reads its opening balance, which is zero if the period has no start.
export async function openStatement(
  db: Queryable,
  subject: StatementSubject,
  window: Window,
): Promise<StatementPeriod> {
  const openingKobo = window.from ? await readBalanceAt(db, subject, window.from) : kobo(0n)
  return { window, openingKobo }
}

type Statement = StatementPeriod & { viewer: Viewer; subject: StatementSubject }

// Reads the rows of a statement. Each batch is a separate query, so that sending a long statement holds no
// connection.
export async function* readStatement(
  db: Queryable,
  { subject, window, viewer, openingKobo }: Statement,
): AsyncGenerator<StatementRow[], void> {
  const { kind } = subject
  const query = { viewer, accountIds: subject.accountIds, window }
  const moves = kind === 'bank' ? readBankMoves(db, query) : readMoves(db, query)
  let balanceKobo: bigint = openingKobo
  for await (const batch of moves) {
    yield batch.map((move) => {
      const changeKobo = inOwnSign(kind, move.changeKobo)
      balanceKobo += changeKobo
      return { ...move, changeKobo, balanceKobo: kobo(balanceKobo) }
    })
  }
}

export type LedgerPeriod = {
  openingKobo: Kobo
  debitsKobo: Kobo
  creditsKobo: Kobo
  closingKobo: Kobo
  transfers: bigint
}

const IN_PERIOD = 'posted_at >= $2 and posted_at < $3'
const IDS_IN_PERIOD = `id >= $4 and id < $5 and ${IN_PERIOD}`

// SQL query: the transfers of credits, which debit the account of a bank. The index of an account's debits
// leaves these transfers out, so the query finds them by the ids of their credits ($6 to $7).
const BANK_CREDITS_IN_PERIOD = `
  union all
  select amount_kobo, null from transfers
   where credit_id >= $6 and credit_id < $7 and debit_account_id = $1 and reason = 'credit'
     and ${IN_PERIOD}`

// Reads a ledger account over a period: opening balance, sums of both sides, closing balance. Call within a
// repeatable-read transaction, so that opening + movements = closing.
export async function readLedgerPeriod(
  tx: Transaction,
  account: LedgerAccount,
  period: Window,
): Promise<LedgerPeriod> {
  const { id, kind, currency } = account
  const isBank = kind === 'bank'
  const subject = { accountIds: [id], kind, currency }
  const { window, openingKobo } = await openStatement(tx, subject, period)
  const ids = await idBounds(tx, 'transfers', window)
  const credits = isBank ? await idBounds(tx, 'credits', window) : undefined
  const { rows } = await tx.query<Omit<LedgerPeriod, 'openingKobo' | 'closingKobo'>>({
    name: isBank ? 'ledger-period-of-bank' : 'ledger-period',
    text: `select coalesce(sum(debit), 0)::bigint as debits_kobo,
                  coalesce(sum(credit), 0)::bigint as credits_kobo, count(*) as transfers
             from (select null::bigint as debit, amount_kobo as credit from transfers
                    where credit_account_id = $1 and ${IDS_IN_PERIOD}
                   union all
                   select amount_kobo, null from transfers
                    where debit_account_id = $1 and reason <> 'credit' and ${IDS_IN_PERIOD}
                   ${isBank ? BANK_CREDITS_IN_PERIOD : ''}) as sides`,
    values: [
      id,
      window.from ?? '-infinity',
      window.to ?? 'infinity',
      ids.firstId,
      ids.pastId,
      ...(credits ? [credits.firstId, credits.pastId] : []),
    ],
  })
  const sums = rows[0] as (typeof rows)[0]
  const changeKobo = growsByDebits(kind)
    ? sums.debitsKobo - sums.creditsKobo
    : sums.creditsKobo - sums.debitsKobo
  return { openingKobo, ...sums, closingKobo: kobo(openingKobo + changeKobo) }
}

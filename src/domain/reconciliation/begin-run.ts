// Begins a matching run: finds the new statements, and the time since which items of the books are read.

import { idBounds, PAST_ID } from '#db/time-bounds.ts'
import type { Transaction } from '#db/transaction.ts'
import { findMissedDay } from './missed-items.ts'
import {
  type BankAccount,
  type BankState,
  countLines,
  dayStart,
  lockBank,
  type Run,
  readMoved,
} from './reconciled-banks.ts'
import { findFirstDay } from './statement-chain.ts'

type Coverage = {
  firstDay: string | null // The first day that a statement covers.
  firstLineDay: string | null // The first day of a line, which may be dated back.
  toDay: string | null
  newStatements: bigint[] | null
}

// Covers the time that a transaction takes to commit, and a clock that is behind. The balances find items
// that are even later (missed-items.ts).
const SLACK_MS = 15 * 60_000
// The first line may be for an item of the days before.
const LOOK_BACK_MS = 7 * 86_400_000

// Undefined: the account has no statement.
export async function beginRun(
  tx: Transaction,
  { bankCode, currency, now }: BankAccount & { now: Date },
): Promise<Run | undefined> {
  // Before any read: statements that are stored while it waits belong to the run.
  const state = await lockBank(tx, { bankCode, currency })
  const movedKobo = await readMoved(tx, { bankCode, currency })
  const { rows: covered } = await tx.query<Coverage>(
    `select min(coalesce(covers_from, from_day))::text as "firstDay", max(to_day)::text as "toDay",
            min(from_day)::text as "firstLineDay",
            array_agg(id order by id) filter (where matched_at is null) as "newStatements"
       from statements where bank_code = $1 and currency = $2`,
    [bankCode, currency],
  )
  const { firstDay, firstLineDay, toDay, newStatements } = covered[0] as Coverage
  if (firstDay === null || firstLineDay === null || toDay === null) return undefined
  const account = { bankCode, currency, newStatements: newStatements ?? [] }
  await countLines(tx, account)
  const fromDay = await findFromDay(tx, account, { current: state.fromDay, firstDay })
  const run = { ...account, now, fromDay, toDay }
  const missedDay = await findMissed(tx, state, run)
  const isFirst = state.fromDay === null || fromDay < state.fromDay || missedDay < fromDay
  const since = openSince(state, { ...run, isFirst, firstLineDay })
  const missedSince = dayStart(missedDay)
  const itemsSince = since < missedSince ? since : missedSince
  const { firstId: creditsFrom } = await idBounds(tx, 'credits', { from: itemsSince })
  const linesFrom = await findFirstLine(tx, run.newStatements)
  return { ...run, movedKobo, linesFrom, isFirst, itemsSince, creditsFrom }
}

// A covered day stays covered, and so do the differences of its items.
async function findFromDay(
  tx: Transaction,
  account: BankAccount,
  { current, firstDay }: { current: string | null; firstDay: string },
): Promise<string> {
  if (current !== null && current <= firstDay) return current
  const day = await findFirstDay(tx, account)
  return current !== null && current < day ? current : day
}

async function findFirstLine(tx: Transaction, statements: readonly bigint[]): Promise<bigint> {
  if (statements.length === 0) return PAST_ID
  const { rows } = await tx.query<{ id: bigint | null }>(
    'select min(id) as id from statement_lines where statement_id = any ($1)',
    [statements],
  )
  return rows[0]?.id ?? PAST_ID
}

const NEVER = '9999-12-31'

// Runs only for new statements and once an hour, because summing takes a while.
async function findMissed(
  tx: Transaction,
  { fromDay, toDay, seenUntil }: BankState,
  { newStatements, now, ...account }: Pick<Run, 'newStatements' | 'now'> & BankAccount,
): Promise<string> {
  if (fromDay === null || toDay === null || seenUntil === null) return NEVER
  const isDue = newStatements.length > 0 || hourOf(seenUntil) !== hourOf(now)
  if (!isDue) return NEVER
  return (await findMissedDay(tx, account, { fromDay, toDay, seenUntil })) ?? NEVER
}

const hourOf = (at: Date) => Math.floor(at.getTime() / 3_600_000)

// Items after the last statement wait for the next one, so new lines are tried with all of them, and
// earlier lines only with the items posted since.
function openSince(
  state: BankState,
  run: Pick<Run, 'newStatements' | 'isFirst'> & { firstLineDay: string },
): Date {
  const { itemsUntil, seenUntil } = state
  if (run.isFirst || !itemsUntil || !seenUntil) {
    return new Date(dayStart(run.firstLineDay).getTime() - LOOK_BACK_MS)
  }
  const isNew = run.newStatements.length > 0
  const since = isNew || seenUntil < itemsUntil ? itemsUntil : seenUntil
  return new Date(since.getTime() - SLACK_MS)
}

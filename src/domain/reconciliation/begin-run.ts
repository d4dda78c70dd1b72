// Begins a run of matching: which statements are new, and since when items of the books are read.

import { idBounds, PAST_ID } from '#db/time-bounds.ts'
import type { Transaction } from '#db/transaction.ts'
import { findMissedDay } from './missed-items.ts'
import {
  type BankAccount,
  countLines,
  dayStart,
  type Known,
  lockBank,
  type Run,
  readMoved,
} from './reconciled-banks.ts'
import { findFirstDay } from './statement-chain.ts'

type Coverage = {
  firstDay: string | null // That a statement covers, …
  firstLineDay: string | null // … and that a line is of, which may be dated back.
  toDay: string | null
  newStatements: bigint[] | null
}

// What arrived in the books while a transaction took to commit, or by a clock that is behind. What is
// later still is found by the balances (missed-items.ts).
const SLACK_MS = 15 * 60_000
// Before the first line: it may be for an item of the days before.
const LOOK_BACK_MS = 7 * 86_400_000

// Undefined: there is no statement of this account.
export async function beginRun(
  tx: Transaction,
  { bankCode, currency, now }: BankAccount & { now: Date },
): Promise<Run | undefined> {
  // Before anything is read: what is stored while it waits is part of the run.
  const known = await lockBank(tx, { bankCode, currency })
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
  const found = { bankCode, currency, newStatements: newStatements ?? [] }
  await countLines(tx, found)
  const fromDay = await findFromDay(tx, found, { known: known.fromDay, firstDay })
  const run = { ...found, now, fromDay, toDay }
  const missedDay = await findMissed(tx, known, run)
  const isFirst = known.fromDay === null || fromDay < known.fromDay || missedDay < fromDay
  const since = openSince(known, { ...run, isFirst, firstLineDay })
  const missedSince = dayStart(missedDay)
  const itemsSince = since < missedSince ? since : missedSince
  const { firstId: creditsFrom } = await idBounds(tx, 'credits', { from: itemsSince })
  const linesFrom = await findFirstLine(tx, run.newStatements)
  return { ...run, movedKobo, linesFrom, isFirst, itemsSince, creditsFrom }
}

// A day that was covered stays so: what its items differ by stands.
async function findFromDay(
  tx: Transaction,
  account: BankAccount,
  { known, firstDay }: { known: string | null; firstDay: string },
): Promise<string> {
  if (known !== null && known <= firstDay) return known
  const day = await findFirstDay(tx, account)
  return known !== null && known < day ? known : day
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

// Adding up what was posted since takes a while, so it is done for new statements, and once an hour.
async function findMissed(
  tx: Transaction,
  { fromDay, toDay, seenUntil }: Known,
  { newStatements, now, ...account }: Pick<Run, 'newStatements' | 'now'> & BankAccount,
): Promise<string> {
  if (fromDay === null || toDay === null || seenUntil === null) return NEVER
  const isDue = newStatements.length > 0 || hourOf(seenUntil) !== hourOf(now)
  if (!isDue) return NEVER
  return (await findMissedDay(tx, account, { fromDay, toDay, seenUntil })) ?? NEVER
}

const hourOf = (at: Date) => Math.floor(at.getTime() / 3_600_000)

// Items after the last statement wait for its successor, so new lines are tried with all of them, and
// lines that were there before only with those that came since.
function openSince(
  known: Known,
  run: Pick<Run, 'newStatements' | 'isFirst'> & { firstLineDay: string },
): Date {
  const { itemsUntil, seenUntil } = known
  if (run.isFirst || !itemsUntil || !seenUntil) {
    return new Date(dayStart(run.firstLineDay).getTime() - LOOK_BACK_MS)
  }
  const isNew = run.newStatements.length > 0
  const since = isNew || seenUntil < itemsUntil ? itemsUntil : seenUntil
  return new Date(since.getTime() - SLACK_MS)
}

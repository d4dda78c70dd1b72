// Closes a day, in two transactions (I68):
//
//   markDay       requires that earlier days are closed, that the day is over, and that it is balanced or a
//                 reason is given. After its commit no transfer can be posted into the day
//   completeDay   waits for running postings, totals the journal and the balances, stores the hash
//
// Both steps are idempotent, so the next attempt completes an interrupted closing. A closed day
// cannot be reopened. A lock allows one closing at a time.

import { createHash } from 'node:crypto'
import { watDay } from '#clock.ts'
import type { Chart } from '#config/chart-settings.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { readDailyProofs, type TimingWindows } from '#reconciliation/daily-proof.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { writeBalances } from './balances.ts'
import {
  type ClosedDay,
  findClosedDay,
  type Journal,
  periodOf,
  readJournal,
  type UnbalancedBank,
  writeLines,
} from './journal.ts'

// Returns the banks that prevent the day from closing without a reason: no statement covers the day, or a
// difference up to that day is open. Reconciling items prevent nothing, because each has its own reason. A
// bank where no money has moved yet needs no statement.
async function findUnbalancedBanks(
  db: Queryable,
  { day, windows, now }: { day: string; windows: TimingWindows; now: Date },
): Promise<UnbalancedBank[]> {
  const proofs = await readDailyProofs(db, { fromDay: day, toDay: day, windows, now })
  return proofs
    .filter(({ status }) => status === 'differences' || status === 'missing_statement')
    .filter(({ status, isExpected }) => status !== 'missing_statement' || isExpected)
    .map(({ bankCode, currency, status, openDifferences }) => {
      return { bankCode, currency, status, openDifferences }
    })
}

// A day closes this long after its end, because the clocks of processes differ and a batch stamped
// just before midnight may still be being written.
const DAY_OVER_MS = 5 * 60_000

type Closing = {
  day: string
  reason: string | null
  chart: Chart
  windows: TimingWindows
  by: { clientId: ClientId; actor: string }
}

// Marks the day as closed, and with it the days without transfers since the last closed one. Does nothing if
// the day is already closed. Refuses with the first that applies: day_not_over, later_day_closed,
// earlier_day_open, day_not_balanced. Uses `clockTime` while a test clock is set, otherwise `realTime`.
export async function markDay(
  tx: Transaction,
  { clockTime, realTime }: { clockTime: Date; realTime: Date },
  closing: Closing,
): Promise<void> {
  const { day, reason, windows, by } = closing
  const { from, to: endsAt } = periodOf(day)
  const now = (await holdTestClock(tx)) ? clockTime : realTime
  if (now.getTime() < endsAt.getTime() + DAY_OVER_MS) throw new Refusal('day_not_over')
  await lockClosing(tx)
  if (await findClosedDay(tx, day)) return
  const lastMarkedDay = await findLastMarked(tx)
  if (lastMarkedDay !== null && lastMarkedDay > day) throw new Refusal('later_day_closed')
  const openDays = await findOpenDays(tx, lastMarkedDay, from)
  if (openDays.length > 0) throw earlierOpen(openDays)
  const unbalanced = await findUnbalancedBanks(tx, { day, windows, now })
  if (unbalanced.length > 0 && reason === null) throw notBalanced(day, unbalanced)
  for (const emptyDay of daysBetween(lastMarkedDay, day)) {
    await insertDay(tx, now, { ...closing, day: emptyDay, reason: null, unbalanced: [] })
  }
  await insertDay(tx, now, { ...closing, unbalanced })
  const detail = { reason, unbalanced: unbalanced.map(({ bankCode }) => bankCode) }
  await writeAuditLog(tx, now, { ...by, action: 'day.close', subject: `day/${day}`, detail })
}

type NewDay = Omit<Closing, 'windows'> & { unbalanced: readonly UnbalancedBank[] }

// Marks a day as closed. From the commit of this row on, the database refuses transfers in the day.
async function insertDay(tx: Transaction, now: Date, closed: NewDay): Promise<void> {
  const { day, reason, chart, unbalanced, by } = closed
  await tx.query({
    name: 'mark-closed-day',
    text: `insert into closed_days
             (day, previous, ends_at, chart, reason, unbalanced, closed_by, closed_at)
           values ($1, (select max(day) from closed_days), $2, $3, $4, $5, $6, $7)`,
    values: [
      day,
      periodOf(day).to,
      JSON.stringify(chart),
      reason,
      JSON.stringify(unbalanced),
      by.actor,
      now,
    ],
  })
}

// `textOf` writes the journal as the CSV that is hashed.
type Completion = { day: string; textOf: (journal: Journal) => string }

// The second step of closing a day: stores its journal, balances and hash. Also completes every earlier day
// that is marked but not completed, for example after a crash. Takes seconds for a million transfers.
export async function completeDay(
  tx: Transaction,
  now: Date,
  { day, textOf }: Completion,
): Promise<ClosedDay> {
  await lockClosing(tx)
  const { rows } = await tx.query<{ day: string }>({
    name: 'list-uncompleted-days',
    text: `select to_char(day, 'YYYY-MM-DD') as day from closed_days
            where day <= $1 and completed_at is null order by closed_days.day`,
    values: [day],
  })
  if (rows.length > 0) {
    await tx.query(`set local work_mem = '64MB'`) // Sums a million transfers without temporary files.
    await tx.query('select decided_transfer_id()') // Waits for transactions that are still posting.
  }
  for (const markedDay of rows) await completeOne(tx, now, { day: markedDay.day, textOf })
  return (await findClosedDay(tx, day)) as ClosedDay
}

// Stores the journal lines and balances of a marked day, and the hash of its journal. `textOf` writes the
// journal as the CSV that is hashed.
async function completeOne(tx: Transaction, now: Date, { day, textOf }: Completion): Promise<void> {
  const period = periodOf(day)
  const transfers = await writeLines(tx, day, period)
  await writeBalances(tx, day, period)
  const markedDay = (await findClosedDay(tx, day)) as ClosedDay
  // With a number of transfers the day counts as complete, so the journal is read from the lines just stored.
  // `chart` is empty because a marked day has a chart of its own.
  const journal = await readJournal(tx, { day, closed: { ...markedDay, transfers }, chart: {} })
  const hash = createHash('sha256').update(textOf(journal)).digest()
  await tx.query({
    name: 'complete-closed-day',
    text: `update closed_days set transfers = $2, journal_hash = $3, completed_at = $4
            where day = $1`,
    values: [day, transfers, hash, now],
  })
}

// Returns whether a test clock is set. Locks it until the commit, so that a concurrent release of the clock
// sees the closed day, and is refused while that day is not over in real time (I76).
async function holdTestClock(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ frozenAt: Date | null }>({
    name: 'hold-test-clock',
    text: 'select frozen_at from sandbox_clock for share',
  })
  return rows[0] !== undefined && rows[0].frozenAt !== null
}

// Only one closing runs at a time. The lock ends with the transaction.
async function lockClosing(tx: Transaction): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('close_day'))`)
}

// The last closed day, whether its closing is complete or not.
async function findLastMarked(tx: Transaction): Promise<string | null> {
  const { rows } = await tx.query<{ day: string | null }>({
    name: 'last-marked-day',
    text: `select to_char(max(day), 'YYYY-MM-DD') as day from closed_days`,
  })
  return rows[0]?.day ?? null
}

// Returns the days after the last closed day and before `day`. They have no transfers, and are closed
// together with `day`.
function daysBetween(lastClosed: string | null, day: string): string[] {
  const days: string[] = []
  if (lastClosed === null) return days
  for (let skipped = dayAfter(lastClosed); skipped < day; skipped = dayAfter(skipped))
    days.push(skipped)
  return days
}

const dayAfter = (day: string) => watDay(periodOf(day).to)

// Returns the days with transfers after the day `last` and before the given time. `last` is null if no day is
// closed. The series of days begins with the first transfer.
async function findOpenDays(tx: Transaction, last: string | null, before: Date): Promise<string[]> {
  const { rows } = await tx.query<{ day: string }>({
    name: 'open-days-with-transfers',
    text: `with first as (
             select (min(posted_at) at time zone 'Africa/Lagos')::date as day from transfers
              where posted_at >= $1 and posted_at < $2
           )
           select to_char(d.day, 'YYYY-MM-DD') as day
             from first f
            cross join lateral generate_series(
              f.day::timestamp, ($2 at time zone 'Africa/Lagos') - interval '1 day',
              interval '1 day') as d (day)
            where exists (select from transfers t
                           where t.posted_at >= d.day at time zone 'Africa/Lagos'
                             and t.posted_at < (d.day + interval '1 day') at time zone 'Africa/Lagos')
            order by d.day`,
    values: [last === null ? '-infinity' : periodOf(last).to, before],
  })
  return rows.map(({ day }) => day)
}

const DAYS_NAMED = 31

// Names up to 31 open days, and the one to close first.
function earlierOpen(days: readonly string[]): Refusal {
  const listed = days.slice(0, DAYS_NAMED).join(', ')
  const remainder = days.length > DAYS_NAMED ? ` and ${days.length - DAYS_NAMED} more` : ''
  const message = `${listed}${remainder} ${days.length === 1 ? 'is' : 'are'} open. Close ${days[0]} first.`
  return new Refusal('earlier_day_open', [{ field: 'day', message }])
}

// Names each bank with its problem. The errors are about the request's field `reason`: a request that gives a
// reason may close the day although these banks are not balanced.
function notBalanced(day: string, banks: readonly UnbalancedBank[]): Refusal {
  const fields = banks.map(({ bankCode, currency, status, openDifferences }) => {
    const problem =
      status === 'missing_statement'
        ? `no statement covers ${day}.`
        : `open differences until ${day}: ${openDifferences}.`
    return { field: 'reason', message: `Bank ${bankCode}, ${currency}: ${problem}` }
  })
  return new Refusal('day_not_balanced', fields)
}

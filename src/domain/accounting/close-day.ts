// Closes a day, in two transactions (I68):
//
//   markDay       days close in order, once over and balanced. After its commit nothing posts into the day
//   completeDay   waits for running postings, adds up the journal and the balances, stores the hash
//
// Both steps are idempotent, so the next attempt completes an interrupted closing. A closed day
// cannot be reopened. A lock allows one closing at a time.

import { createHash } from 'node:crypto'
import type { Chart } from '#config/chart-settings.ts'
import { archivedBefore, requireKept } from '#db/archived-period.ts'
import type { Transaction } from '#db/transaction.ts'
import type { TimingWindows } from '#domain/reconciliation/daily-proof.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { watDay } from '#wat-time.ts'
import {
  type ClosedDay,
  DAY_MS,
  findClosedDay,
  periodOf,
  type UnbalancedBank,
} from './closed-days.ts'
import { type Journal, readJournal } from './journal.ts'
import { writeLines } from './journal-lines.ts'
import { writeBalances } from './trial-balance.ts'
import { findUnbalancedBanks } from './unbalanced-banks.ts'

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

// Refusals, in this order: day_not_over, period_archived, later_day_closed, earlier_day_open,
// day_not_balanced. Does nothing if the day is already closed.
export async function markDay(tx: Transaction, now: Date, closing: Closing): Promise<void> {
  const { day, reason, chart, windows, by } = closing
  const { from, to: endsAt } = periodOf(day)
  if (now.getTime() < endsAt.getTime() + DAY_OVER_MS) throw new Refusal('day_not_over')
  await takeTurn(tx)
  if (await findClosedDay(tx, day)) return
  await tx.query('lock table archives in share mode') // No month may be archived from here until the commit.
  await requireKept(tx, from, 'day')
  const last = await findLastMarked(tx)
  const previous = dayBefore(from)
  if (last !== null && last > day) throw new Refusal('later_day_closed')
  const firstOpen = last === null ? await findFirstPosted(tx, from) : dayAfter(last)
  if (firstOpen !== null && firstOpen < day) throw earlierOpen(firstOpen, previous)
  const unbalanced = await findUnbalancedBanks(tx, { day, windows, now })
  if (unbalanced.length > 0 && reason === null) throw notBalanced(day, unbalanced)
  await tx.query({
    name: 'mark-closed-day',
    text: `insert into closed_days
             (day, previous, ends_at, chart, reason, unbalanced, closed_by, closed_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      day,
      last,
      endsAt,
      JSON.stringify(chart),
      reason,
      JSON.stringify(unbalanced),
      by.actor,
      now,
    ],
  })
  const detail = { reason, unbalanced: unbalanced.map(({ bankCode }) => bankCode) }
  await writeAuditLog(tx, now, { ...by, action: 'day.close', subject: `day/${day}`, detail })
}

// `textOf` writes the journal as the CSV that is hashed.
type Completion = { day: string; textOf: (journal: Journal) => string }

// Also completes every earlier day that is marked but not completed. A million transfers take seconds.
export async function completeDay(
  tx: Transaction,
  now: Date,
  { day, textOf }: Completion,
): Promise<ClosedDay> {
  await takeTurn(tx)
  const { rows } = await tx.query<{ day: string }>({
    name: 'list-uncompleted-days',
    text: `select to_char(day, 'YYYY-MM-DD') as day from closed_days
            where day <= $1 and completed_at is null order by closed_days.day`,
    values: [day],
  })
  if (rows.length > 0) {
    await tx.query(`set local work_mem = '64MB'`)
    await tx.query('select decided_transfer_id()')
  }
  for (const each of rows) await complete(tx, now, { day: each.day, textOf })
  return (await findClosedDay(tx, day)) as ClosedDay
}

async function complete(tx: Transaction, now: Date, { day, textOf }: Completion): Promise<void> {
  const period = periodOf(day)
  const transfers = await writeLines(tx, day, period)
  await writeBalances(tx, day, period)
  const marked = (await findClosedDay(tx, day)) as ClosedDay
  const journal = await readJournal(tx, { day, closed: { ...marked, transfers }, chart: {} })
  const hash = createHash('sha256').update(textOf(journal)).digest()
  await tx.query({
    name: 'complete-closed-day',
    text: `update closed_days set transfers = $2, journal_hash = $3, completed_at = $4
            where day = $1`,
    values: [day, transfers, hash, now],
  })
}

async function takeTurn(tx: Transaction): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('close_day'))`)
}

async function findLastMarked(tx: Transaction): Promise<string | null> {
  const { rows } = await tx.query<{ day: string | null }>({
    name: 'last-marked-day',
    text: `select to_char(max(day), 'YYYY-MM-DD') as day from closed_days`,
  })
  return rows[0]?.day ?? null
}

// The first day with a transfer before the given time, ignoring archived months.
async function findFirstPosted(tx: Transaction, before: Date): Promise<string | null> {
  const since = await archivedBefore(tx)
  const { rows } = await tx.query<{ at: Date | null }>({
    name: 'first-posted-before',
    text: `select min(posted_at) as at from transfers
            where posted_at < $1 and ($2::timestamptz is null or posted_at >= $2)`,
    values: [before, since ?? null],
  })
  return rows[0]?.at ? watDay(rows[0].at) : null
}

function earlierOpen(first: string, last: string): Refusal {
  const days = first === last ? `${first} is open.` : `${first} to ${last} are open.`
  const message = `${days} Close ${first} first.`
  return new Refusal('earlier_day_open', [{ field: 'day', message }])
}

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

function dayAfter(day: string): string {
  return watDay(periodOf(day).to)
}

function dayBefore(start: Date): string {
  // The start of a day in West Africa is 23:00 of the day before in UTC.
  return new Date(start.getTime() - DAY_MS + 3_600_000).toISOString().slice(0, 10)
}

// The test clock of a sandbox: one row, one time for the whole installation (docs/test-clock.md).
//
//   none ──set──▶ frozen ──advance──▶ frozen, later ──release──▶ none
//
// I76: time never goes back while the clock is set. It also never lags behind the current day, because
// the books of a past day may be closed to postings (I68).
//
// The row stays after a release. While it exists, ids and times are not assumed to have the same order,
// because rows may be dated ahead (db/bounds.ts).

import { type Clock, DAY_MS, watDayStart } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'

const AHEAD_MAX_DAYS = 400

// Every process reads the test clock's row at this interval. The process that moves the clock knows the new
// time at once.
export const FOLLOW_MS = 1_000

// `version` grows with every change of the clock.
type Row = { frozenAt: Date | null; version: bigint }

const ROW = 'frozen_at, version'

export class TestClock {
  readonly #real: Clock
  #row: Row = { frozenAt: null, version: 0n }

  constructor(real: Clock) {
    this.#real = real
  }

  // Returns the test clock's time, or the real time if no test clock is set.
  readonly read: Clock = () => this.frozenTime() ?? this.#real()

  // Returns the time of the test clock, or undefined if time is real. The clock never lags behind the
  // current day (I76).
  readonly frozenTime = (): Date | undefined => {
    const { frozenAt } = this.#row
    if (frozenAt === null) return undefined
    const today = watDayStart(this.#real())
    return frozenAt > today ? frozenAt : today
  }

  // Reads the row, in which another process may have moved the clock.
  async refresh(db: Queryable): Promise<void> {
    const { rows } = await db.query<Row>({
      name: 'read-test-clock',
      text: `select ${ROW} from sandbox_clock`,
    })
    this.#storeIfNewer(rows[0])
  }

  // Moves the clock forward; an earlier time changes nothing. The caller must hold the clock's lock
  // (workers/move-clock.ts).
  async move(db: Queryable, to: Date): Promise<void> {
    const { rows } = await db.query<Row>({
      name: 'move-test-clock',
      text: `update sandbox_clock set frozen_at = greatest(frozen_at, $1), version = version + 1
              where frozen_at is not null returning ${ROW}`,
      values: [to],
    })
    this.#storeIfNewer(rows[0])
  }

  // Stores a row that was read, unless a newer one is stored: a slow answer must not undo a later one.
  #storeIfNewer(row: Row | undefined): void {
    if (row && row.version >= this.#row.version) this.#row = row
  }
}

// Sets the test clock to the real time. Returns false if it is set already; it then keeps its time.
export async function startClock(tx: Transaction, realTime: Date): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'start-test-clock',
    text: `insert into sandbox_clock as c (frozen_at, version) values ($1, 1)
           on conflict (is_only) do update set frozen_at = $1, version = c.version + 1
            where c.frozen_at is null`,
    values: [realTime],
  })
  return rowCount === 1
}

// Returns to real time, so that work planned for a later time of the test clock is due at once. Refuses while
// a closed day is not over in real time: money could not be booked in that day. Returns false if the clock is
// not set.
export async function releaseClock(tx: Transaction, realTime: Date): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'release-test-clock',
    text: `update sandbox_clock set frozen_at = null, version = version + 1
            where frozen_at is not null`,
  })
  if (rowCount === 0) return false
  const { rows } = await tx.query({
    name: 'find-day-closed-ahead',
    text: 'select from closed_days where ends_at > $1 limit 1',
    values: [realTime],
  })
  if (rows.length > 0) throw new Refusal('clock_days_closed')
  // A due time that is ahead of real time is moved back to now, so that its work is not late.
  for (const [table, column] of AHEAD) {
    const text = `update ${table} set ${column} = $1 where ${column} > $1`
    await tx.query({ name: `release-${table}-${column}`, text, values: [realTime] })
  }
  return true
}

// Columns with the times at which work is due. If they stayed ahead of real time, the work would be late. The
// workers of webhook retries, bank queries, number pools and bank changes correct their own times.
const AHEAD = [
  ['settlement_settings', 'handled_to'],
  ['payouts', 'send_after'],
  ['payouts', 'sending_at'],
  ['bank_accounts', 'next_enquiry_at'],
  ['requeries', 'leased_until'],
] as const

// Refuses to move the clock back (clock_backwards) or too far ahead (clock_too_far), in this order.
export function checkTarget({ now, to, real }: { now: Date; to: Date; real: Date }): void {
  if (to < now) throw new Refusal('clock_backwards')
  if (to.getTime() > real.getTime() + AHEAD_MAX_DAYS * DAY_MS) throw new Refusal('clock_too_far')
}

// One kind of work that ran at one moment, and how often it ran.
type ClockStep = { at: Date; kind: string; count: number }

// The result of moving the test clock (workers/move-clock.ts). `isComplete` is false if more work was due
// than one call runs. The clock then stops at the time of the last run.
export type ClockMove = { now: Date; isComplete: boolean; ran: ClockStep[] }

export type ClockMoves = {
  // Allows one change of the clock at a time, across all processes. A second caller waits, and is refused
  // with clock_busy after some seconds. Resolves once every process has read the new time.
  exclusively<T>(work: (move: MoveTo) => Promise<T>): Promise<T>
}

// Runs all work that falls due until `to`, ordered by due time, and sets the clock to `to`.
export type MoveTo = (to: Date) => Promise<ClockMove>

// Whether the clock of this process is right, as far as the database's can tell. A process whose clock
// is wrong must not decide by it what cannot be undone: that a bank had time enough to know of a payout,
// that a payment is over, that partitions may be dropped.
//
// More than five minutes is wrong: as far as signatures and closed days go too.

import type { Clock } from '#clock.ts'
import type { Logger } from '#log.ts'
import type { Queryable } from './pool.ts'

const MINUTE_MS = 60_000
export const SKEW_MAX_MS = 5 * MINUTE_MS

export type ClockCheck = () => Promise<boolean>

// How far our clock is ahead of the database's.
export async function readSkewMs(db: Queryable, clock: Clock): Promise<number> {
  const before = clock().getTime()
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  const after = clock().getTime()
  const there = (rows[0] as { now: Date }).now.getTime()
  // What the question took is nobody's error.
  if (there < before) return before - there
  return there > after ? after - there : 0
}

export function isSkewed(skewMs: number): boolean {
  return Math.abs(skewMs) > SKEW_MAX_MS
}

// A sentence for whoever starts a process. A clock that is days ahead would have it drop what is still
// needed, and to a wrong clock every bank's signature is out of date.
export async function findClockProblem(db: Queryable, clock: Clock): Promise<string | undefined> {
  const skewMs = await readSkewMs(db, clock)
  if (!isSkewed(skewMs)) return undefined
  const minutes = Math.round(Math.abs(skewMs) / MINUTE_MS)
  const side = skewMs > 0 ? 'ahead of' : 'behind'
  return `The clock of this machine is ${minutes} minutes ${side} the database server's. Set it right.`
}

// Logs when it goes wrong, and when it is right again.
export function createClockCheck(db: Queryable, clock: Clock, log: Logger): ClockCheck {
  let wasRight = true
  return async () => {
    const skewMs = await readSkewMs(db, clock)
    const isRight = !isSkewed(skewMs)
    if (wasRight && !isRight) log.error({ skewMs }, 'the clock differs from the database’s')
    if (!wasRight && isRight) log.info('the clock is right again')
    wasRight = isRight
    return isRight
  }
}

type Options = { checksClock?: boolean | undefined; clock: Clock; log: Logger }

export function clockCheckOf({ checksClock, clock, log }: Options, db: Queryable): ClockCheck {
  return checksClock ? createClockCheck(db, clock, log) : async () => true
}

// Whether the clock of this process is right, as far as the database's can tell. A process whose clock
// is wrong must not decide by it what cannot be undone: that a payment is over, that partitions may be
// dropped.
//
// More than five minutes is wrong: as far as signatures and closed days go too.
//
// Service and database may share one machine, whose clock is stepped: then the two agree, and all that
// was written before the step looks older or younger than it is. A step shows against the monotonic
// clock. By age nothing is decided until as much time has passed as the step was long, or the clock is
// stepped back.

import type { Clock } from '#clock.ts'
import type { Logger } from '#log.ts'
import type { Monotonic } from '#monotonic.ts'
import type { Queryable } from './pool.ts'

const MINUTE_MS = 60_000
export const SKEW_MAX_MS = 5 * MINUTE_MS
export const STEP_MAX_MS = MINUTE_MS

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

type Clocks = { clock: Clock; monotonic: Monotonic; log: Logger }

// Whether ages can be believed: the clock has not been stepped lately.
export function createStepCheck({ clock, monotonic, log }: Clocks): () => boolean {
  const readOffset = () => clock().getTime() - monotonic()
  let trustedMs = readOffset()
  let step: { offsetMs: number; seenAtMs: number } | undefined
  return () => {
    const offsetMs = readOffset()
    const stepMs = Math.abs(offsetMs - trustedMs)
    if (stepMs > STEP_MAX_MS) {
      if (!step || Math.abs(offsetMs - step.offsetMs) > STEP_MAX_MS) {
        step = { offsetMs, seenAtMs: monotonic() }
        log.error(
          { stepMs: offsetMs - trustedMs },
          'the clock was stepped: nothing is decided by age',
        )
      }
      if (monotonic() - step.seenAtMs < stepMs) return false
    }
    if (step) log.info('ages are believed again')
    step = undefined
    trustedMs = offsetMs
    return true
  }
}

type Options = { checksClock?: boolean | undefined; clock: Clock; log: Logger }

export function clockCheckOf({ checksClock, clock, log }: Options, db: Queryable): ClockCheck {
  return checksClock ? createClockCheck(db, clock, log) : async () => true
}

// Of workers that decide by age.
export function ageCheckOf(
  options: Options & { monotonic: Monotonic },
  isClockRight: ClockCheck,
): ClockCheck {
  if (!options.checksClock) return isClockRight
  const isSteady = createStepCheck(options)
  return async () => isSteady() && isClockRight()
}

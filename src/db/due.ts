// Decides whether work that waits for a stored time is due: a retry, the end of a pause or lease, a planned
// query.
//
// Such a time comes from the clock of some process, and that clock may have been wrong (I260). No wait is
// longer than its longest interval, so a time that is further ahead was written by a clock that ran ahead,
// and the work is due at once. Clocks that are SKEW_MAX_MS apart both count as right, so a time may be ahead
// by that much more.
//
// A time that is a promise or a fact is compared as it is: when a payment expires, when a hold or a case has
// its deadline, when a reserve is released, when a number may be issued again.

import { SKEW_MAX_MS } from './health.ts'

// `now` is the SQL of the current time. `longest` is the longest time that the work ever waits: milliseconds,
// or the SQL of an interval if it depends on the row.
type Wait = { now: string; longest: number | string }

const intervalOf = (longest: number | string) =>
  typeof longest === 'number' ? `interval '${longest + SKEW_MAX_MS} ms'` : skewed(longest)

const skewed = (interval: string) => `((${interval}) + interval '${SKEW_MAX_MS} ms')`

// SQL condition: the time `at` has come, or is further ahead than the work ever waits. Null if `at` is null.
// The two ranges let PostgreSQL use an index of the column.
export function isDue(at: string, { now, longest }: Wait): string {
  return `(${at} <= ${now} or ${at} > ${now}::timestamptz + ${intervalOf(longest)})`
}

// SQL condition: the work waits for the time `at`, as for the end of a lease or pause. False if `at` is null.
export function isWaiting(at: string, wait: Wait): string {
  return `(${isDue(at, wait)} is false)`
}

// SQL interval: the longest wait before an attempt, in milliseconds. The first attempt of the row (column
// `attempts`) is due as soon as it is queued.
export function waitOfAttempts(longestMs: number): string {
  return `case when attempts = 0 then interval '0' else interval '${longestMs} ms' end`
}

// Returns whether the time has come, or is further ahead than the work ever waits.
export function isTimeDue(at: Date, now: Date, longestMs: number): boolean {
  const aheadMs = at.getTime() - now.getTime()
  return aheadMs <= 0 || aheadMs > longestMs + SKEW_MAX_MS
}

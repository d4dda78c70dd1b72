// The retry schedule of webhook deliveries: when the next attempt is made.

import assert from 'node:assert/strict'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#clock.ts'

// The published retry schedule: ten attempts over about three days. The first step is the wait before the
// first attempt; each later step begins at the failure before it. Jitter only lengthens a step (by up to
// 10%), so the published times are the earliest. A receiver's `Retry-After` can postpone an attempt by a day
// at most; it never advances or adds an attempt.
export const RETRY_STEPS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const

export const ATTEMPTS_MAX = RETRY_STEPS_MS.length
const JITTER_MAX = 0.1
const RETRY_AFTER_SECONDS_MAX = 86_400

// The longest possible waits: for a step, and for a receiver's Retry-After.
export const WAITS_MAX = {
  stepsMs: RETRY_STEPS_MS.map((stepMs) => stepMs * (1 + JITTER_MAX)),
  retryAfterMs: RETRY_AFTER_SECONDS_MAX * SECOND_MS * (1 + JITTER_MAX),
}

// The longest wait before any attempt.
export const RETRY_WAIT_MAX_MS = Math.max(...WAITS_MAX.stepsMs, WAITS_MAX.retryAfterMs)

const HEADER_LENGTH_MAX = 64
// The three date formats of RFC 9110: IMF-fixdate, RFC 850, asctime (which names no zone).
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

// Returns the time of the next attempt, or null if no attempts remain. `jitter` is a random number from 0 to
// 1, drawn for each delivery, so that deliveries that failed together are not all retried at the same time.
export function nextAttemptAt({
  now,
  attemptsMade,
  jitter,
  retryAfterSeconds = 0,
}: {
  now: Date
  attemptsMade: number
  jitter: number
  retryAfterSeconds?: number | undefined
}): Date | null {
  assert(Number.isInteger(attemptsMade) && attemptsMade >= 0, 'attempts are counted')
  assert(jitter >= 0 && jitter <= 1, 'jitter is from 0 to 1')
  const stepMs = RETRY_STEPS_MS[attemptsMade]
  if (stepMs === undefined) return null
  const retryAfterMs = Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS_MAX) * SECOND_MS
  const waitMs = Math.max(stepMs, retryAfterMs) * (1 + JITTER_MAX * jitter)
  return new Date(now.getTime() + Math.round(waitMs))
}

// Parses a Retry-After header: a number of seconds, or a date, which is in GMT even if it names no zone.
// Returns the seconds from now, 0 for a past time, or undefined if the header is unreadable.
export function parseRetryAfter(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (text.length > HEADER_LENGTH_MAX) return undefined
  if (/^\d+$/.test(text)) return Math.min(Number(text), RETRY_AFTER_SECONDS_MAX)
  if (!HTTP_DATES.some((shape) => shape.test(text))) return undefined
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  if (Number.isNaN(atMs)) return undefined
  const seconds = Math.ceil((atMs - now.getTime()) / SECOND_MS)
  return Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX)
}

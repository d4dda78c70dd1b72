// A circuit breaker: a pure decision after some attempts to reach a webhook destination or a bank.
//
//   closed ──5 failures in a row──▶ paused ──time──▶ one probe ──success──▶ closed
//     ▲                                ▲                 │
//     │                                └────failure──────┘  (each pause twice as long, up to 5 min)
//   any success
//
// Failures during a pause were sent before it and are not counted. `disable` is for webhook
// destinations: after a 410 response, or after failing for five days without a success.

export const FAILURES_TO_PAUSE = 5
export const PAUSE_MIN_MS = 10_000
export const PAUSE_MAX_MS = 300_000
export const FAILING_MAX_MS = 5 * 86_400_000

export type Health = {
  failures: number
  failingSince: Date | null
  pausedUntil: Date | null
  dueAt: Date | null
}

export type Result = {
  isOk: boolean
  isGone: boolean // It answered 410.
  isProbe: boolean // The single attempt after a pause.
  nextAttemptAt: Date | null
}

export type Verdict = Health & { disable: 'gone' | 'failing' | null }

export function advanceBreaker(before: Health, results: readonly Result[], now: Date): Verdict {
  const health: Verdict = { ...before, disable: null }
  for (const result of results) {
    if (result.isOk) succeed(health, now)
    else fail(health, result, now)
  }
  const isFailing =
    health.failingSince !== null && now.getTime() - health.failingSince.getTime() >= FAILING_MAX_MS
  if (isFailing) health.disable ??= 'failing'
  return health
}

function succeed(health: Verdict, now: Date): void {
  if (health.pausedUntil) health.dueAt = now // Deliveries waited for the pause to end.
  health.failures = 0
  health.failingSince = null
  health.pausedUntil = null
}

function fail(health: Verdict, { isGone, isProbe, nextAttemptAt }: Result, now: Date): void {
  if (isGone) health.disable = 'gone'
  if (nextAttemptAt && (!health.dueAt || nextAttemptAt < health.dueAt)) {
    health.dueAt = nextAttemptAt
  }
  health.failingSince ??= now
  const isPaused = health.pausedUntil !== null && health.pausedUntil > now
  if (isPaused && !isProbe) return
  health.failures++
  if (health.failures < FAILURES_TO_PAUSE) return
  const doubled = PAUSE_MIN_MS * 2 ** Math.min(health.failures - FAILURES_TO_PAUSE, 10)
  health.pausedUntil = new Date(now.getTime() + Math.min(doubled, PAUSE_MAX_MS))
  if (isProbe) health.dueAt = now // The probe's claim had postponed it.
}

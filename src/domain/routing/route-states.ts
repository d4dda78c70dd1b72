// Whether a bank is used where none is named: a pure decision from how its calls go, by elapsed time.
//
//   in_use ──calls fail, or it falls silent──▶ left ──a call is answered, or it is heard──▶ returning
//     ▲                                         ▲                                              │  │
//     │                                         └──────────────────a call fails────────────────┘  │
//     └──────────────────────────────────────a minute without that────────────────────────────────┘
//
// It is left when at least two calls of the last minute failed, and half of all; while it returns, when one
// did. A bank that is left is tried with one order at growing intervals. One of which nothing is heard
// any more, not even failures, returns after ten minutes: nobody knows that it fails.

export const ROUTE_STATES = ['in_use', 'returning', 'left'] as const
export type RouteState = (typeof ROUTE_STATES)[number]

export type Slot = { at: number; answered: number; failed: number } // Of ten seconds.

export type Route = {
  state: RouteState
  since: Date
  reason: 'failing' | 'silent' | null // Why it is left.
  failedAt: Date | null
  retryAt: Date | null // While it is left: when one order may try it.
  timesLeft: number // Without having been used fully in between.
  recent: readonly Slot[]
}

export type Observed = {
  answered: number
  failed: number
  isSilent: boolean
  isTried?: boolean // An order was given to it as a trial.
}

export const WINDOW_MS = 60_000
export const FAILURES_TO_LEAVE = 2
export const RETRY_MIN_MS = 15_000
export const RETRY_MAX_MS = 300_000
export const RETURN_MS = 60_000
export const FORGET_MS = 600_000
const SLOT_MS = 10_000
const SHARE_MIN = 0.1

export function newRoute(now: Date): Route {
  const nothing = { reason: null, failedAt: null, retryAt: null, timesLeft: 0, recent: [] }
  return { state: 'in_use', since: now, ...nothing }
}

// 15 s, 30 s, … 5 min.
export function retryAfterMs(timesLeft: number): number {
  return Math.min(RETRY_MIN_MS * 2 ** Math.min(Math.max(timesLeft - 1, 0), 10), RETRY_MAX_MS)
}

export function shareOf({ state, since }: Pick<Route, 'state' | 'since'>, now: Date): number {
  if (state === 'left') return 0
  if (state === 'in_use') return 1
  return Math.min(1, Math.max(SHARE_MIN, elapsedMs(since, now) / RETURN_MS))
}

// A clock that was stepped back puts a trial off by no more than the longest interval.
export function isTrialDue({ state, retryAt }: Pick<Route, 'state' | 'retryAt'>, now: Date) {
  if (state !== 'left' || retryAt === null) return false
  const waitMs = retryAt.getTime() - now.getTime()
  return waitMs <= 0 || waitMs > RETRY_MAX_MS
}

export function advanceRoute(before: Route, observed: Observed, now: Date): Route {
  const recent = addSlot(before.recent, observed, now)
  const failedAt = observed.failed > 0 ? now : before.failedAt
  const route: Route = { ...before, recent, failedAt }
  if (route.state === 'left') return advanceLeft(route, observed, now)
  if (observed.isSilent) return leave(route, 'silent', now)
  if (isFailing(route)) return leave(route, 'failing', now)
  const isBack = route.state === 'returning' && elapsedMs(route.since, now) >= RETURN_MS
  return isBack ? { ...route, state: 'in_use', since: now, timesLeft: 0 } : route
}

function advanceLeft(route: Route, observed: Observed, now: Date): Route {
  const { answered, failed, isSilent, isTried = false } = observed
  if (route.reason === 'silent') {
    if (!isSilent) return failed > 0 ? { ...route, reason: 'failing' } : comeBack(route, now)
  } else {
    const isQuiet = elapsedMs(route.failedAt ?? route.since, now) >= FORGET_MS
    if (isSilent) return { ...route, reason: 'silent' }
    if ((answered > 0 && failed === 0) || isQuiet) return comeBack(route, now)
  }
  return isTried ? putOff(route, now) : route
}

export function putOff(route: Route, now: Date): Route {
  const timesLeft = route.timesLeft + 1
  return { ...route, timesLeft, retryAt: new Date(now.getTime() + retryAfterMs(timesLeft)) }
}

function comeBack(route: Route, now: Date): Route {
  return { ...route, state: 'returning', since: now, reason: null, retryAt: null, recent: [] }
}

function leave(route: Route, reason: 'failing' | 'silent', now: Date): Route {
  const left = putOff(route, now)
  return { ...left, state: 'left', since: now, reason, failedAt: route.failedAt, recent: [] }
}

function isFailing({ state, recent }: Route): boolean {
  const failed = recent.reduce((sum, slot) => sum + slot.failed, 0)
  const answered = recent.reduce((sum, slot) => sum + slot.answered, 0)
  const least = state === 'returning' ? 1 : FAILURES_TO_LEAVE
  return failed >= least && failed >= answered
}

function addSlot(
  recent: readonly Slot[],
  { answered, failed }: Observed,
  now: Date,
): readonly Slot[] {
  const at = Math.floor(now.getTime() / SLOT_MS) * SLOT_MS
  const kept = recent.filter((slot) => Math.abs(now.getTime() - slot.at) <= WINDOW_MS)
  if (answered === 0 && failed === 0) return kept
  const same = kept.find((slot) => slot.at === at) ?? { at, answered: 0, failed: 0 }
  const sum = { at, answered: same.answered + answered, failed: same.failed + failed }
  return [...kept.filter((slot) => slot.at !== at), sum]
}

// A moment that lies further ahead than clocks may differ was written before the clock was stepped back:
// waiting for it could take hours.
function elapsedMs(since: Date, now: Date): number {
  const ms = now.getTime() - since.getTime()
  return ms < -RETRY_MAX_MS ? Number.POSITIVE_INFINITY : ms
}

// The route to each bank: whether the bank is used for payments and payouts that name no bank, stored in
// bank_routes. A bank in state `left` is avoided.
//
// advanceRoute() decides the state. It is pure: it depends on the bank's recent calls and the elapsed time.
//
//   in_use ──calls fail, or it falls silent──▶ left ──a call is answered, or it reports──▶ returning
//     ▲                                         ▲                                              │  │
//     │                                         └──────────────────a call fails────────────────┘  │
//     └──────────────────────────────────────a minute without that────────────────────────────────┘
//
// A bank in use becomes avoided when at least two calls of the last minute failed, and no fewer failed than
// were answered. For a returning bank, one failed call is enough if none was answered. An avoided bank is
// tried with one order at growing intervals; an answered trial halves the number of doublings, so that a bank
// that loses some calls is not avoided for ever. If none of its calls has failed for ten minutes, it returns,
// because nothing shows that it still fails.

import type { CallCount, Direction } from '#banks/observe-calls.ts'
import { isTimeDue } from '#db/due.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { plainArray } from '#db/sql.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'

export const ROUTE_STATES = ['in_use', 'returning', 'left'] as const
export type RouteState = (typeof ROUTE_STATES)[number]

type Slot = { at: number; answered: number; failed: number } // The calls of ten seconds from `at` on, in ms.

export type Route = {
  state: RouteState
  since: Date
  reason: 'failing' | 'silent' | null // Why the state is `left`.
  failedAt: Date | null
  retryAt: Date | null // In state `left`: the time from which one order may try the bank.
  timesLeft: number // How often the bank became avoided or was tried, since it was last fully in use.
  recent: readonly Slot[] // The calls of the last minute.
}

// The calls to a bank that a process has observed since it last wrote them.
export type Observed = {
  answered: number
  failed: number
  isSilent: boolean
  isTried?: boolean // The bank was given an order as a trial.
}

export const WINDOW_MS = 60_000
const FAILURES_TO_LEAVE = 2
const RETRY_MIN_MS = 15_000
export const RETRY_MAX_MS = 300_000
export const RETURN_MS = 60_000
export const FORGET_MS = 600_000
const SLOT_MS = 10_000
const SHARE_MIN = 0.1

// The route of a bank about which nothing is recorded: it is in use.
export function newRoute(now: Date): Route {
  const nothing = { reason: null, failedAt: null, retryAt: null, timesLeft: 0, recent: [] }
  return { state: 'in_use', since: now, ...nothing }
}

// Returns the wait before the next trial. It doubles with each failed trial: 15 s, 30 s, … 5 min.
export function retryAfterMs(timesLeft: number): number {
  return Math.min(RETRY_MIN_MS * 2 ** Math.min(Math.max(timesLeft - 1, 0), 10), RETRY_MAX_MS)
}

// Returns the share of orders that a bank takes, from 0 to 1: none while it is avoided, all while it is in
// use. A returning bank takes a share that grows from a tenth to all within a minute.
export function shareOf({ state, since }: Pick<Route, 'state' | 'since'>, now: Date): number {
  if (state === 'left') return 0
  if (state === 'in_use') return 1
  return Math.min(1, Math.max(SHARE_MIN, elapsedMs(since, now) / RETURN_MS))
}

// Returns whether an avoided bank should get one order as a trial.
export function isTrialDue({ state, retryAt }: Pick<Route, 'state' | 'retryAt'>, now: Date) {
  return state === 'left' && retryAt !== null && isTimeDue(retryAt, now, RETRY_MAX_MS)
}

// Returns the route after a process has observed calls, silence or a trial.
export function advanceRoute(before: Route, observed: Observed, now: Date): Route {
  const recent = addSlot(before.recent, observed, now)
  const failedAt = observed.failed > 0 ? now : before.failedAt
  const route: Route = { ...before, recent, failedAt }
  if (route.state === 'left') return advanceAvoided(route, observed, now)
  if (observed.isSilent) return avoid(route, 'silent', now)
  if (isFailing(route)) return avoid(route, 'failing', now)
  const isBack = route.state === 'returning' && elapsedMs(route.since, now) >= RETURN_MS
  return isBack ? { ...route, state: 'in_use', since: now, timesLeft: 0 } : route
}

// Decides whether an avoided bank returns. A silent bank returns when it reports again; a failing bank, when
// a call is answered and none fails, or when no call has failed for ten minutes.
function advanceAvoided(route: Route, observed: Observed, now: Date): Route {
  const { answered, failed, isSilent, isTried = false } = observed
  if (route.reason === 'silent') {
    if (!isSilent) return failed > 0 ? { ...route, reason: 'failing' } : startReturning(route, now)
  } else {
    const hasNotFailedForLong = elapsedMs(route.failedAt ?? route.since, now) >= FORGET_MS
    if (isSilent) return { ...route, reason: 'silent' }
    if (answered > failed || hasNotFailedForLong) return startReturning(route, now)
  }
  return isTried ? postponeTrial(route, now) : route
}

// Plans the next trial, after a longer wait than the last.
function postponeTrial(route: Route, now: Date): Route {
  const timesLeft = route.timesLeft + 1
  return { ...route, timesLeft, retryAt: new Date(now.getTime() + retryAfterMs(timesLeft)) }
}

function startReturning(route: Route, now: Date): Route {
  const timesLeft = Math.max(1, Math.floor(route.timesLeft / 2))
  const back = { ...route, timesLeft, reason: null, retryAt: null, recent: [] }
  return { ...back, state: 'returning', since: now }
}

// Starts to avoid a bank, and plans its first trial.
function avoid(route: Route, reason: 'failing' | 'silent', now: Date): Route {
  const postponed = postponeTrial(route, now)
  return { ...postponed, state: 'left', since: now, reason, failedAt: route.failedAt, recent: [] }
}

// Whether the calls of the last minute show that the bank fails: no fewer failed than were answered, and at
// least FAILURES_TO_LEAVE failed. For a returning bank, one failed call is enough if none was answered.
function isFailing({ state, recent }: Route): boolean {
  const failed = recent.reduce((sum, slot) => sum + slot.failed, 0)
  const answered = recent.reduce((sum, slot) => sum + slot.answered, 0)
  const failuresNeeded = state === 'returning' && answered === 0 ? 1 : FAILURES_TO_LEAVE
  return failed >= failuresNeeded && failed >= answered
}

// Adds calls to the current ten seconds, and drops slots that are older than a minute.
function addSlot(
  recent: readonly Slot[],
  { answered, failed }: Observed,
  now: Date,
): readonly Slot[] {
  const at = Math.floor(now.getTime() / SLOT_MS) * SLOT_MS
  const slots = recent.filter((slot) => Math.abs(now.getTime() - slot.at) <= WINDOW_MS)
  if (answered === 0 && failed === 0) return slots
  const currentSlot = slots.find((slot) => slot.at === at) ?? { at, answered: 0, failed: 0 }
  const sum = { at, answered: currentSlot.answered + answered, failed: currentSlot.failed + failed }
  return [...slots.filter((slot) => slot.at !== at), sum]
}

// Returns the milliseconds from `since` to `now`. If `since` is more than RETRY_MAX_MS ahead, the clock was
// set back after it was stored. Returns infinity then, because waiting for that time could take hours.
function elapsedMs(since: Date, now: Date): number {
  const ms = now.getTime() - since.getTime()
  return ms < -RETRY_MAX_MS ? Number.POSITIVE_INFINITY : ms
}

// All processes share the routes. Each process adds the calls that it observed and decides the new state with
// advanceRoute(), with the row locked.
//
// Locks: rows of bank_routes, ordered by their keys.

export type BankRoute = Route & { bankCode: string; direction: Direction }
type Key = Pick<BankRoute, 'bankCode' | 'direction'>

const COLUMNS = `
  bank_code, direction, state, since, reason, failed_at, retry_at, times_left, recent`

type RouteNews = {
  counts: readonly CallCount[]
  tried: readonly string[] // Banks to which this process gave a payment as a trial.
}

// Adds the calls and trials that this process observed, and returns the routes of all banks. Writes nothing
// while every bank is in use and none was called.
export async function syncRoutes(
  db: Pool,
  now: Date,
  { counts, tried }: RouteNews,
): Promise<BankRoute[]> {
  const routes = await readRoutes(db)
  const silent = await readSilentBanks(db)
  const changing = new Map<string, Key>()
  const addKey = ({ bankCode, direction }: Key) =>
    changing.set(`${bankCode} ${direction}`, { bankCode, direction })
  for (const count of counts) addKey(count)
  for (const bankCode of silent) addKey({ bankCode, direction: 'in' })
  for (const route of routes) if (route.state !== 'in_use') addKey(route)
  if (changing.size === 0) return routes
  await withTransaction(db, async (tx) => {
    for (const before of await lockRoutes(tx, now, [...changing.values()])) {
      const { bankCode, direction } = before
      const isSameRoute = (key: Key) => key.bankCode === bankCode && key.direction === direction
      const { answered = 0, failed = 0 } = counts.find(isSameRoute) ?? {}
      const isSilent = direction === 'in' && silent.includes(bankCode)
      const isTried = direction === 'in' && tried.includes(bankCode)
      const after = advanceRoute(before, { answered, failed, isSilent, isTried }, now)
      await writeRoute(tx, { ...after, bankCode, direction })
    }
  })
  return readRoutes(db)
}

export async function readRoutes(db: Queryable): Promise<BankRoute[]> {
  const { rows } = await db.query<BankRoute>({
    name: 'read-bank-routes',
    text: `select ${COLUMNS} from bank_routes order by bank_code, direction`,
  })
  return rows
}

async function readSilentBanks(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ bankCode: string }>({
    name: 'read-silent-banks',
    text: `select bank_code from bank_health where silent_since is not null`,
  })
  return rows.map(({ bankCode }) => bankCode)
}

// Locks the routes, and creates those that do not exist, in use.
async function lockRoutes(tx: Transaction, now: Date, keys: readonly Key[]): Promise<BankRoute[]> {
  const keyColumns = [
    plainArray(keys.map(({ bankCode }) => bankCode)),
    plainArray(keys.map(({ direction }) => direction)),
  ]
  await tx.query({
    name: 'open-bank-routes',
    text: `insert into bank_routes (bank_code, direction, since)
           select k.*, $3 from unnest($1::text[], $2::text[]) as k (bank_code, direction)
            order by 1, 2
           on conflict do nothing`,
    values: [...keyColumns, newRoute(now).since],
  })
  const { rows } = await tx.query<BankRoute>({
    name: 'lock-bank-routes',
    text: `select ${COLUMNS} from bank_routes
            where (bank_code, direction) in (select * from unnest($1::text[], $2::text[]))
            order by bank_code, direction for no key update`,
    values: keyColumns,
  })
  return rows
}

async function writeRoute(tx: Transaction, route: BankRoute): Promise<void> {
  await tx.query({
    name: 'write-bank-route',
    text: `update bank_routes
              set state = $3, since = $4, reason = $5, failed_at = $6, retry_at = $7,
                  times_left = $8, recent = $9
            where bank_code = $1 and direction = $2`,
    values: [
      route.bankCode,
      route.direction,
      route.state,
      route.since,
      route.reason,
      route.failedAt,
      route.retryAt,
      route.timesLeft,
      JSON.stringify(route.recent),
    ],
  })
}

// Returns how many of `limit` payouts may be sent to the bank at once: all while it is in use; one while it
// is returning; one as a trial if it is avoided and a trial is due; otherwise none. Claiming a trial
// postpones the next one.
export async function claimOrders(
  tx: Transaction,
  now: Date,
  { bankCode, limit }: { bankCode: string; limit: number },
): Promise<number> {
  const { rows } = await tx.query<{ state: RouteState }>({
    name: 'read-order-route',
    text: `select state from bank_routes where bank_code = $1 and direction = 'out'`,
    values: [bankCode],
  })
  const state = rows[0]?.state ?? 'in_use'
  if (state === 'in_use') return limit
  if (state === 'returning') return Math.min(limit, 1)
  const [route] = await lockRoutes(tx, now, [{ bankCode, direction: 'out' }])
  if (!route || !isTrialDue(route, now)) return 0
  await writeRoute(tx, { ...postponeTrial(route, now), bankCode, direction: 'out' })
  return Math.min(limit, 1)
}

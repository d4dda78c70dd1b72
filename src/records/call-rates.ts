// Limits on outgoing calls: the rate of calls to each bank, the lock that stops payouts, and the circuit
// breaker of banks and webhook destinations.

import type { CallLimits } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import { SKEW_MAX_MS } from '#db/health.ts'
import type { Transaction } from '#db/transaction.ts'

// The rate of calls to a bank (I40). `ratePerSecond` limits requeries, payouts and payout queries of all
// processes together, because calls are claimed under the lock of the bank's row in bank_health. The rate is
// measured in real time, even while a test clock is set. A call that takes several requests claims each
// request (CallOptions.takeTurn).
//
// No kind of call starves another. A kind that finds no room waits in line. A claim of any kind leaves one
// call for each waiting kind, and the kind at the head of the line always gets at least one call.

const SECOND_MS = 1_000
// A waiting worker comes back within a second. A kind that stays away for longer than this loses its place in
// line.
const LAPSE_MS = 3_000
const KEPT_SECONDS = 4 // The calls of this many seconds are stored.

export type CallKind = 'payouts' | 'payout_queries' | 'requeries'

type WaitingKind = { kind: CallKind; at: string } // `at` is the time of its last claim.

type LockedBank = {
  bankCode: string
  calls: Date[]
  waiting: WaitingKind[] // In order of arrival.
  failures: number
  pausedUntil: Date | null
}

// Callers lock the bank before the rows that the calls are about.
export async function lockBank(tx: Transaction, bankCode: string): Promise<LockedBank> {
  const { rows } = await tx.query<LockedBank>({
    name: 'lock-bank-health',
    text: `insert into bank_health (bank_code) values ($1)
           on conflict (bank_code) do update set bank_code = excluded.bank_code
           returning bank_code, calls, waiting, failures, paused_until`,
    values: [bankCode],
  })
  return rows[0] as LockedBank
}

type CallClaim<Claim> = {
  bank: LockedBank
  kind: CallKind
  limits: CallLimits
  most: number // A limit in addition to the rate.
  claim: (limit: number) => Promise<Claim[]> // Each claim makes one call.
}

// For callers that need nothing else from the bank's row. Claims as many calls as one process makes
// concurrently.
export async function lockAndClaimCalls<Claim>(
  tx: Transaction,
  clock: Clock,
  { bankCode, ...claiming }: Omit<CallClaim<Claim>, 'bank' | 'most'> & { bankCode: string },
): Promise<Claim[]> {
  const { limits, claim } = claiming
  const most = limits.concurrency
  if (limits.ratePerSecond === Infinity) return claim(most)
  const bank = await lockBank(tx, bankCode)
  return claimCalls(tx, clock(), { ...claiming, bank, most })
}

// `now` is the real time, read under the lock.
export async function claimCalls<Claim>(
  tx: Transaction,
  now: Date,
  { bank, kind, limits, most, claim }: CallClaim<Claim>,
): Promise<Claim[]> {
  if (most <= 0) return []
  // Includes calls of a process whose clock is slightly ahead of ours, without waiting. Calls of a process
  // whose clock is further away stay stored for the processes that share that clock.
  const isWithin = (ms: number, at: Date) => Math.abs(now.getTime() - at.getTime()) < ms
  const storedCalls = bank.calls
    .filter((at) => isWithin(SKEW_MAX_MS, at))
    .slice(-KEPT_SECONDS * limits.ratePerSecond)
  const recent = storedCalls.filter((at) => isWithin(SECOND_MS, at))
  const line = bank.waiting.filter(({ at }) => isWithin(LAPSE_MS, new Date(at)))
  const others = line.filter((each) => each.kind !== kind)
  const place = line.findIndex((each) => each.kind === kind)
  const before = place < 0 ? others.length : place
  const room = limits.ratePerSecond - recent.length - before
  if (room <= 0) {
    const waiting = others.toSpliced(before, 0, { kind, at: now.toISOString() })
    await note(tx, { ...bank, calls: storedCalls, waiting })
    return []
  }
  const fair = Math.max(1, room - (others.length - before))
  const claims = await claim(Math.min(most, fair))
  if (limits.ratePerSecond === Infinity || (claims.length === 0 && place < 0)) return claims
  const calls = [...storedCalls, ...claims.map(() => now)]
  await note(tx, { ...bank, calls, waiting: others })
  return claims
}

async function note(
  tx: Transaction,
  { bankCode, calls, waiting }: Pick<LockedBank, 'bankCode' | 'calls' | 'waiting'>,
): Promise<void> {
  await tx.query({
    name: 'note-bank-calls',
    text: 'update bank_health set calls = $2, waiting = $3 where bank_code = $1',
    values: [bankCode, calls, JSON.stringify(waiting)],
  })
}

// The lock between senders of payouts and operations that stop payouts: a hold, or the suspension of a
// client. An operation that stops payouts waits for running claims, and every later claim sees the stop.
// Senders take this lock first.

const LOCK = `hashtext('payouts_held')`

// Waits for a hold or suspension that is being written. Called by workers that send payouts, and by exports
// of payout files.
export async function awaitHolders(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'await-payout-holders',
    text: `select pg_advisory_xact_lock_shared(${LOCK})`,
  })
}

// Waits for running claims of payouts. Called by operations that stop payouts.
export async function awaitSenders(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'await-payout-senders',
    text: `select pg_advisory_xact_lock(${LOCK})`,
  })
}

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
  isGone: boolean // The receiver answered 410.
  isProbe: boolean // The single attempt after a pause.
  nextAttemptAt: Date | null
}

export type Verdict = Health & { disable: 'gone' | 'failing' | null }

// A circuit breaker: a pure decision after some attempts to reach a webhook destination or a bank.
//
//   closed ──5 failures in a row──▶ paused ──time──▶ one probe ──success──▶ closed
//     ▲                                ▲                 │
//     │                                └────failure──────┘  (each pause twice as long, up to 5 min)
//   any success
//
// An attempt that fails during a pause was sent before the pause and is not counted. `disable` applies to
// webhook destinations: after a 410 response, or after failing for five days without a success.
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
  if (health.pausedUntil) health.dueAt = now // Deliveries waited for the end of the pause.
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
  if (isProbe) health.dueAt = now // The claim of the probe had postponed it.
}

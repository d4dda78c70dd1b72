// Three limits on outgoing calls, each explained below: the rate of calls to each bank, the lock by which an
// operator stops payouts, and the circuit breaker of banks and webhook destinations.

import type { CallLimits } from '#banks/connector.ts'
import { type Clock, SECOND_MS } from '#clock.ts'
import { isTimeDue, isWaiting } from '#db/due.ts'
import { SKEW_MAX_MS } from '#db/health.ts'
import type { Transaction } from '#db/transaction.ts'

// The rate of calls to a bank (I40). `ratePerSecond` limits requeries, payouts and payout queries of all
// processes together, because calls are claimed under the lock of the bank's row in bank_health. The rate is
// measured in real time, even while a test clock is set. A call that takes several requests claims each
// request (CallOptions.takeTurn).
//
// No kind of call starves another. A kind that finds no room waits in line. A claim of any kind leaves one
// call for each waiting kind, and the kind at the head of the line always gets at least one call.

// A waiting worker comes back within a second. A kind that stays away for longer than this loses its place in
// line.
const LAPSE_MS = 3_000
const KEPT_SECONDS = 4 // The calls of this many seconds are stored.

export type CallKind = 'payouts' | 'payout_queries' | 'requeries'

type WaitingKind = { kind: CallKind; at: string } // `at` is when it last tried to claim calls.

type LockedBank = {
  bankCode: string
  calls: Date[]
  waiting: WaitingKind[] // In order of arrival.
  failures: number
  pausedUntil: Date | null
}

// Locks the bank's row, and creates it if there is none. The update after a conflict changes nothing: it only
// locks the row and returns it. Callers lock the bank before the rows of the requeries or payouts that they
// ask the bank about.
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
  claimsMax: number // The most claims, even if the rate allows more.
  claim: (limit: number) => Promise<Claim[]> // Claims rows; the caller makes one call for each of them.
}

// Locks the bank and claims calls, for callers that need nothing else from the bank's row. Claims at most as
// many calls as one process may make concurrently. A bank without a rate limit is not locked.
export async function lockAndClaimCalls<Claim>(
  tx: Transaction,
  clock: Clock,
  { bankCode, ...claiming }: Omit<CallClaim<Claim>, 'bank' | 'claimsMax'> & { bankCode: string },
): Promise<Claim[]> {
  const { limits, claim } = claiming
  const claimsMax = limits.concurrency
  if (limits.ratePerSecond === Infinity) return claim(claimsMax)
  const bank = await lockBank(tx, bankCode)
  return claimCalls(tx, clock(), { ...claiming, bank, claimsMax })
}

// Claims as many calls as the bank's rate and the kinds in line allow, and stores their time. If there is no
// room, puts this kind in line and claims nothing. The caller has locked the bank. `now` is the real time,
// read under the lock.
export async function claimCalls<Claim>(
  tx: Transaction,
  now: Date,
  { bank, kind, limits, claimsMax, claim }: CallClaim<Claim>,
): Promise<Claim[]> {
  if (claimsMax <= 0) return []
  // The clocks of processes differ. A stored call counts if its time is within a second of ours, before or
  // after. Calls up to SKEW_MAX_MS away stay stored, because they may be recent by another process's clock.
  const isCloserThan = (ms: number, at: Date) => Math.abs(now.getTime() - at.getTime()) < ms
  const storedCalls = bank.calls
    .filter((at) => isCloserThan(SKEW_MAX_MS, at))
    .slice(-KEPT_SECONDS * limits.ratePerSecond)
  const recent = storedCalls.filter((at) => isCloserThan(SECOND_MS, at))
  const waitingLine = bank.waiting.filter(({ at }) => isCloserThan(LAPSE_MS, new Date(at)))
  const otherKinds = waitingLine.filter((waitingKind) => waitingKind.kind !== kind)
  const ownPlace = waitingLine.findIndex((waitingKind) => waitingKind.kind === kind)
  const kindsAhead = ownPlace < 0 ? otherKinds.length : ownPlace
  const freeCalls = limits.ratePerSecond - recent.length - kindsAhead
  if (freeCalls <= 0) {
    const waiting = otherKinds.toSpliced(kindsAhead, 0, { kind, at: now.toISOString() })
    await writeCalls(tx, { ...bank, calls: storedCalls, waiting })
    return []
  }
  // Leaves one call for each kind that waits behind this one, but claims at least one.
  const fairShare = Math.max(1, freeCalls - (otherKinds.length - kindsAhead))
  const claims = await claim(Math.min(claimsMax, fairShare))
  if (limits.ratePerSecond === Infinity || (claims.length === 0 && ownPlace < 0)) return claims
  const calls = [...storedCalls, ...claims.map(() => now)]
  await writeCalls(tx, { ...bank, calls, waiting: otherKinds })
  return claims
}

// Stores the recent calls of a bank, and the kinds of calls in line.
async function writeCalls(
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

// Waits for a hold or suspension that is being written, so that this transaction sees it. Called by workers
// that send payouts, and by exports of payout files.
export async function awaitHolders(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'await-payout-holders',
    text: `select pg_advisory_xact_lock_shared(${LOCK})`,
  })
}

// Waits until the workers that are claiming payouts have committed their claims. Called by operations that
// stop payouts.
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
  dueAt: Date | null // When the next delivery to a webhook destination is due. Null for a bank.
}

export type Result = {
  isOk: boolean
  isGone: boolean // The receiver answered 410.
  isProbe: boolean // The single attempt after a pause.
  nextAttemptAt: Date | null
}

// Returns whether the breaker pauses the receiver.
export function isPaused({ pausedUntil }: Pick<Health, 'pausedUntil'>, now: Date): boolean {
  return pausedUntil !== null && !isTimeDue(pausedUntil, now, PAUSE_MAX_MS)
}

// isPaused() as an SQL condition on a column.
export const isPausedUntil = (column: string, now: string) =>
  isWaiting(column, { now, longest: PAUSE_MAX_MS })

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
    if (result.isOk) recordSuccess(health, now)
    else recordFailure(health, result, now)
  }
  const isFailing =
    health.failingSince !== null && now.getTime() - health.failingSince.getTime() >= FAILING_MAX_MS
  if (isFailing) health.disable ??= 'failing'
  return health
}

// Ends the pause of a receiver that answered.
function recordSuccess(health: Verdict, now: Date): void {
  if (health.pausedUntil) health.dueAt = now // Deliveries waited for the end of the pause.
  health.failures = 0
  health.failingSince = null
  health.pausedUntil = null
}

// Counts a failed attempt, and pauses the receiver after FAILURES_TO_PAUSE failures in a row.
function recordFailure(
  health: Verdict,
  { isGone, isProbe, nextAttemptAt }: Result,
  now: Date,
): void {
  if (isGone) health.disable = 'gone'
  if (nextAttemptAt && (!health.dueAt || nextAttemptAt < health.dueAt)) {
    health.dueAt = nextAttemptAt
  }
  health.failingSince ??= now
  if (isPaused(health, now) && !isProbe) return
  health.failures++
  if (health.failures < FAILURES_TO_PAUSE) return
  const doubled = PAUSE_MIN_MS * 2 ** Math.min(health.failures - FAILURES_TO_PAUSE, 10)
  health.pausedUntil = new Date(now.getTime() + Math.min(doubled, PAUSE_MAX_MS))
  if (isProbe) health.dueAt = now // The claim of the probe had postponed it.
}

// Calls the identity service for the checks that are due. No transaction is open during a call. After a
// crash, a call may be repeated under the same reference.
//
// A circuit breaker protects a service that is down: checks stay queued, and after each pause one check is
// sent as a probe.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import {
  advanceBreaker,
  FAILURES_TO_PAUSE,
  type Health,
  isPaused,
  isPausedUntil,
} from '#records/call-rates.ts'
import { appendEvents } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from '#workers/loop.ts'
import { claimChecks, type DueCheck, isCheckDue, recordAnswer } from './checks.ts'
import type { IdentityAnswer, IdentityService } from './identity-api.ts'

const CALLS_AT_ONCE = 4
const LEASE_TIMEOUTS = 2 // A check is leased to a process for this many times the timeout of a call.
const ALERT = { kind: 'identity_service_down', subject: 'identity' } as const

// SQL condition: a check is due and the service is not paused.
export const HAS_DUE_CHECKS = `
  exists (select from identity_checks where ${isCheckDue('clock.now')})
  and not exists (select from identity_service where ${isPausedUntil('paused_until', 'clock.now')})`

export type VerifyDeps = {
  db: Pool
  clock: Clock
  sealer: Sealer
  identityService: IdentityService | undefined // If undefined, no identifier is verified.
  identityTimeoutMs: number
}

// Sends due checks to the identity service, and records the answers. `more` asks for another round at once,
// because more checks may be due.
export function verifyIdentitiesRound(deps: VerifyDeps): Round {
  const { db, clock, identityService, identityTimeoutMs } = deps
  return async (signal) => {
    if (!identityService) return { more: false }
    const { due, isProbe } = await withTransaction(db, (tx) => claimDueChecks(tx, deps))
    const answers = await Promise.all(
      due.map(async (check) => {
        const answer = await askService(identityService, check, identityTimeoutMs)
        await withTransaction(db, (tx) => recordAnswer(tx, clock, { check, answer }))
        return answer
      }),
    )
    if (answers.length > 0) {
      await withTransaction(db, (tx) => recordHealth(tx, clock(), { answers, isProbe }))
    }
    return { more: due.length === CALLS_AT_ONCE && !signal.aborted }
  }
}

// Asks the service, and returns `no_answer` even if the service throws or ignores its deadline.
async function askService(
  service: IdentityService,
  { question }: DueCheck,
  timeoutMs: number,
): Promise<IdentityAnswer> {
  const deadline = AbortSignal.timeout(timeoutMs)
  // Resolves to `no_answer` at the deadline, in case the service ignores the signal.
  const silence = new Promise<IdentityAnswer>((resolve) => {
    const reason = `no response within ${timeoutMs} ms`
    deadline.addEventListener('abort', () => resolve({ status: 'no_answer', reason }))
  })
  const answer = service(question, deadline).catch(
    (): IdentityAnswer => ({ status: 'no_answer', reason: 'the call failed' }),
  )
  return Promise.race([answer, silence])
}

type ServiceHealth = Omit<Health, 'dueAt'>

// Claims the checks to send now: none during a pause, and one after it (the probe). The lock on the service's
// health lets one process at a time claim. Claiming a probe starts a new pause, so that no second check is
// sent before the probe is answered.
async function claimDueChecks(tx: Transaction, { clock, sealer, identityTimeoutMs }: VerifyDeps) {
  const now = clock()
  const health = await lockHealth(tx)
  const isProbe = health.failures >= FAILURES_TO_PAUSE
  const leaseMs = LEASE_TIMEOUTS * identityTimeoutMs
  const limit = isProbe ? 1 : CALLS_AT_ONCE
  const due = isPaused(health, now) ? [] : await claimChecks(tx, { now, sealer, leaseMs, limit })
  if (isProbe && due.length > 0) {
    await writeHealth(tx, { ...health, pausedUntil: new Date(now.getTime() + leaseMs) })
  }
  return { due, isProbe }
}

// Locks and reads the state of the circuit breaker.
async function lockHealth(tx: Transaction): Promise<ServiceHealth> {
  const { rows } = await tx.query<ServiceHealth>({
    name: 'lock-identity-health',
    text: `select failures, failing_since, paused_until from identity_service for no key update`,
  })
  return rows[0] as ServiceHealth // The migration inserted the only row.
}

// Stores the state of the circuit breaker.
async function writeHealth(tx: Transaction, health: ServiceHealth): Promise<void> {
  await tx.query({
    name: 'write-identity-health',
    text: 'update identity_service set failures = $1, failing_since = $2, paused_until = $3',
    values: [health.failures, health.failingSince, health.pausedUntil],
  })
}

// Advances the circuit breaker with the answers of one round, and raises or clears the alert.
async function recordHealth(
  tx: Transaction,
  now: Date,
  { answers, isProbe }: { answers: readonly IdentityAnswer[]; isProbe: boolean },
): Promise<void> {
  const healthBefore = await lockHealth(tx)
  // `isGone`, `nextAttemptAt` and `dueAt` concern webhook destinations only.
  const results = answers.map(({ status }) => {
    return { isOk: status !== 'no_answer', isGone: false, isProbe, nextAttemptAt: null }
  })
  const newHealth = advanceBreaker({ ...healthBefore, dueAt: null }, results, now)
  if (healthBefore.failures === 0 && newHealth.failures === 0) return
  await writeHealth(tx, newHealth)
  if (newHealth.failures === 0) await clearAlert(tx, now, ALERT)
  if (newHealth.failures < FAILURES_TO_PAUSE) return
  const [reason] = answers.flatMap((answer) => {
    return answer.status === 'no_answer' ? answer.reason : []
  })
  await appendEvents(tx, now, await raiseAlerts(tx, now, [{ ...ALERT, detail: { reason } }]))
}

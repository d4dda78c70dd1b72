// Delivers webhooks. A round claims what is due and starts sending it; it does not wait for the
// answers, so that one slow receiver holds up nobody. Places that get free are filled from the
// lanes at once, and the next round is asked for before a lane runs dry.
//
// The lease is committed before the first byte is sent, and no transaction or connection is held
// while we wait on someone else's server. Killed, we leave leases that run out: a delivery may come
// twice, with the same id, never not at all.

import assert from 'node:assert/strict'
import type { Clock } from '#clock.ts'
import { Batcher } from '#db/batcher.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { claimDeliveries, LEASE_MS } from '#domain/delivery-claims.ts'
import { type AttemptOutcome, recordOutcomes, releaseClaims } from '#domain/delivery-results.ts'
import type { Rendering } from '#domain/event-bodies.ts'
import type { Logger } from '#log.ts'
import type { Sealer } from '#seal.ts'
import type { Wake } from '#wake.ts'
import { ATTEMPT_TIMEOUT_MS, type AttemptResult, attempt } from '#webhooks/attempt.ts'
import { nextAttemptAt, parseRetryAfter } from '#webhooks/retry-schedule.ts'
import { sign } from '#webhooks/signature.ts'
import { createGuardedAgent } from '#webhooks/target-guard.ts'
import { Lanes } from './delivery-lanes.ts'
import { Packer, type Parcel } from './delivery-parcels.ts'
import type { Round } from './loop.ts'

export type DelivererDeps = {
  webhookPool: Pool
  sealer: Sealer
  rendering: Rendering
  clock: Clock
  log: Logger
  wake: Wake // Our own, called when a lane runs low.
  random?: () => number
  timeoutMs?: number
}

export type Deliverer = {
  round: Round
  idle(): Promise<void>
  stop(): Promise<void>
}

// Claimed so long ago that the lease might end before the attempt does.
const LEASE_LEFT_MIN_MS = ATTEMPT_TIMEOUT_MS + 5_000
assert(LEASE_LEFT_MIN_MS < LEASE_MS / 2, 'a lease is for more than one attempt')

const RESULTS = { itemsMax: 500, inFlightMax: 2, queueMax: 100_000 }
const GONE = 410

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { webhookPool: pool, clock, log, wake, timeoutMs = ATTEMPT_TIMEOUT_MS } = deps
  const onError = (error: unknown) => log.error({ err: error }, 'deliveries could not be recorded')
  const agent = createGuardedAgent({ mode: deps.rendering.mode })
  const packer = new Packer({ ...deps, pool, onError })
  const inTransaction = { ...RESULTS, onError }
  const results = new Batcher<AttemptOutcome, boolean>({
    ...inTransaction,
    run: (outcomes) => withTransaction(pool, (tx) => recordOutcomes(tx, clock(), outcomes)),
  })
  const releases = new Batcher<Parcel, undefined>({
    ...inTransaction,
    run: async (parcels) => {
      const claims = parcels.map(({ claim }) => claim)
      await withTransaction(pool, (tx) => releaseClaims(tx, clock(), claims))
      return parcels.map(() => undefined)
    },
  })
  const lanes = new Lanes<Parcel>({
    start: (parcel) => void deliver(parcel),
    wants: () => wake.call(),
    nowMs: () => performance.now(),
  })
  let idle: (() => void)[] = []

  const round: Round = async (signal) => {
    const limits = lanes.limits()
    if (!limits || signal.aborted) return { more: false }
    const now = clock()
    const { claims, isFull } = await withTransaction(pool, (tx) => claimDeliveries(tx, now, limits))
    try {
      lanes.add(await packer.pack(claims, now))
    } catch (error) {
      await withTransaction(pool, (tx) => releaseClaims(tx, now, claims)).catch(() => {})
      throw error
    }
    return { more: isFull && claims.length > 0 }
  }

  async function deliver(parcel: Parcel): Promise<void> {
    const attemptedAt = clock()
    const leaseLeftMs = parcel.claim.leasedUntil.getTime() - attemptedAt.getTime()
    if (leaseLeftMs < LEASE_LEFT_MIN_MS) {
      lanes.dropped(parcel)
      return release([parcel])
    }
    const result = await send(parcel, attemptedAt)
    const refused = lanes.sent(parcel, result.ok)
    await Promise.all([record(parcel, attemptedAt, result), release(refused)])
  }

  async function send(parcel: Parcel, at: Date): Promise<AttemptResult> {
    const { claim, secrets } = parcel
    if (parcel.body === null) return notSent(parcel.problem)
    const timestamp = Math.floor(at.getTime() / 1000)
    const { body } = parcel
    const headers = {
      'webhook-id': claim.eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(secrets, claim.eventId, timestamp, body),
    }
    return attempt(agent, { url: claim.url, headers, body, timeoutMs })
  }

  // Should it fail, the lease runs out and the delivery is sent again.
  async function record(parcel: Parcel, attemptedAt: Date, result: AttemptResult) {
    const { ok: isOk, status, latencyMs, error, responseStart } = result
    const retryAt =
      isOk || status === GONE || parcel.body === null ? null : retryTime(parcel, result)
    const { claim } = parcel
    const outcome = { claim, attemptedAt, isOk, status, latencyMs, error, responseStart }
    await results.submit({ ...outcome, nextAttemptAt: retryAt }).catch(() => {})
    settle(parcel)
  }

  function retryTime({ claim }: Parcel, { retryAfter }: AttemptResult): Date | null {
    const now = clock()
    const jitter = (deps.random ?? Math.random)()
    return nextAttemptAt(now, claim.ladderStep + 1, jitter, parseRetryAfter(retryAfter, now))
  }

  async function release(parcels: readonly Parcel[]): Promise<void> {
    if (parcels.length === 0) return
    await releases.submitAll(parcels)
    for (const parcel of parcels) settle(parcel)
  }

  function settle(parcel: Parcel): void {
    lanes.settled(parcel)
    if (lanes.held > 0) return
    for (const resume of idle) resume()
    idle = []
  }

  // Resolves once everything that was claimed is sent and recorded.
  async function whenIdle(): Promise<void> {
    while (lanes.held > 0) await new Promise<void>((resume) => idle.push(resume))
  }

  // What is being sent is waited for (15 s at most); the rest is given back.
  async function stop(): Promise<void> {
    await release(lanes.takeQueued())
    await whenIdle()
    if (!agent.closed) await agent.close()
  }
  return { round, idle: whenIdle, stop }
}

function notSent(error: string): AttemptResult {
  const nothing = { status: null, responseStart: '', retryAfter: null }
  return { ok: false, latencyMs: 0, error, ...nothing }
}

// Dispatches events and delivers webhooks. The deliverer gets new deliveries from the dispatcher of its
// process, and claims all others in its rounds. It sends without waiting for responses, so that a slow
// receiver delays no other. Free slots are refilled from the queues, and the next round is requested before a
// queue runs dry.
//
// The lease is committed before the first byte is sent, and no transaction or connection is held while
// waiting for a receiver. After a crash, leases expire: delivery is at least once, with a stable id.

import assert from 'node:assert/strict'
import type { Agent } from 'undici'
import type { Clock } from '#clock.ts'
import { isTimeDue } from '#db/due.ts'
import type { Pool } from '#db/pool.ts'
import { isConnectionLost, withTransaction } from '#db/transaction.ts'
import { Batcher } from '#hot-path/batcher.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'
import type { Notifier } from '#notifier.ts'
import type { Sealer } from '#seal.ts'
import { createGuardedAgent, isExampleAddress } from '#ssrf-guard.ts'
import { sign, signatureHeaders, toUnixSeconds } from '#standard-webhooks.ts'
import type { Span, Tracer } from '#trace-context.ts'
import type { Round } from '#workers/loop.ts'
import { findDisturbed } from './chaos.ts'
import {
  type Claim,
  type ClaimLimits,
  claimDeliveries,
  correctSchedule,
  LEASE_MS,
} from './claims.ts'
import {
  afterDelivery,
  DeliveryConcurrency,
  DeliveryPreparer,
  disturbDeliveries,
  type PreparedDelivery,
  type SentDelivery,
} from './delivery-workers.ts'
import { dispatchWithCommit, findWaiting, type HandOver } from './dispatch.ts'
import { recordAttempts, releaseClaims } from './record-attempts.ts'
import type { Rendering } from './render.ts'
import { type StepDeps, stepReplays } from './replays.ts'
import { nextAttemptAt, parseRetryAfter, WAITS_MAX } from './retry-schedule.ts'
import { ATTEMPT_TIMEOUT_MS, type AttemptResult, attemptDelivery } from './send.ts'
import type { AttemptOutcome } from './states.ts'

export type DelivererDeps = {
  webhookPool: Pool
  sealer: Sealer
  rendering: Rendering
  clock: Clock
  log: Logger
  notifier: Notifier // The deliverer calls it when a queue runs low, which starts the next round.
  random?: () => number
  timeoutMs?: number
  graceMs?: number // When the worker stops, it waits this long for deliveries in flight.
  tracer?: Tracer | undefined
  signingClock?: Clock // Always real time: receivers compare the signed time with their own clock.
}

// An attempt starts only if at least this much time of its lease is left, so that the attempt ends before the
// lease does.
const LEASE_LEFT_MIN_MS = ATTEMPT_TIMEOUT_MS + 5_000
assert(LEASE_LEFT_MIN_MS < LEASE_MS / 2, 'a lease is for more than one attempt')

const GRACE_MS = 3_000
// How often schedules that a wrong clock may have made are corrected. When our clock is set back, they are
// corrected at once, and again after CORRECT_AGAIN_MS, because the clocks of other processes may be set back
// a moment later and still schedule by the wrong time.
const CORRECT_EVERY_MS = 300_000
const CORRECT_AGAIN_MS = 10_000
const SET_BACK_MIN_MS = 1_000
const RESULTS = { itemsMax: 500, inFlightMax: 2, queueMax: 100_000 }
const GONE = 410
const EXAMPLE = 'not sent: this host is reserved for examples (RFC 2606)'

export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #agent: Agent
  readonly #preparer: DeliveryPreparer
  readonly #concurrency: DeliveryConcurrency<PreparedDelivery>
  readonly #results: Batcher<AttemptOutcome, boolean>
  readonly #releases: Batcher<PreparedDelivery, undefined>
  readonly #stopping = new AbortController()
  readonly #takenOver: Claim[] = []
  #preparing: Promise<void> | undefined
  #isStopping = false
  #idle: (() => void)[] = []
  #lastWorkMs = 0 // The time of the last claim or hand-over, by which a clock set back is noticed.
  #correctAt = new Date(0)

  constructor(deps: DelivererDeps) {
    const { webhookPool: pool, clock, log, notifier } = deps
    const onError = (err: unknown) => log.error({ err }, 'failed to record deliveries')
    this.#deps = deps
    this.#agent = createGuardedAgent({ mode: deps.rendering.mode })
    this.#preparer = new DeliveryPreparer({ ...deps, pool, onError })
    this.#concurrency = new DeliveryConcurrency({
      start: (prepared) => void this.#deliver(prepared),
      requestClaim: () => notifier.call(),
      nowMs: () => performance.now(),
    })
    this.#results = new Batcher({
      ...RESULTS,
      onError,
      run: (outcomes) => withTransaction(pool, (tx) => recordAttempts(tx, clock(), outcomes)),
    })
    this.#releases = new Batcher({
      ...RESULTS,
      onError,
      run: async (preparedDeliveries) => {
        const claims = preparedDeliveries.map(({ claim }) => claim)
        await withTransaction(pool, (tx) => releaseClaims(tx, clock(), claims))
        return preparedDeliveries.map(() => undefined)
      },
    })
  }

  // One round of the worker: claims due deliveries and starts to send them. Asks for another round if more
  // destinations may be waiting.
  readonly round: Round = async (signal) => {
    const limits = this.#concurrency.limits()
    if (!limits || signal.aborted) return { more: false }
    const { claimed, isFull } = await this.#claimAndStart(this.#deps.clock(), limits)
    return { more: isFull && claimed > 0 }
  }

  // Makes all due attempts, for a move of the test clock. Returns their number once all of them are recorded.
  async deliverNow(): Promise<number> {
    const limits = this.#concurrency.limits()
    if (!limits) return 0
    const { claimed } = await this.#claimAndStart(this.#deps.clock(), limits)
    await this.idle()
    return claimed
  }

  // Returns the room for deliveries that the dispatcher of this process may hand over with takeOver().
  handOver(): HandOver | undefined {
    return this.#isStopping ? undefined : this.#concurrency.handOver()
  }

  // Starts to send deliveries that the dispatcher has leased to this process. Waits only for their release if
  // the worker is stopping. While some are being prepared, those that follow wait, and are prepared together.
  async takeOver(claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return
    if (this.#isStopping) return this.#releaseUnsent(claims)
    this.#lastWorkMs = Math.max(this.#lastWorkMs, this.#deps.clock().getTime())
    this.#concurrency.hold(claims)
    this.#takenOver.push(...claims)
    this.#preparing ??= this.#startTakenOver()
  }

  async #startTakenOver(): Promise<void> {
    while (this.#takenOver.length > 0) {
      await this.#start(this.#takenOver.splice(0), this.#deps.clock()).catch((err) =>
        this.#deps.log.error({ err }, 'failed to prepare deliveries'),
      )
    }
    this.#preparing = undefined
  }

  // Claims due deliveries and starts to send them.
  async #claimAndStart(now: Date, limits: ClaimLimits) {
    const { webhookPool: pool } = this.#deps
    await this.#correctIfDue(now)
    const { claims, isFull } = await withTransaction(pool, (tx) => claimDeliveries(tx, now, limits))
    this.#concurrency.hold(claims)
    await this.#start(claims, now)
    return { claimed: claims.length, isFull }
  }

  // Prepares deliveries, applies chaos settings, and queues them in #concurrency, which starts as many as
  // there are free slots. Releases the claims if a step fails.
  async #start(claims: readonly Claim[], now: Date): Promise<void> {
    try {
      const { webhookPool: pool, rendering } = this.#deps
      const [prepared, disturbed] = await Promise.all([
        this.#preparer.prepare(claims, now),
        rendering.mode === 'live' ? [] : findDisturbed(pool, claims),
      ])
      const toSend = await disturbDeliveries(this.#deps, prepared, disturbed)
      this.#concurrency.add(toSend)
      const started = new Set(toSend.map(({ claim }) => claim))
      for (const claim of claims) if (!started.has(claim)) this.#settle(claim)
    } catch (error) {
      await this.#releaseUnsent(claims).catch(() => {})
      for (const claim of claims) this.#settle(claim)
      throw error
    }
  }

  async #releaseUnsent(claims: readonly Claim[]): Promise<void> {
    const { webhookPool: pool, clock } = this.#deps
    await withTransaction(pool, (tx) => releaseClaims(tx, clock(), claims))
  }

  // Corrects the delivery schedule if the clock was set back, or every few minutes. After a failure the next
  // round corrects it: the times by which this one was due are stored only after it has succeeded (I260).
  async #correctIfDue(now: Date): Promise<void> {
    const nowMs = now.getTime()
    const isSetBack = nowMs < this.#lastWorkMs - SET_BACK_MIN_MS
    if (isSetBack || isTimeDue(this.#correctAt, now, CORRECT_EVERY_MS)) {
      await this.#correct(now, isSetBack ? CORRECT_AGAIN_MS : CORRECT_EVERY_MS)
    }
    this.#lastWorkMs = nowMs
  }

  // Corrects the delivery schedule, and plans the next correction.
  async #correct(now: Date, waitMs: number): Promise<void> {
    const { webhookPool: pool, log } = this.#deps
    const { deliveries, queues, isFull } = await withTransaction(pool, (tx) =>
      correctSchedule(tx, now, WAITS_MAX),
    )
    this.#correctAt = new Date(isFull ? 0 : now.getTime() + waitMs)
    if (deliveries > 0) log.warn({ deliveries }, 'rescheduled deliveries after a clock change')
    if (queues > 0) log.warn({ queues }, 'made queues of webhooks due that had been forgotten')
  }

  // Resolves once no claimed delivery is waiting, being sent or being recorded.
  async idle(): Promise<void> {
    while (this.#concurrency.held > 0) await new Promise<void>((resume) => this.#idle.push(resume))
  }

  // Waits briefly for deliveries in flight. Releases those without a response, and those not
  // started, for another process.
  readonly stop = async (): Promise<void> => {
    this.#isStopping = true
    await this.#preparing
    await this.#release(this.#concurrency.takeQueued())
    const timer = setTimeout(() => this.#stopping.abort(), this.#deps.graceMs ?? GRACE_MS)
    await this.idle()
    clearTimeout(timer)
    if (!this.#agent.closed) await this.#agent.close()
  }

  // Sends one delivery and records the result. Releases it unsent if too little of its lease is left. An
  // attempt that the stopping worker cut off is released too, because its outcome is unknown.
  async #deliver(prepared: PreparedDelivery): Promise<void> {
    const attemptedAt = this.#deps.clock()
    const leaseLeftMs = prepared.claim.leasedUntil.getTime() - attemptedAt.getTime()
    if (leaseLeftMs < LEASE_LEFT_MIN_MS) {
      this.#concurrency.dropped(prepared)
      return this.#release([prepared])
    }
    const result = await this.#send(prepared, attemptedAt)
    // An example address is no failure of the destination, although nothing was sent to it.
    const isOk = result.ok || result.isExample === true
    const unsentItems = this.#concurrency.attemptEnded(prepared, isOk)
    const wasCutOff = this.#stopping.signal.aborted && result.status === null
    if (wasCutOff) return this.#release([prepared, ...unsentItems])
    await Promise.all([this.#record(prepared, attemptedAt, result), this.#release(unsentItems)])
  }

  // Signs a delivery and makes the attempt. Sends nothing if the event could not be rendered or, in a
  // sandbox, to an example address.
  async #send(prepared: PreparedDelivery, at: Date): Promise<SentDelivery> {
    const { claim, secrets, body } = prepared
    if (body === null) return notSent(prepared.problem)
    if (this.#deps.rendering.mode === 'sandbox' && isExampleAddress(claim.url)) {
      return { ...notSent(EXAMPLE), isExample: true }
    }
    const signedAt = this.#deps.signingClock?.() ?? at
    const signature = sign({
      secrets,
      id: claim.eventId,
      timestampSeconds: toUnixSeconds(signedAt),
      body,
    })
    const span = this.#startSpan(prepared)
    const headers = {
      ...signatureHeaders(claim.eventId, signedAt, signature),
      ...(span ? { traceparent: span.traceparent } : {}), // The receiver's spans join the same trace.
    }
    const { timeoutMs = ATTEMPT_TIMEOUT_MS } = this.#deps
    const { signal } = this.#stopping
    const result = await attemptDelivery(this.#agent, {
      url: claim.url,
      headers,
      body,
      timeoutMs,
      signal,
    })
    if (result.status !== null) span?.set({ 'http.response.status_code': result.status })
    span?.end(result.ok ? undefined : { code: result.status ?? 'no_answer' })
    return { ...result, signature }
  }

  // The span names only the receiver's host, because the rest of the URL may contain a secret.
  #startSpan({ claim, traceparent }: PreparedDelivery): Span | undefined {
    if (traceparent === undefined) return undefined
    return this.#deps.tracer?.start('webhook delivery', {
      parent: traceparent,
      kind: 'client',
      attributes: {
        'http.request.method': 'POST',
        'server.address': URL.parse(claim.url)?.hostname ?? '',
        'manilla.event_id': claim.eventId,
        'manilla.attempt': claim.attempts + 1,
      },
    })
  }

  // Records the result of an attempt and plans the next one. If recording fails, the lease expires and the
  // delivery is sent again.
  async #record(
    prepared: PreparedDelivery,
    attemptedAt: Date,
    result: SentDelivery,
  ): Promise<void> {
    const { ok: isOk, status, latencyMs, error, responseStart, signature } = result
    const { isExample = false } = result
    const hasNoRetry = isOk || status === GONE || prepared.body === null || isExample
    const nextAttemptAt = hasNoRetry ? null : this.#retryAt(prepared, result)
    const { claim } = prepared
    const attemptResult = { isOk, status, latencyMs, error, responseStart }
    const outcome = { claim, attemptedAt, signature, ...attemptResult, nextAttemptAt, isExample }
    await this.#results.submit(outcome).catch(() => {})
    if (prepared.disturbance) await this.#finishDisturbed(prepared, isOk)
    this.#settle(prepared.claim)
  }

  // Applies what the endpoint's chaos settings do after a delivery. A failure is only logged.
  async #finishDisturbed(prepared: PreparedDelivery, isOk: boolean): Promise<void> {
    const send = (repeated: PreparedDelivery, at: Date) => this.#send(repeated, at)
    const attempt = { send, signal: this.#stopping.signal, isOk }
    await afterDelivery(this.#deps, prepared, attempt).catch((err) =>
      this.#deps.log.error({ err }, 'failed to disturb a delivery'),
    )
  }

  // Returns the time of the next attempt; null after the last.
  #retryAt({ claim }: PreparedDelivery, { retryAfter }: AttemptResult): Date | null {
    const { clock, random = Math.random } = this.#deps
    const now = clock()
    return nextAttemptAt({
      now,
      attemptsMade: claim.ladderStep + 1,
      jitter: random(),
      retryAfterSeconds: parseRetryAfter(retryAfter, now),
    })
  }

  // Ends the claims of deliveries that were not sent, so that another worker may claim them.
  async #release(preparedDeliveries: readonly PreparedDelivery[]): Promise<void> {
    if (preparedDeliveries.length === 0) return
    await this.#releases.submitAll(preparedDeliveries)
    for (const { claim } of preparedDeliveries) this.#settle(claim)
  }

  // Forgets a delivery that was recorded or released, and wakes idle() after the last.
  #settle(claim: Claim): void {
    this.#concurrency.settled(claim)
    if (this.#concurrency.held > 0) return
    for (const resume of this.#idle.splice(0)) resume()
  }
}

// Returns the result of a delivery for which no request was made.
function notSent(error: string): SentDelivery {
  const noAnswer = { status: null, responseStart: '', retryAfter: null, signature: null }
  return { ok: false, latencyMs: 0, error, ...noAnswer }
}

type DispatcherDeps = {
  webhookPool: Pool
  clock: Clock
  log: Logger
  notifier: Notifier // The dispatcher calls it when deliveries wait to be claimed.
  deliverer?: Pick<Deliverer, 'handOver' | 'takeOver'> // Runs in this process. Default: all are claimed.
}

// Dispatches new events to their destinations, and hands the deliveries to the deliverer of this process or
// wakes it to claim them. Dispatches all clients together, but one by one after a failure, so that one
// client's bad event does not block the others.
export function dispatchEventsRound({
  webhookPool: pool,
  clock,
  log,
  notifier,
  deliverer,
}: DispatcherDeps): Round {
  // Dispatches the events of one client, or of all clients. Returns whether there were any events.
  const dispatch = async (clientId?: ClientId) => {
    const handOver = deliverer?.handOver()
    const { events, deliveries, claims } = await withTransaction(pool, (tx) =>
      dispatchWithCommit(tx, clock(), { clientId, handOver }),
    )
    await deliverer?.takeOver(claims)
    if (deliveries > claims.length) notifier.call()
    return events > 0
  }

  return async () => {
    try {
      return { more: await dispatch() }
    } catch (error) {
      if (isConnectionLost(error)) throw error
      log.error({ err: error }, 'failed to dispatch events; retrying client by client')
    }
    let more = false
    for (const clientId of await findWaiting(pool)) {
      try {
        more = (await dispatch(clientId)) || more
      } catch (error) {
        log.error(
          { err: error, client: clientId.toString() },
          'failed to dispatch events of a client',
        )
      }
    }
    return { more }
  }
}

// Takes a step of some replays. Never asks for another round at once: the pause between rounds leaves the
// database to others.
export function stepReplaysRound(deps: StepDeps): Round {
  return async (signal) => {
    await stepReplays(deps, signal)
    return { more: false }
  }
}

// Parts of the delivery worker (workers.ts): prepares claimed deliveries, applies chaos settings, and limits
// the concurrency of each destination.

import type { Clock } from '#clock.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { isUnavailable, withTransaction } from '#db/transaction.ts'
import type { DestinationId, EventId } from '#ids.ts'
import type { Notifier } from '#notifier.ts'
import { FAILURES_TO_PAUSE } from '#records/call-rates.ts'
import { findEventTraces } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { loadSecret, type SigningSecret } from '#standard-webhooks.ts'
import type { Tracer } from '#trace-context.ts'
import {
  applyChaos,
  type Disturbance,
  type Repeat,
  recordRepeats,
  releaseOvertaken,
} from './chaos.ts'
import type { Claim, ClaimLimits } from './claims.ts'
import type { HandOver } from './dispatch.ts'
import { EVENT_COLUMNS, type StoredEvent } from './events.ts'
import { type Rendering, renderEvents } from './render.ts'
import { findSigningSecrets, ownerName, type SecretOwner } from './secrets.ts'
import type { AttemptResult } from './send.ts'

export type PreparedDelivery = {
  claim: Claim
  secrets: SigningSecret[]
  traceparent: string | undefined // The trace of the event, if it was sampled.
  disturbance?: Disturbance // Set by the endpoint's chaos settings.
} & ({ body: Buffer } | { body: null; problem: string })

type DeliveryPreparerOptions = {
  pool: Queryable
  sealer: Sealer
  rendering: Rendering
  onError: (error: unknown) => void
  tracer?: Tracer | undefined
}

const SECRETS_KEPT_MAX = 10_000
const NOT_KEPT = 'event no longer retained'
const NOT_PREPARED = 'event could not be rendered'

export class DeliveryPreparer {
  readonly #deps: DeliveryPreparerOptions
  // Secrets are cached by row id, because rows never change and opening a secret costs more than signing.
  readonly #opened = new Map<bigint, SigningSecret>()

  constructor(deps: DeliveryPreparerOptions) {
    this.#deps = deps
  }

  // Renders the bodies of claimed deliveries and finds the secrets that sign them. A delivery whose event is
  // gone or cannot be rendered gets no body but the problem.
  async prepare(claims: readonly Claim[], now: Date): Promise<PreparedDelivery[]> {
    if (claims.length === 0) return []
    const { pool, tracer } = this.#deps
    const ids = [...new Set(claims.map(({ eventId }) => eventId))].sort()
    const [bodies, secrets, traces] = await Promise.all([
      this.#findBodies(claims),
      this.#findSecrets(claims, now),
      tracer && findEventTraces(pool, ids),
    ])
    return claims.map((claim) => {
      const signing = secretOwners(claim).flatMap((owner) => secrets.get(ownerName(owner)) ?? [])
      const body = bodies.get(claim.eventId)
      const traceparent = traces?.get(claim.eventId)
      if (body) return { claim, secrets: signing, traceparent, body }
      const problem = body === null ? NOT_PREPARED : NOT_KEPT
      return { claim, secrets: signing, traceparent, body: null, problem }
    })
  }

  // Returns the body of each event by its id: null if it cannot be rendered, undefined if the event is gone.
  async #findBodies(claims: readonly Claim[]): Promise<Map<EventId, Buffer | null>> {
    const known = new Map(claims.flatMap(({ event }) => (event ? [[event.id, event]] : [])))
    const missing = claims
      .filter(({ eventId }) => !known.has(eventId))
      .map(({ eventId }) => eventId)
    const found = await findEvents(this.#deps.pool, [...new Set(missing)].sort())
    const events = [...known.values(), ...found]
    const rendered = await this.#render(events)
    return new Map(events.map(({ id }) => [id, rendered.get(id) ?? null]))
  }

  // Returns the rendered bodies by event id. After a failure it renders the events one by one, because an
  // event that cannot be rendered must not stop the others.
  async #render(events: readonly StoredEvent[]): Promise<Map<string, Buffer>> {
    const { pool, sealer, rendering, onError } = this.#deps
    try {
      const bodies = await renderEvents(pool, { sealer, events, rendering })
      return new Map(bodies.map((body) => [body.id, Buffer.from(JSON.stringify(body))]))
    } catch (error) {
      if (isUnavailable(error)) throw error
      if (events.length === 1) onError(error)
      if (events.length <= 1) return new Map()
    }
    const renderedSingly: [string, Buffer][] = []
    for (const event of events) renderedSingly.push(...(await this.#render([event])))
    return new Map(renderedSingly)
  }

  // Returns the secrets of the claims' owners, opened, by owner.
  async #findSecrets(claims: readonly Claim[], now: Date): Promise<Map<string, SigningSecret[]>> {
    const { pool, sealer } = this.#deps
    const owners = new Map(claims.flatMap(secretOwners).map((owner) => [ownerName(owner), owner]))
    const sealedSecrets = await findSigningSecrets(pool, {
      sealer,
      now,
      owners: [...owners.values()],
    })
    if (this.#opened.size > SECRETS_KEPT_MAX) this.#opened.clear()
    const byOwner = new Map<string, SigningSecret[]>()
    for (const { id, sealed, ...owner } of sealedSecrets) {
      const secret = this.#opened.get(id) ?? loadSecret(sealer.open(sealed))
      this.#opened.set(id, secret)
      const name = ownerName(owner)
      byOwner.set(name, [...(byOwner.get(name) ?? []), secret])
    }
    return byOwner
  }
}

// Each endpoint has its own secret; deliveries to a notificationUrl or callBackUrl are signed with the
// client's secret. A delivery that serves both is signed with both.
function secretOwners({ clientId, endpointId, kind }: Claim): SecretOwner[] {
  const owners: SecretOwner[] = []
  if (endpointId !== null) owners.push({ clientId, endpointId })
  if (kind !== 'endpoint') owners.push({ clientId, endpointId: null })
  return owners
}

// Reads the events of deliveries. `ids` are sorted: the query is bounded by the first and the last, so that
// PostgreSQL reads only the partitions between them.
async function findEvents(db: Queryable, ids: readonly EventId[]): Promise<StoredEvent[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<StoredEvent>({
    name: 'events-to-deliver',
    text: `select ${EVENT_COLUMNS} from events e
            where e.id = any($1::uuid[]) and e.id between $2 and $3`,
    values: [ids, ids[0], ids.at(-1)],
  })
  return rows
}

type Deps = {
  webhookPool: Pool
  rendering: Rendering
  clock: Clock
  notifier: Notifier
  random?: () => number
}

export type SentDelivery = AttemptResult & { signature: string | null; isExample?: boolean }
type Send = (prepared: PreparedDelivery, at: Date) => Promise<SentDelivery>

// Applies the chaos settings of webhook endpoints before deliveries, and returns the deliveries to send. Does
// nothing in live mode, or for endpoints without settings. `disturbed` are the claims of endpoints that have
// settings.
export async function disturbDeliveries(
  { webhookPool, clock, random = Math.random }: Deps,
  prepared: readonly PreparedDelivery[],
  disturbed: readonly Claim[],
): Promise<readonly PreparedDelivery[]> {
  const sendable = new Set(prepared.flatMap(({ claim, body }) => (body ? [claim] : [])))
  const claims = disturbed.filter((claim) => sendable.has(claim))
  if (claims.length === 0) return prepared
  const disturbances = await withTransaction(webhookPool, (tx) =>
    applyChaos(tx, { now: clock(), random }, claims),
  )
  const disturbedClaims = new Set(claims)
  return prepared.flatMap((delivery) => {
    if (!disturbedClaims.has(delivery.claim)) return [delivery]
    const disturbance = disturbances.get(delivery.claim)
    return disturbance ? [{ ...delivery, disturbance }] : []
  })
}

// Applies the chaos settings of webhook endpoints after a delivery, which the caller has recorded. A failure
// here is harmless.
export async function afterDelivery(
  { webhookPool, clock, notifier }: Deps,
  prepared: PreparedDelivery,
  { send, signal, isOk }: { send: Send; signal: AbortSignal; isOk: boolean },
): Promise<void> {
  const { claim, disturbance } = prepared
  if (!disturbance) return
  const { overtakes: eventId, repeats: times } = disturbance
  const repeats: Repeat[] = []
  while (isOk && repeats.length < times && !signal.aborted) {
    const attemptedAt = clock()
    repeats.push({ ...(await send(prepared, attemptedAt)), attemptedAt })
  }
  await withTransaction(webhookPool, async (tx) => {
    if (repeats.length > 0) await recordRepeats(tx, claim, repeats)
    if (eventId === null) return
    await releaseOvertaken(tx, clock(), { eventId, destinationId: claim.destinationId })
  })
  if (eventId !== null) notifier.call()
}

export const WIDTH_MAX = 32 // The most deliveries in flight to one destination.
// Waiting for a response costs a socket and some kilobytes, but no processor time. So there are enough slots
// for a thousand receivers that hang and as many others.
export const IN_FLIGHT_MAX = 2_048
const FAILING_MAX = IN_FLIGHT_MAX / 2
const HELD_MAX = 2 * IN_FLIGHT_MAX // The most deliveries that are queued here, being sent or being recorded.
const CLAIMED_AHEAD = 4 // Claims this many times the width, so that no destination idles during a claim.
const RESERVED_ROOM = 200 // The part of HELD_MAX that is kept free for new destinations.
const OTHER_ROOM = 1 // The room of a destination to which nothing was sent lately.
const FORGET_AFTER_MS = 10_000

type Destination<T> = {
  width: number
  inFlight: number
  held: number
  failures: number // Failures in a row.
  hasMore: boolean
  queue: T[]
  usedMs: number
}

// `start` starts one delivery; `requestClaim` asks the worker to claim more deliveries soon.
type Options<T> = { start: (item: T) => void; requestClaim: () => void; nowMs: () => number }

// Limits the concurrency of each destination: how many deliveries are claimed, and how many are in flight.
// Independent of HTTP and the database.
//
// The width starts at one and doubles on success, like TCP slow start, so that a hanging destination wastes
// one slot and not thirty. A failure halves it. Failing destinations together get at most half of the slots,
// so that healthy ones always find a free one.
export class DeliveryConcurrency<T extends { claim: Claim }> {
  readonly #options: Options<T>
  readonly #destinations = new Map<DestinationId, Destination<T>>()
  readonly #waiting = new Set<Destination<T>>() // Destinations that wait for a slot.
  #inFlight = 0
  #held = 0
  #isShort = false // Whether the last claim was postponed or reduced for lack of room.

  constructor(options: Options<T>) {
    this.#options = options
  }

  get held(): number {
    return this.#held
  }

  // Returns the limits of the next claim, or undefined if there is no room.
  limits(): ClaimLimits | undefined {
    const rooms = new Map<DestinationId, number>()
    let budget = HELD_MAX - this.#held - RESERVED_ROOM
    let failing = 0
    this.#isShort = budget < 0
    if (this.#isShort) return undefined
    const oldMs = this.#options.nowMs() - FORGET_AFTER_MS
    for (const [id, destination] of this.#destinations) {
      if (destination.held === 0 && destination.usedMs < oldMs) {
        this.#destinations.delete(id)
        continue
      }
      if (destination.failures > 0) failing += destination.held
      const room = Math.min(freeRoom(destination), budget)
      budget -= room
      if (room > 0)
        destination.hasMore = false // The claim sets it again if the destination has more.
      else this.#isShort ||= freeRoom(destination) > 0
      rooms.set(id, room)
    }
    return { rooms, otherRoom: OTHER_ROOM, takesFailing: failing < FAILING_MAX }
  }

  // Returns the room for new deliveries that the dispatcher leases to this process. Less than the limits of a
  // claim: a failing destination and one with a queue in the database have none.
  handOver(): HandOver {
    return {
      total: Math.max(HELD_MAX - this.#held - RESERVED_ROOM, 0),
      roomOf: (id) => {
        const destination = this.#destinations.get(id)
        if (!destination) return OTHER_ROOM
        return destination.failures > 0 || destination.hasMore ? 0 : freeRoom(destination)
      },
    }
  }

  // Counts deliveries that this process has claimed, until settled() is called for each.
  hold(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const destination = this.#destinationOf(claim)
      destination.failures = Math.max(destination.failures, claim.failures)
      destination.hasMore ||= claim.hasMore
      destination.held++
      this.#held++
    }
  }

  // Queues held deliveries and starts as many as there are free slots.
  add(items: readonly T[]): void {
    for (const item of items) {
      const destination = this.#destinationOf(item.claim)
      destination.queue.push(item)
      this.#waiting.add(destination)
    }
    this.#fill()
  }

  // Frees the slot of an attempt that ended; its result is not recorded yet. If the destination has now
  // failed too often in a row, returns its queued items, whose claims the caller must release; else returns
  // none.
  attemptEnded({ claim }: T, isOk: boolean): T[] {
    const destination = this.#destinationOf(claim)
    destination.inFlight--
    this.#inFlight--
    destination.failures = isOk ? 0 : destination.failures + 1
    destination.width = isOk
      ? Math.min(destination.width * 2, WIDTH_MAX)
      : Math.max(destination.width >> 1, 1)
    // At this number of failures the circuit breaker pauses the destination. The leases of queued items would
    // end during the pause.
    const unsent = destination.failures >= FAILURES_TO_PAUSE ? destination.queue.splice(0) : []
    if (destination.queue.length > 0) this.#waiting.add(destination)
    this.#fill()
    return unsent
  }

  // Stops counting a delivery that was recorded or released. Asks for another claim if the destination's
  // queue runs low, or if there is room again after a shortage.
  settled(claim: Claim): void {
    const destination = this.#destinationOf(claim)
    destination.held--
    destination.usedMs = this.#options.nowMs()
    this.#held--
    const isLow = destination.hasMore && freeRoom(destination) > 0
    if (isLow || (this.#isShort && this.#held <= IN_FLIGHT_MAX)) this.#options.requestClaim()
  }

  // Frees the slot of a delivery that was not attempted.
  dropped({ claim }: T): void {
    this.#destinationOf(claim).inFlight--
    this.#inFlight--
  }

  // Removes and returns all deliveries that were not started.
  takeQueued(): T[] {
    return [...this.#destinations.values()].flatMap((destination) => destination.queue.splice(0))
  }

  // Returns the state of a destination. A new destination starts with a width of one.
  #destinationOf({ destinationId }: Claim): Destination<T> {
    const existing = this.#destinations.get(destinationId)
    if (existing) return existing
    const destination: Destination<T> = {
      width: 1,
      inFlight: 0,
      held: 0,
      failures: 0,
      hasMore: false,
      queue: [],
      usedMs: this.#options.nowMs(),
    }
    this.#destinations.set(destinationId, destination)
    return destination
  }

  // Fills free slots in turn. A destination at its limit leaves the queue, and joins it again when it frees a
  // slot.
  #fill(): void {
    for (const destination of this.#waiting) {
      if (this.#inFlight >= IN_FLIGHT_MAX) return
      this.#waiting.delete(destination)
      while (destination.queue.length > 0 && destination.inFlight < effectiveWidth(destination)) {
        if (this.#inFlight >= IN_FLIGHT_MAX) {
          this.#waiting.add(destination)
          return
        }
        destination.inFlight++
        this.#inFlight++
        this.#options.start(destination.queue.shift() as T)
      }
    }
  }
}

// Returns how many deliveries may be in flight: one to a failing destination.
function effectiveWidth({ width, failures }: Destination<unknown>): number {
  return failures > 0 ? 1 : width
}

// Returns how many deliveries to claim for a destination. CLAIMED_AHEAD times its width may be held, and
// nothing is claimed while more than half of that is left. For a failing destination, one may be held.
function freeRoom(destination: Destination<unknown>): number {
  if (destination.failures > 0) return Math.max(1 - destination.held, 0)
  const ahead = destination.width * CLAIMED_AHEAD
  return destination.held <= ahead / 2 ? ahead - destination.held : 0
}

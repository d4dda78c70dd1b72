// Concurrency per destination: claimed deliveries, and how many are in flight. Independent of HTTP
// and the database.
//
// The width starts at one and doubles on success, like TCP slow start, so that a hanging
// destination wastes one slot and not thirty. A failure halves it. Failing destinations together
// get at most half of the slots, so that healthy ones always find a free one.

import { FAILURES_TO_PAUSE } from '#circuit-breaker.ts'
import type { Claim, ClaimLimits } from '#domain/webhooks/claim-deliveries.ts'
import type { DestinationId } from '#ids.ts'

export const WIDTH_MAX = 32
// Waiting for a response costs a socket and some kilobytes, but no processor time. A thousand dead
// receivers can each hold a slot and leave as many for the others.
export const IN_FLIGHT_MAX = 2_048
const FAILING_MAX = IN_FLIGHT_MAX / 2
const HELD_MAX = 2 * IN_FLIGHT_MAX // Being sent, queued here, or being recorded.
const CLAIMED_AHEAD = 4 // Times the width, so that a destination is not idle during the next claim.
const RESERVED_ROOM = 200 // For new destinations.
const FORGET_AFTER_MS = 10_000

type Destination<T> = {
  width: number
  inFlight: number
  held: number
  failures: number // In a row.
  hasMore: boolean
  queue: T[]
  usedMs: number
}

type Options<T> = { start: (item: T) => void; wants: () => void; nowMs: () => number }

export class DeliveryConcurrency<T extends { claim: Claim }> {
  readonly #options: Options<T>
  readonly #destinations = new Map<DestinationId, Destination<T>>()
  readonly #waiting = new Set<Destination<T>>() // For a slot.
  #inFlight = 0
  #held = 0
  #isShort = false // The last claim was postponed or reduced for lack of room.

  constructor(options: Options<T>) {
    this.#options = options
  }

  get held(): number {
    return this.#held
  }

  // The limits of the next claim, or undefined if there is no room.
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
        destination.hasMore = false // The claim sets it again.
      else this.#isShort ||= freeRoom(destination) > 0
      rooms.set(id, room)
    }
    return { rooms, otherRoom: 1, takesFailing: failing < FAILING_MAX }
  }

  add(items: readonly T[]): void {
    for (const item of items) {
      const destination = this.#destinationOf(item.claim)
      destination.failures = Math.max(destination.failures, item.claim.failures)
      destination.hasMore = item.claim.hasMore
      destination.queue.push(item)
      destination.held++
      this.#held++
      this.#waiting.add(destination)
    }
    this.#fill()
  }

  // The attempt has ended but is not recorded yet. Returns queued items to release.
  sent({ claim }: T, isOk: boolean): T[] {
    const destination = this.#destinationOf(claim)
    destination.inFlight--
    this.#inFlight--
    destination.failures = isOk ? 0 : destination.failures + 1
    destination.width = isOk
      ? Math.min(destination.width * 2, WIDTH_MAX)
      : Math.max(destination.width >> 1, 1)
    // The circuit breaker will open, and queued items would outlive their lease.
    const refused = destination.failures >= FAILURES_TO_PAUSE ? destination.queue.splice(0) : []
    if (destination.queue.length > 0) this.#waiting.add(destination)
    this.#fill()
    return refused
  }

  settled({ claim }: T): void {
    const destination = this.#destinationOf(claim)
    destination.held--
    destination.usedMs = this.#options.nowMs()
    this.#held--
    const isLow = destination.hasMore && freeRoom(destination) > 0
    if (isLow || (this.#isShort && this.#held <= IN_FLIGHT_MAX)) this.#options.wants()
  }

  dropped({ claim }: T): void {
    this.#destinationOf(claim).inFlight--
    this.#inFlight--
  }

  takeQueued(): T[] {
    return [...this.#destinations.values()].flatMap((destination) => destination.queue.splice(0))
  }

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

  // Fills free slots in turn. A destination at its limit is queued again when it frees a slot.
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

function effectiveWidth({ width, failures }: Destination<unknown>): number {
  return failures > 0 ? 1 : width
}

// Refills when half of the claimed items are gone.
function freeRoom(destination: Destination<unknown>): number {
  if (destination.failures > 0) return Math.max(1 - destination.held, 0)
  const ahead = destination.width * CLAIMED_AHEAD
  return destination.held <= ahead / 2 ? ahead - destination.held : 0
}

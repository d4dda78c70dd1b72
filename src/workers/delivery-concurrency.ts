// Concurrency per destination: claimed deliveries and how many are in flight. Knows nothing of HTTP
// or the database.
//
// Starts at one and doubles on success, like TCP slow start, so that a hanging destination wastes
// one slot and not thirty. A failure drops it back; failing destinations together get at most half
// of the slots, so healthy ones always find a free one.

import { FAILURES_TO_PAUSE } from '#domain/webhooks/circuit-breaker.ts'
import type { Claim, ClaimLimits } from '#domain/webhooks/delivery-claims.ts'

export const WIDTH_MAX = 32
// Waiting for an answer costs a socket and some kilobytes, no time: a thousand dead receivers can
// each hold a place and leave as many for the others.
export const IN_FLIGHT_MAX = 2_048
const FAILING_MAX = IN_FLIGHT_MAX / 2
const HELD_MAX = 2 * IN_FLIGHT_MAX // Being sent, waiting here, or being recorded.
const CLAIMED_AHEAD = 4 // Of a lane's width, so that it is not idle while the next are claimed.
const KEPT_FREE = 200 // For destinations that have no lane yet.
const FORGET_AFTER_MS = 10_000

type Lane<T> = {
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
  readonly #concurrency = new Map<bigint, Lane<T>>()
  readonly #waiting = new Set<Lane<T>>() // For a place.
  #inFlight = 0
  #held = 0
  #isShort = false // The last claim was put off or cut for lack of room.

  constructor(options: Options<T>) {
    this.#options = options
  }

  get held(): number {
    return this.#held
  }

  // What may be claimed now; undefined: nothing.
  limits(): ClaimLimits | undefined {
    const rooms = new Map<bigint, number>()
    let budget = HELD_MAX - this.#held - KEPT_FREE
    let failing = 0
    this.#isShort = budget < 0
    if (this.#isShort) return undefined
    const oldMs = this.#options.nowMs() - FORGET_AFTER_MS
    for (const [id, lane] of this.#concurrency) {
      if (lane.held === 0 && lane.usedMs < oldMs) {
        this.#concurrency.delete(id)
        continue
      }
      if (lane.failures > 0) failing += lane.held
      const room = Math.min(roomOf(lane), budget)
      budget -= room
      if (room > 0)
        lane.hasMore = false // Unless the claim says so again.
      else this.#isShort ||= roomOf(lane) > 0
      rooms.set(id, room)
    }
    return { rooms, otherRoom: 1, takesFailing: failing < FAILING_MAX }
  }

  add(items: readonly T[]): void {
    for (const item of items) {
      const lane = this.#laneOf(item.claim)
      lane.failures = Math.max(lane.failures, item.claim.failures)
      lane.hasMore = item.claim.hasMore
      lane.queue.push(item)
      lane.held++
      this.#held++
      this.#waiting.add(lane)
    }
    this.#fill()
  }

  // The attempt is over; what came of it is still to be recorded.
  sent({ claim }: T, isOk: boolean): T[] {
    const lane = this.#laneOf(claim)
    lane.inFlight--
    this.#inFlight--
    lane.failures = isOk ? 0 : lane.failures + 1
    lane.width = isOk ? Math.min(lane.width * 2, WIDTH_MAX) : Math.max(lane.width >> 1, 1)
    // It will be paused: what waits here would only wait out its lease.
    const refused = lane.failures >= FAILURES_TO_PAUSE ? lane.queue.splice(0) : []
    if (lane.queue.length > 0) this.#waiting.add(lane)
    this.#fill()
    return refused
  }

  // Recorded, or given back.
  settled({ claim }: T): void {
    const lane = this.#laneOf(claim)
    lane.held--
    lane.usedMs = this.#options.nowMs()
    this.#held--
    const isLow = lane.hasMore && roomOf(lane) > 0
    if (isLow || (this.#isShort && this.#held <= IN_FLIGHT_MAX)) this.#options.wants()
  }

  // Begun and not sent after all.
  dropped({ claim }: T): void {
    this.#laneOf(claim).inFlight--
    this.#inFlight--
  }

  takeQueued(): T[] {
    return [...this.#concurrency.values()].flatMap((lane) => lane.queue.splice(0))
  }

  #laneOf({ destinationId }: Claim): Lane<T> {
    const known = this.#concurrency.get(destinationId)
    if (known) return known
    const lane: Lane<T> = {
      width: 1,
      inFlight: 0,
      held: 0,
      failures: 0,
      hasMore: false,
      queue: [],
      usedMs: this.#options.nowMs(),
    }
    this.#concurrency.set(destinationId, lane)
    return lane
  }

  // Each lane that can go on has a place in turn; those that cannot are asked again when they can.
  #fill(): void {
    for (const lane of this.#waiting) {
      if (this.#inFlight >= IN_FLIGHT_MAX) return
      this.#waiting.delete(lane)
      while (lane.queue.length > 0 && lane.inFlight < widthOf(lane)) {
        if (this.#inFlight >= IN_FLIGHT_MAX) {
          this.#waiting.add(lane)
          return
        }
        lane.inFlight++
        this.#inFlight++
        this.#options.start(lane.queue.shift() as T)
      }
    }
  }
}

function widthOf({ width, failures }: Lane<unknown>): number {
  return failures > 0 ? 1 : width
}

// Refilled when half of what was claimed ahead is gone.
function roomOf(lane: Lane<unknown>): number {
  if (lane.failures > 0) return Math.max(1 - lane.held, 0)
  const ahead = lane.width * CLAIMED_AHEAD
  return lane.held <= ahead / 2 ? ahead - lane.held : 0
}

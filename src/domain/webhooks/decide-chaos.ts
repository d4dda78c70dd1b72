// Decides what an endpoint's chaos settings do with due deliveries. Pure, in this order:
//
//   delayed    the event is younger than delayMs: held back until it is that old
//   reordered  nothing is held back yet: held back until a later one was sent, or for 5 seconds
//   dropped    not sent, and retried by the retry schedule
//   sent       as usual; then `repeats` more times, and then the delivery that it overtook
//
// A probe of a paused endpoint is sent unchanged: the deliveries behind it would wait longer.

import type { EventId } from '#ids.ts'
import type { Chaos } from './webhook-chaos.ts'

const REORDER_WAIT_MS = 5_000

export type ChaosState = Chaos & {
  heldEventId: EventId | null
  isOvertaken: boolean
}

type DueDelivery = {
  eventId: EventId
  createdAt: Date
  ladderStep: number
  isProbe: boolean
}

export type ChaosVerdict =
  | { act: 'send'; repeats: number; overtakes: EventId | null }
  | { act: 'delayed' | 'reordered'; until: Date }
  | { act: 'dropped' }

// Takes the deliveries in the order of their events. Returns a verdict for each, and the new state.
export function decideChaos(
  before: ChaosState,
  deliveries: readonly DueDelivery[],
  now: Date,
): { verdicts: ChaosVerdict[]; after: ChaosState } {
  const after = { ...before }
  return { verdicts: deliveries.map((delivery) => decideOne(after, delivery, now)), after }
}

function decideOne(state: ChaosState, delivery: DueDelivery, now: Date): ChaosVerdict {
  const { eventId, createdAt, ladderStep, isProbe } = delivery
  const plain = { act: 'send', repeats: state.duplicate, overtakes: null } as const
  if (isProbe) return plain
  const oldEnoughAt = new Date(createdAt.getTime() + state.delayMs)
  if (now < oldEnoughAt) return { act: 'delayed', until: oldEnoughAt }
  let overtakes: EventId | null = null
  if (state.heldEventId === eventId) {
    state.heldEventId = null
  } else if (state.heldEventId !== null && !state.isOvertaken) {
    overtakes = state.heldEventId
    state.isOvertaken = true
  } else if (state.heldEventId === null && state.reorder && ladderStep === 0) {
    state.heldEventId = eventId
    state.isOvertaken = false
    return { act: 'reordered', until: new Date(now.getTime() + REORDER_WAIT_MS) }
  }
  if (state.dropNext === 0) return { ...plain, overtakes }
  state.dropNext--
  return { act: 'dropped' }
}

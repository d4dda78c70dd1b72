// What an endpoint's chaos settings do with deliveries that are due. A pure decision, in this order:
//
//   delayed    its event is younger than delayMs: held back until it is that old
//   reordered  nothing is held back: this one is, until a later one has been sent or 5 seconds pass
//   dropped    not sent, and tried again by the retry schedule
//   sent       as always; then `repeats` times again, and then what it has overtaken
//
// A probe of a paused endpoint is left alone: what waits for its answer would wait longer.

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

// The deliveries in the order of their events. Answers for each, and how the settings are left.
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

// Faults that the simulated bank makes when it notifies Manilla, as its user sets them. Each notification
// has one fate, drawn from a seed: lost (never sent), delayed, sent twice, or sent normally.

import { seededRandom } from '../test/support/random.ts'

export type Faults = {
  loss: number // Probability. Those of loss, delay and duplicate add up to 1 at most.
  delay: number
  duplicate: number
  delayMs: number
  reorder: boolean // Each notification is delayed by a different random time.
}

export const NO_FAULTS: Faults = {
  loss: 0,
  delay: 0,
  duplicate: 0,
  delayMs: 60_000,
  reorder: false,
}

export const FATES = ['lost', 'delayed', 'duplicated', 'normal'] as const
export type Fate = (typeof FATES)[number]

export const REORDER_WINDOW_MS = 2_000
const DELAY_MS_MAX = 7 * 86_400_000

// Returns a sentence if the changes are invalid, else the new faults.
export function changeFaults(faults: Faults, changes: Record<string, unknown>): Faults | string {
  const unknown = Object.keys(changes).filter((name) => !(name in NO_FAULTS))
  if (unknown.length > 0) {
    return `unknown fault ${unknown[0]}; there are: ${Object.keys(NO_FAULTS).join(', ')}`
  }
  const { loss, delay, duplicate, delayMs, reorder } = { ...faults, ...changes } as Faults
  const chances = [loss, delay, duplicate]
  if (chances.some((each) => typeof each !== 'number' || !(each >= 0 && each <= 1))) {
    return 'loss, delay and duplicate must be numbers from 0 to 1'
  }
  if (loss + delay + duplicate > 1) return 'loss, delay and duplicate must add up to 1 at most'
  if (!Number.isInteger(delayMs) || delayMs < 0 || delayMs > DELAY_MS_MAX) {
    return `delayMs must be a whole number from 0 to ${DELAY_MS_MAX}`
  }
  if (typeof reorder !== 'boolean') return 'reorder must be true or false'
  return { loss, delay, duplicate, delayMs, reorder }
}

// Draws the fate of a notification. Each draw is made only if the earlier fates did not happen, so its
// probability is divided by the probability that they did not.
export function drawFate({ loss, delay, duplicate }: Faults, random: Random): Fate {
  if (happens(random, loss)) return 'lost'
  if (happens(random, ratio(delay, 1 - loss))) return 'delayed'
  return happens(random, ratio(duplicate, 1 - loss - delay)) ? 'duplicated' : 'normal'
}

// Returns how long after the transfer each copy of its notification is sent: none, one or two copies.
export function sendingDelaysMs(fate: Fate, faults: Faults, random: Random): number[] {
  const delay = () => (faults.reorder ? random.integer(0, REORDER_WINDOW_MS) : 0)
  if (fate === 'lost') return []
  if (fate === 'delayed') return [faults.delayMs]
  return fate === 'duplicated' ? [delay(), delay()] : [delay()]
}

function ratio(part: number, whole: number): number {
  return whole <= 0 ? 0 : part / whole
}

// The same seed gives the same notifications, including those that are lost.
export type Random = ReturnType<typeof seededRandom>

export { seededRandom }

function happens(random: Random, probability: number): boolean {
  return random.integer(1, 1_000_000) <= Math.round(probability * 1_000_000)
}

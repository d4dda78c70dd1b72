// Seeded randomness: the same seed gives the same bank, including its losses.

import { seededRandom } from '../test/support/random.ts'

export type Random = ReturnType<typeof seededRandom>

export { seededRandom }

export function happens(random: Random, probability: number): boolean {
  return random.integer(1, 1_000_000) <= Math.round(probability * 1_000_000)
}

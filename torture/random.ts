// Choices from a seed: the same seed gives the same plan of faults and the same kinds of load.

import { seededRandom as seeded } from '../test/support/random.ts'

export type Random = ReturnType<typeof seededRandom>

// `fork` starts a sequence of its own, so that one part's choices do not depend on how often another part
// draws.
export function seededRandom(seed: number) {
  const generator = seeded(seed)
  const { next, integer } = generator
  return {
    ...generator,
    happens: (probability: number) => next() < probability,
    // Chooses by weight.
    weighted<T>(items: readonly (readonly [T, number])[]): T {
      let position = next() * items.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of items) {
        position -= weight
        if (position < 0) return item
      }
      return (items.at(-1) as readonly [T, number])[0]
    },
    // Deals all items in random order, then shuffles and deals again, so that every item comes up regularly.
    deck<T>(items: readonly T[]): () => T {
      let undealt: T[] = []
      return () => {
        if (undealt.length === 0) undealt = [...items]
        return undealt.splice(integer(0, undealt.length - 1), 1)[0] as T
      }
    },
    fork: () => seededRandom(integer(0, 2 ** 32 - 1)),
  }
}

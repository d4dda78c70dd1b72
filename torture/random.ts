// Choices from a seed: the same seed gives the same plan of faults and the same kinds of load.

import { seededRandom as seeded } from '../test/support/random.ts'

export type Random = ReturnType<typeof seededRandom>

export function seededRandom(seed: number) {
  const drawn = seeded(seed)
  const { next, integer } = drawn
  return {
    ...drawn,
    happens: (probability: number) => next() < probability,
    // Chooses by weight.
    weighted<T>(items: readonly (readonly [T, number])[]): T {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of items) {
        left -= weight
        if (left < 0) return item
      }
      return (items.at(-1) as readonly [T, number])[0]
    },
    // Deals all items in random order, then shuffles and deals again, so that every item comes up regularly.
    deck<T>(items: readonly T[]): () => T {
      let left: T[] = []
      return () => {
        if (left.length === 0) left = [...items]
        return left.splice(integer(0, left.length - 1), 1)[0] as T
      }
    },
    fork: () => seededRandom(integer(0, 2 ** 32 - 1)),
  }
}

// Episodes: first the walk, in which every operation meets every kind of change once, then as many
// random ones as requested, mostly within one family of operations: create, use, close, use again.

import fc from 'fast-check'
import { seededRandom } from '../test/support/random.ts'
import type { Fuzzer, Step } from './fuzzer.ts'
import { kindsOf } from './hostile-kinds.ts'
import { familyOf, isCostly, type Target } from './operations.ts'

const STEPS_MAX = 40
const RIGHT_PERCENT = 45
const AGAIN_PERCENT = 5
const ELSEWHERE_PERCENT = 20
const COSTLY_PERCENT = 8 // Share of costly steps that run; others replace the rest.
const SHRINKING_MS = 30_000
const DICE_MAX = 2 ** 31 - 1
const EPISODE_PRIME = 7_919

export type Outcome = { faults: string[]; steps: number }

export class Episodes {
  readonly #seed: number
  readonly #targets: readonly Target[]
  readonly #families: readonly (readonly Target[])[]

  constructor(seed: number, targets: readonly Target[]) {
    this.#seed = seed
    this.#targets = targets
    this.#families = [...Map.groupBy(targets, familyOf).values()]
  }

  // The walk has one episode for each family, in its own order.
  get walks(): number {
    return this.#families.length
  }

  async run(fuzzer: Fuzzer, number: number): Promise<Outcome> {
    if (number < this.walks) return { faults: await fuzzer.run(this.walk(number)), steps: 0 }
    return this.#runAtRandom(fuzzer, number)
  }

  walk(number: number): Step[] {
    const random = seededRandom(this.#seed + number * EPISODE_PRIME)
    const family = this.#families[number] ?? []
    const steps = family.flatMap((target) =>
      kindsOf(target).map((kind) => ({ target, kind, dice: random.integer(0, DICE_MAX) })),
    )
    return steps
      .map((step) => ({ step, at: random.integer(0, DICE_MAX) }))
      .sort((one, other) => one.at - other.at)
      .map(({ step }) => step)
  }

  // fast-check removes steps until the fault disappears, and shows the shortest episode that has
  // it.
  async #runAtRandom(fuzzer: Fuzzer, number: number): Promise<Outcome> {
    let faults: string[] = []
    const property = fc.asyncProperty(this.#arbitrary(), async (steps) => {
      const found = await fuzzer.run(steps)
      if (found.length > 0) faults = found
      return found.length === 0
    })
    const { counterexample } = await fc.check(property, {
      seed: this.#seed + number * EPISODE_PRIME,
      numRuns: 1,
      interruptAfterTimeLimit: SHRINKING_MS,
    })
    return { faults, steps: counterexample?.[0].length ?? 0 }
  }

  #arbitrary(): fc.Arbitrary<Step[]> {
    const number = fc.noShrink(fc.nat(DICE_MAX))
    const draw = fc.tuple(number, number, number)
    const steps = fc.array(draw, { minLength: 1, maxLength: STEPS_MAX, size: 'max' })
    return fc.tuple(number, steps).map(([family, draws]) => {
      const own = this.#families[family % this.#families.length] ?? []
      return draws.map(([place, kind, dice]) => this.#step(own, [place, kind, dice]))
    })
  }

  #step(own: readonly Target[], [place, kind, dice]: [number, number, number]): Step {
    const random = seededRandom(place)
    const isOwn = random.integer(1, 100) > ELSEWHERE_PERCENT
    let target = random.pick(isOwn ? own : this.#targets)
    const isTooDear = random.integer(1, 100) > COSTLY_PERCENT
    while (isTooDear && isCostly(target)) target = random.pick(this.#targets)
    const share = kind % 100
    const kinds = kindsOf(target)
    if (share < AGAIN_PERCENT) return { target, kind: 'again', dice }
    const isRight = share < AGAIN_PERCENT + RIGHT_PERCENT
    const chosen = isRight ? 0 : Math.floor(kind / 100) % kinds.length
    return { target, kind: kinds[chosen] ?? 'again', dice }
  }
}

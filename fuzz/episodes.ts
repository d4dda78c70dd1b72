// Makes the episodes of a fuzzing run, which are sequences of requests. First come the walks, in which every
// operation meets every kind of change once. Random episodes follow, as many as requested, each mostly within
// one family of operations: create an object, use it, close it, use it again.

import fc from 'fast-check'
import { seededRandom } from '../test/support/random.ts'
import type { Fuzzer, Step } from './fuzzer.ts'
import { kindsOf } from './hostile-kinds.ts'
import { familyOf, isCostly, type Target } from './operations.ts'

const STEPS_MAX = 40
const RIGHT_PERCENT = 45
const AGAIN_PERCENT = 5
const ELSEWHERE_PERCENT = 20
const COSTLY_PERCENT = 8 // Share of costly steps that run. The others call another operation instead.
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

  // The number of walks: one for each family of operations.
  get walks(): number {
    return this.#families.length
  }

  // Runs the episode with this number. `steps` is the length of the shortest failing episode, or 0.
  async run(fuzzer: Fuzzer, number: number): Promise<Outcome> {
    if (number < this.walks) return { faults: await fuzzer.run(this.walk(number)), steps: 0 }
    return this.#runAtRandom(fuzzer, number)
  }

  // Returns the steps of a family's walk: each operation with each kind of change, in random order.
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

  // Runs a random episode. If it has a fault, fast-check removes steps while the fault remains, and reports
  // the shortest episode.
  async #runAtRandom(fuzzer: Fuzzer, number: number): Promise<Outcome> {
    let faults: string[] = []
    // The property that fast-check tries to break: the episode has no faults.
    const property = fc.asyncProperty(this.#arbitrary(), async (steps) => {
      const stepFaults = await fuzzer.run(steps)
      if (stepFaults.length > 0) faults = stepFaults
      return stepFaults.length === 0
    })
    const { counterexample } = await fc.check(property, {
      seed: this.#seed + number * EPISODE_PRIME,
      numRuns: 1,
      interruptAfterTimeLimit: SHRINKING_MS,
    })
    return { faults, steps: counterexample?.[0].length ?? 0 }
  }

  // Generates random episodes: a family of operations, and three numbers for each step (see #step).
  // fast-check may only remove steps, because another number would be another step.
  #arbitrary(): fc.Arbitrary<Step[]> {
    const number = fc.noShrink(fc.nat(DICE_MAX))
    const draw = fc.tuple(number, number, number)
    const steps = fc.array(draw, { minLength: 1, maxLength: STEPS_MAX, size: 'max' })
    return fc.tuple(number, steps).map(([family, draws]) => {
      const familyTargets = this.#families[family % this.#families.length] ?? []
      return draws.map(([place, kind, dice]) => this.#step(familyTargets, [place, kind, dice]))
    })
  }

  // Turns three random numbers into a step. `place` chooses the operation, mostly of the family; `kind`
  // chooses the change: none, a repetition of the last request, or any kind; `dice` seeds the values.
  #step(family: readonly Target[], [place, kind, dice]: [number, number, number]): Step {
    const random = seededRandom(place)
    const isInFamily = random.integer(1, 100) > ELSEWHERE_PERCENT
    let target = random.pick(isInFamily ? family : this.#targets)
    const mustBeCheap = random.integer(1, 100) > COSTLY_PERCENT
    while (mustBeCheap && isCostly(target)) target = random.pick(this.#targets)
    const percent = kind % 100
    const kinds = kindsOf(target)
    if (percent < AGAIN_PERCENT) return { target, kind: 'again', dice }
    const isRight = percent < AGAIN_PERCENT + RIGHT_PERCENT
    const kindIndex = isRight ? 0 : Math.floor(kind / 100) % kinds.length // Kind 0 is `right`.
    return { target, kind: kinds[kindIndex] ?? 'again', dice }
  }
}

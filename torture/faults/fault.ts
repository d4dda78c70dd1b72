// What a fault is: it is injected, lasts for so long, and is healed. One that cannot be injected here
// says why.

import type { Random } from '../random.ts'
import type { Target } from '../target.ts'

export type Injected = {
  detail?: string
  lastsMs: number
  heal: () => Promise<void>
  settle?: () => Promise<void> // What is left to mend once service has resumed.
}

export type Fault<T = Target> = {
  name: string
  starts?: 'one' | 'many' // Processes of the service, which take their time: chosen less often.
  isAlone?: boolean // Nothing else may be wrong meanwhile.
  inject: (target: T, random: Random) => Promise<Injected>
  whyNot?: (target: T) => string | undefined
}

// What the fault itself proves to be wrong: a refusal that did not come, a command that failed.
export class FaultFinding extends Error {}

export async function nothing(): Promise<void> {}

export function aWhile(random: Random): number {
  return random.integer(300, 2_500)
}

// A fault is injected, lasts for a time, and is healed. A fault that cannot be injected here says
// why.

import type { Random } from '../random.ts'
import type { Target } from '../target.ts'

export type Injected = {
  detail?: string
  lastsMs: number
  heal: () => Promise<void>
  settle?: () => Promise<void> // Repairs the rest after service has resumed.
}

export type Fault<T = Target> = {
  name: string
  // Number of service processes that the fault starts. Starting is slow, so such faults are drawn less often.
  starts?: 'one' | 'many'
  isAlone?: boolean // No other fault may be active meanwhile.
  inject: (target: T, random: Random) => Promise<Injected>
  whyNot?: (target: T) => string | undefined
}

// A fault's own finding: a refusal that did not come, or a command that failed.
export class FaultFinding extends Error {}

export async function nothing(): Promise<void> {}

export function aWhile(random: Random): number {
  return random.integer(300, 2_500)
}

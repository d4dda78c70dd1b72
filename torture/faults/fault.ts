// A fault is injected, lasts for a time, and is healed. If a fault cannot be injected on this machine, whyNot
// returns the reason.

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
  isAlone?: boolean // No other fault may be active at the same time.
  inject: (target: T, random: Random) => Promise<Injected>
  whyNot?: (target: T) => string | undefined
}

// A finding of the fault itself: the service did not refuse what it must refuse, or a command failed.
export class FaultFinding extends Error {}

export async function nothing(): Promise<void> {}

export function aWhile(random: Random): number {
  return random.integer(300, 2_500)
}

// A fault is injected into the running system, lasts for a time, and is healed. `whyNot` returns the reason
// if the fault is impossible on this machine.

import type { Actor } from '../client-calls.ts'
import type { Random } from '../random.ts'
import type { Target } from '../target.ts'

export type Injected = {
  detail?: string
  lastsMs: number
  heal: () => Promise<void>
  // Clients do this at once when healing begins, beside the load.
  press?: (actor: Actor) => Promise<void>
  // Completes the repair after service has resumed, such as rebuilding a standby.
  settle?: () => Promise<void>
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

// For faults that need no healing, such as a killed process, which its supervisor restarts.
export async function nothing(): Promise<void> {}

// How many milliseconds a fault lasts, if its length does not matter.
export function aWhile(random: Random): number {
  return random.integer(300, 2_500)
}

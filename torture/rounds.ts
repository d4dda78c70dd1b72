// The rounds of a run: faults, then a check, then the report of both. A round is reported only when it has
// been checked.

import type { Load } from './load.ts'
import type { Run } from './run.ts'

const FINDINGS_MAX = 100 // More findings would add nothing.

type Part<F> = {
  run: {
    readonly findings: readonly string[]
    prepare(): Promise<Load>
    round(load: Load, faults: readonly F[]): Promise<void>
    check: Run['check']
  }
  plan: readonly F[]
  size: number // Faults in a round.
  isOver: () => boolean // A signal or the time ends the run after the present round.
  finalWaitMs: number
  report: (faults: number, findings: readonly string[]) => void
}

// Runs the faults in rounds until all are done, the run is over, or too many findings have come up. A check
// between rounds is not final, because work that still waits is no finding. The last check waits until all
// automatic work is done.
export async function runRounds<F>(part: Part<F>): Promise<void> {
  const { run, plan, size, isOver, finalWaitMs, report } = part
  const load = await run.prepare()
  for (let done = 0, isLast = false; !isLast; ) {
    const faults = plan.slice(done, done + size)
    await run.round(load, faults)
    done += faults.length
    isLast = done >= plan.length || isOver()
    report(done, await run.check(isLast, isLast ? finalWaitMs : 0))
    if (run.findings.length > FINDINGS_MAX) return
  }
}

// Returns the memory that a start needs but an idle service does not.

import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 15_000
const IDLE_SHARE = 0.05

// Collects garbage once: at the end of the first 15 seconds in which the process was idle. A start leaves 30
// MB of garbage and unused pages. V8 returns pages only after it has collected the whole heap, which an idle
// process needs only after many minutes. The collection takes about a tenth of a second; a request that
// arrives meanwhile waits for it.
export function collectOnceIdle(lookMs = LOOK_MS): void {
  let last = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    if (utilization > IDLE_SHARE) return
    clearInterval(timer)
    collectGarbage()
  }, lookMs)
  timer.unref()
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

// An idle process returns the memory of its start (src/observability/memory.ts).

import assert from 'node:assert/strict'
import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectOnceIdle } from '#observability/memory.ts'

const LOOK_MS = 50
const BUSY_MS = 400

type Collection = PerformanceEntry & { detail: { flags: number } }

test('garbage is collected once the process is idle, and not while it is busy', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, detail } of list.getEntries() as Collection[]) {
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) resolve(startTime)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  // The look itself does not keep the process alive, nor does the observer.
  const alive = setInterval(() => {}, LOOK_MS)
  collectOnceIdle(LOOK_MS)
  const busyUntilMs = performance.now() + BUSY_MS
  while (performance.now() < busyUntilMs) await nextTurn()

  assert((await promise) >= busyUntilMs)
  observer.disconnect()
  clearInterval(alive)
})

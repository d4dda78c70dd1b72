// Counts the clicks and measures the time that a person needs for a task on a page.

import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'

// Starts counting. `assertWithin` fails if the task took more clicks or time than the limits.
export function countClicks() {
  let clicks = 0
  const startedMs = performance.now()
  return {
    async click(target: Locator): Promise<void> {
      clicks++
      await target.click()
    },
    assertWithin(limits: { clicks: number; ms: number }): void {
      const tookMs = Math.round(performance.now() - startedMs)
      assert(clicks <= limits.clicks, `${clicks} clicks`)
      assert(tookMs < limits.ms, `${tookMs} ms`)
    },
  }
}

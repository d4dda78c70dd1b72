// Tests the bench's capacity model: its properties for any coefficients, and a load computed by hand.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CONNECTIONS_PER_PROCESS } from '#db/connections.ts'
import {
  batchesPerSecond,
  type Coefficients,
  type Demand,
  predict,
} from '../../bench/capacity-model.ts'

const OF: Coefficients = {
  machine: 'two cores',
  measuredOn: '2026-11-16',
  clientCreditsPerSecondMax: 5_000,
  credit: { service: 100, postgres: 50 },
  batch: { service: 1_000, postgres: 500 },
  batchesPerSecondMax: 100,
  creditInArray: { service: 40, postgres: 40 },
  webhook: { service: 200, postgres: 100 },
  accountRead: { service: 80, postgres: 20 },
  pageView: { service: 1_000, postgres: 10_000 },
  logBytes: { credit: 1_500, batch: 8_000, webhook: 700 },
  storedBytes: { credit: 800, webhook: 200 },
}
const NOTHING: Demand = {
  ...{ creditsPerSecond: 0, shareInArrays: 0, webhooksPerCredit: 0 },
  ...{ readsPerSecond: 0, viewsPerSecond: 0, clients: 1 },
}

test('the model’s prediction equals a load computed by hand', () => {
  const demand = { ...NOTHING, creditsPerSecond: 3_600, webhooksPerCredit: 2, viewsPerSecond: 3 }
  const found = predict(demand, OF)
  // Credits take 36% of a process, so it writes at most 100 × 0.64² = 40.96 batches a second. 3,600 credits
  // a second are therefore in batches of 1 + 3,600 / 40.96 = 88.890625.
  const batches = 3_600 / 88.890625
  assert.equal(found.batchesPerSecond.toFixed(6), batches.toFixed(6))
  assert.equal(found.creditsPerBatch.toFixed(6), '88.890625')
  assert.equal(found.processes, 1)
  assert.equal(found.cores.service.toFixed(6), (0.36 + batches / 1_000 + 0.003).toFixed(6))
  assert.equal(found.cores.worker.toFixed(6), '1.440000')
  assert.equal(found.workers, 3)
  assert.equal(found.cores.postgres.toFixed(6), (0.18 + batches / 2_000 + 0.03 + 0.72).toFixed(6))
  assert.equal(found.logMbPerSecond.toFixed(6), (5.4 + batches * 0.008 + 5.04).toFixed(6))
  assert.equal(found.storedGbPerDay.toFixed(6), ((3_600 * 1_200 * 86_400) / 1e9).toFixed(6))
  assert.equal(found.connections, 4 * CONNECTIONS_PER_PROCESS)
})

test('no process is planned to be more than 70% busy, and none without need', () => {
  const load = fc.record({ credits: fc.integer({ min: 0, max: 50_000 }), webhooks: fc.nat(3) })
  fc.assert(
    fc.property(load, ({ credits, webhooks }) => {
      const demand = { ...NOTHING, creditsPerSecond: credits, webhooksPerCredit: webhooks }
      const { cores, processes, workers } = predict(demand, OF)
      assert.ok(cores.service / processes <= 0.7 && cores.worker / workers <= 0.7)
      if (processes === 1) return
      const fewer = predict({ ...demand, processes: processes - 1 }, OF)
      assert.ok(fewer.cores.service / (processes - 1) > 0.7)
    }),
  )
})

test('a batch holds at least one credit, and no process writes more of them than it can', () => {
  const some = [fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 64 })] as const
  fc.assert(
    fc.property(...some, (credits, processes) => {
      const batches = batchesPerSecond(credits, processes, OF)
      assert.ok(batches <= credits && batches < processes * OF.batchesPerSecondMax)
    }),
  )
})

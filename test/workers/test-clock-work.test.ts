// Workers and a test clock: due work pauses while the clock is set, and moving the clock does not wait for
// the rate limits of banks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnections } from '#banks/connector.ts'
import { withoutRates } from '#workers/move-clock.ts'
import { whileClockRuns } from '#workers/run-workers.ts'

const { signal } = new AbortController()

test('due work pauses while a test clock is set, and goes on when it is released', async () => {
  let frozen: Date | undefined
  let rounds = 0
  // A round that counts itself, and says that there is more to do.
  const round = async () => {
    rounds++
    return { more: true }
  }
  const worker = { name: 'expire-payments', pauseMs: 5, round }
  const [paused] = whileClockRuns({ frozenTime: () => frozen }, [worker])
  const run = async () => (await paused?.round(signal))?.more

  assert.deepEqual([await run(), rounds], [true, 1])
  frozen = new Date()
  assert.deepEqual([await run(), rounds], [false, 1])
  frozen = undefined
  assert.deepEqual([await run(), rounds], [true, 2])
  assert.deepEqual([paused?.name, paused?.pauseMs], ['expire-payments', 5])
})

test('where there is no test clock, workers are left as they are', () => {
  const worker = { name: 'expire-payments', pauseMs: 5, round: async () => ({ more: false }) }
  assert.equal(whileClockRuns({}, [worker])[0], worker)
})

test('a test clock knows no rate of calls, and every other limit of a bank', () => {
  const limits = { ratePerSecond: 2, concurrency: 3 }
  const connections = new Map([
    ['035', { limits, calls: {}, fingerprint: 'a' }],
    ['058', { limits: { ...limits, ratePerSecond: 1 }, calls: {}, fingerprint: 'b' }],
  ]) as unknown as BankConnections

  const unlimited = withoutRates(connections)

  assert.deepEqual([...unlimited.keys()], ['035', '058'])
  for (const [code, connection] of unlimited) {
    const original = connections.get(code)
    const limits = { ...original?.limits, ratePerSecond: Number.POSITIVE_INFINITY }
    assert.deepEqual(connection, { ...original, limits })
  }
  assert.equal(connections.get('035')?.limits.ratePerSecond, 2)
})

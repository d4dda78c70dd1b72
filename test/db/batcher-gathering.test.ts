// Group commit with a second batch in flight: the second batch closes as soon as it is large enough for its
// own commit, and never waits for a batch that is stuck.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createBatcher, createGate, submitEach } from '../support/batch-gate.ts'

const LIMITS = { items: 10, inFlight: 2, gathers: 3 } as const

test('while another batch is in flight, a batch is closed when it is large', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] }) // Time stands still, so no batch closes for its age.
  const gate = createGate()
  const { batcher } = createBatcher(gate.run, LIMITS)
  const first = submitEach(batcher, [2, 3, 4])
  await turn()

  const others = [submitEach(batcher, [5, 6])]
  await turn()
  assert.deepEqual(gate.batches, [[2, 3, 4]], 'two are fewer than three')
  others.push(submitEach(batcher, [7]))
  await turn()
  assert.deepEqual(gate.batches, [
    [2, 3, 4],
    [5, 6, 7],
  ])
  await gate.letAll()
  await Promise.all([first, ...others])
})

test('gathered writes go at once when no batch is in flight any more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const gate = createGate()
  const { batcher } = createBatcher(gate.run, LIMITS)
  const first = submitEach(batcher, [2, 3, 4])
  await turn()

  const gathered = submitEach(batcher, [5])
  await turn()
  await gate.letOne()
  assert.deepEqual(gate.batches, [[2, 3, 4], [5]])
  await gate.letAll()
  await Promise.all([first, gathered])
})

test('a stuck batch delays no other batch, however small', async () => {
  const begun = Promise.withResolvers<void>()
  const stuck = Promise.withResolvers<void>()
  const { batcher } = createBatcher(async (items) => {
    if (items.length > 1) {
      begun.resolve()
      await stuck.promise
    }
    return items.map(String)
  }, LIMITS)
  const first = submitEach(batcher, [1, 2, 3])
  await begun.promise

  assert.equal(await batcher.submit(4), '4')
  stuck.resolve()
  await first
})

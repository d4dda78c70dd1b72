// Group commit with a second batch in flight: it is closed when it is worth its commit, never waits
// for one that is stuck, and under load has no row in common with the first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { LANES, laneOf } from '#db/batch-queue.ts'
import { createBatcher, createGate, submitEach } from '../support/batch-gate.ts'

const LIMITS = { items: 10, inFlight: 2, gathers: true } as const

test('beside another one, a batch is closed when it is as large as the last one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] }) // Nothing is ever overdue.
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

test('what is gathered is written at once when nothing is in flight any more', async (t) => {
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

test('a batch that is stuck keeps nobody waiting, however few they are', async () => {
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

test('under load, batches side by side are of different lanes; what came together stays so', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const gate = createGate()
  const { batcher } = createBatcher(gate.run, { ...LIMITS, lanesFrom: 4 })
  const taken = [submitEach(batcher, [1, 2, 3, 4, 5]), batcher.submitAll([6, 7])]
  await turn()
  assert.deepEqual(gate.batches, [
    [1, 3, 5],
    [2, 4, 6, 7],
  ])

  taken.push(submitEach(batcher, [9, 11, 13, 15]))
  await turn()
  assert.equal(gate.batches.length, 2, 'their lane is busy, and both places are taken')
  await gate.letOne()
  assert.deepEqual(gate.batches[2], [9, 11, 13, 15])
  taken.push(submitEach(batcher, [17, 19, 21, 23, 25]))
  await gate.letOne()
  assert.equal(gate.batches.length, 3, 'a place is free, but not their lane')
  await gate.letAll()
  await Promise.all(taken)
  assert.deepEqual(gate.batches[3], [17, 19, 21, 23, 25])
})

test('few that wait are written together, whatever their lanes', async () => {
  const gate = createGate()
  const { batcher } = createBatcher(gate.run, { ...LIMITS, lanesFrom: 4 })

  const taken = submitEach(batcher, [1, 2, 3])
  await turn()
  await gate.letAll()

  assert.deepEqual(gate.batches, [[1, 2, 3]])
  await taken
})

test('a lane that is stuck takes no more than a turn from those behind it', async () => {
  const begun = Promise.withResolvers<void>()
  const stuck = Promise.withResolvers<void>()
  const { batcher } = createBatcher(
    async (items) => {
      if (items.includes(1)) {
        begun.resolve()
        await stuck.promise
      }
      return items.map(String)
    },
    { ...LIMITS, lanesFrom: 2 },
  )
  const first = submitEach(batcher, [1, 3, 5])
  await begun.promise

  const behind = await submitEach(batcher, [7, 9, 2])
  assert.deepEqual(
    behind.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  )
  stuck.resolve()
  await first
})

test('account numbers are spread over the lanes evenly', () => {
  const lanes = new Array<number>(LANES).fill(0)
  for (let number = 9_900_000_000; number < 9_900_010_000; number++) {
    const lane = laneOf(String(number))
    lanes[lane] = (lanes[lane] as number) + 1
  }
  for (const count of lanes) assert(Math.abs(count - 10_000 / LANES) < 250, String(lanes))
})

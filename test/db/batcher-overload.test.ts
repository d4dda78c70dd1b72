// Group commit under overload, or while the database cannot work: items are refused at once, not retried.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { QueueDelay } from '#hot-path/batcher.ts'
import { codeOf, createBatcher, createGate, submitEach } from '../support/batch-gate.ts'

test('a write that would wait too long is refused at once, until the queue moves', async () => {
  const gate = createGate()
  let nowMs = 0
  const limits = { items: 1 }
  const delay = new QueueDelay(() => nowMs)
  const { batcher } = createBatcher(gate.run, limits, delay)

  const accepted = [batcher.submit(1)]
  await turn()
  accepted.push(batcher.submit(2))
  nowMs = 3_000
  assert.equal(batcher.isOverloaded, true)
  const refused = await Promise.allSettled([batcher.submit(3)])
  await gate.letOne()
  assert.equal(batcher.isOverloaded, false)
  accepted.push(batcher.submit(4))
  await gate.letAll()

  assert.deepEqual(refused.map(codeOf), ['busy'])
  assert.deepEqual(await Promise.all(accepted), ['#1', '#2', '#4'])
})

test('while load is shed, the queue admits as much as half a second serves', async () => {
  const gate = createGate()
  let nowMs = 0
  const delay = new QueueDelay(() => nowMs)
  const { batcher } = createBatcher(gate.run, { items: 2_000 }, delay)
  const accepted: Promise<unknown>[] = []
  const batch = Array.from({ length: 2_000 }, (_, at) => at)
  const submit = () => accepted.push(batcher.submitAll(batch))

  submit()
  await turn()
  for (nowMs = 0; nowMs < 200; ) {
    submit()
    nowMs += 100
    await gate.letOne()
  }
  assert.equal(batcher.isOverloaded, false)
  submit()
  assert.equal(batcher.isOverloaded, true, '4,000 until it is known')
  nowMs = 700
  await gate.letOne()
  assert.equal(batcher.isOverloaded, false, 'nobody is waiting')
  accepted.push(batcher.submitAll([1]))
  assert.equal(batcher.isOverloaded, true, '2,000 were served')
  await gate.letAll()
  await Promise.all(accepted)
})

test('a write whose caller has given up is refused and not written', async () => {
  const gate = createGate()
  let nowMs = 0
  const limits = { items: 10 }
  const delay = new QueueDelay(() => nowMs)
  const { batcher } = createBatcher(gate.run, limits, delay)

  const first = batcher.submit(1)
  await turn()
  const abandoned = Promise.allSettled([batcher.submit(2), batcher.submit(3)])
  nowMs = 10_000
  await gate.letAll()
  await batcher.drain()

  assert.equal(await first, '#1')
  assert.deepEqual((await abandoned).map(codeOf), ['busy', 'busy'])
  assert.deepEqual(gate.batches, [[1]])
  assert.equal(batcher.queued, 0)
})

for (const code of ['53100', '25006', '57014']) {
  test(`a batch that fails for no fault of its items (${code}) is not tried one by one`, async () => {
    let runs = 0
    const { batcher } = createBatcher(async () => {
      runs++
      throw Object.assign(new Error('it failed'), { code })
    })

    const results = await submitEach(batcher, [1, 2, 3])

    assert.deepEqual(results.map(codeOf), ['try_again', 'try_again', 'try_again'])
    assert.equal(runs, 1)
  })
}

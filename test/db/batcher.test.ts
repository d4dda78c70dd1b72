// Group commit: items that arrive together are written together, in order. One bad item fails alone. A lost
// connection fails no item permanently. Excess items are refused at once. No item waits for a timer.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Refusal } from '#errors.ts'
import {
  codeOf,
  createBatcher,
  createGate,
  lost,
  name,
  names,
  submitEach,
} from '../support/batch-gate.ts'

test('writes that arrive during a batch go into the next one, each with its own answer', async () => {
  const gate = createGate()
  const { batcher } = createBatcher(gate.run)

  const first = batcher.submit(1)
  await turn()
  const others = [2, 3, 4].map((item) => batcher.submit(item))
  await turn()
  await gate.letAll()

  assert.deepEqual(gate.batches, [[1], [2, 3, 4]])
  assert.deepEqual(await Promise.all([first, ...others]), ['#1', '#2', '#3', '#4'])
})

test('requests that arrive in one turn of the event loop share a batch', async () => {
  const batches: number[][] = []
  const { batcher } = createBatcher(async (items) => {
    batches.push([...items])
    return names(items)
  })

  const answers = await Promise.all([1, 2, 3].map((item) => batcher.submit(item)))

  assert.deepEqual(batches, [[1, 2, 3]])
  assert.deepEqual(answers, ['#1', '#2', '#3'])
})

test('a batch is never larger than it may be, and the items of one call stay together', async () => {
  const gate = createGate()
  const { batcher } = createBatcher(gate.run, { items: 4 })

  const calls = [[1, 2, 3], [4, 5], [6], [7, 8, 9, 10, 11, 12], []].map((items) =>
    batcher.submitAll(items),
  )
  await turn()
  await gate.letAll()

  // A call with more items than a batch becomes a batch of its own, because its halves could not be
  // committed together.
  assert.deepEqual(gate.batches, [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9, 10, 11, 12],
  ])
  const answers = await Promise.all(calls)
  assert.deepEqual(
    answers.map((results) => results.map((result) => result.ok && result.value)),
    [['#1', '#2', '#3'], ['#4', '#5'], ['#6'], ['#7', '#8', '#9', '#10', '#11', '#12'], []],
  )
})

test('only so many batches are written at a time', async () => {
  const gate = createGate()
  const { batcher } = createBatcher(gate.run, { items: 1, inFlight: 2 })

  const done = submitEach(batcher, [1, 2, 3, 4])
  await turn()

  assert.deepEqual(gate.batches, [[1], [2]])
  await gate.letOne()
  assert.deepEqual(gate.batches, [[1], [2], [3]])
  await gate.letAll()
  assert.deepEqual((await done).map(codeOf), ['#1', '#2', '#3', '#4'])
})

test('one poisoned item fails alone, and its neighbours are written', async () => {
  const written: number[] = []
  const { batcher, errors } = createBatcher(async (items) => {
    if (items.includes(3)) throw new Error('a bug met item 3')
    written.push(...items)
    return names(items)
  })

  const results = await batcher.submitAll([1, 2, 3, 4])

  assert.deepEqual(
    results.map((result) => (result.ok ? result.value : (result.error as Error).message)),
    ['#1', '#2', 'a bug met item 3', '#4'],
  )
  assert.deepEqual(written, [1, 2, 4])
  assert.equal(errors.length, 2) // First the batch fails, then the bad item alone.
})

test('a refusal among the results is thrown only to the caller of that item', async () => {
  const { batcher, errors } = createBatcher(async (items) =>
    items.map((item) => (item === 2 ? new Refusal('advice_paid') : name(item))),
  )

  const results = await submitEach(batcher, [1, 2, 3])

  assert.deepEqual(results.map(codeOf), ['#1', 'advice_paid', '#3'])
  assert.deepEqual(errors, [])
})

test('a batch that answers too few or too many answers nobody wrongly', async () => {
  for (const wrong of [[], ['#1'], ['#1', '#2', '#3']]) {
    const { batcher, errors } = createBatcher(async (items) =>
      items.length > 1 ? wrong : names(items),
    )
    const results = await submitEach(batcher, [1, 2])
    assert.deepEqual(results.map(codeOf), ['#1', '#2'])
    assert.equal(errors.length, 1)
  }
})

test('a lost connection tells every caller to try again, and no item runs twice', async () => {
  let runs = 0
  const { batcher, errors } = createBatcher(async () => {
    runs++
    throw lost()
  })

  const results = await submitEach(batcher, [1, 2, 3])

  assert.deepEqual(results.map(codeOf), ['try_again', 'try_again', 'try_again'])
  assert.deepEqual([runs, errors.length], [1, 1])
})

test('a connection lost while a poisoned batch is run item by item loses no answer', async () => {
  const { batcher } = createBatcher(async (items) => {
    if (items.length > 1) throw new Error('poisoned')
    if (items[0] === 2) throw lost()
    return names(items)
  })

  const results = await submitEach(batcher, [1, 2, 3])

  assert.deepEqual(results.map(codeOf), ['#1', 'try_again', '#3'])
})

test('work that throws before it begins is answered like any other failure', async () => {
  const { batcher } = createBatcher(() => {
    throw lost()
  })

  assert.deepEqual((await submitEach(batcher, [1])).map(codeOf), ['try_again'])
  await batcher.drain()
})

test('beyond its bound the queue refuses at once, and takes more as soon as there is room', async () => {
  const gate = createGate()
  const { batcher } = createBatcher(gate.run, { items: 2, queue: 4 })
  const first = submitEach(batcher, [1, 2])
  await turn() // The items are being written, so the queue is empty again.

  const waiting = submitEach(batcher, [3, 4, 5, 6])
  assert.equal(batcher.queued, 4)
  assert.deepEqual((await submitEach(batcher, [7])).map(codeOf), ['busy'])
  assert.throws(() => batcher.submitAll([7, 8]), { code: 'busy' })
  await gate.letOne()
  const later = submitEach(batcher, [9, 10])
  assert.deepEqual((await submitEach(batcher, [11])).map(codeOf), ['busy'])
  await gate.letAll()

  const answers = [...(await first), ...(await waiting), ...(await later)].map(codeOf)
  assert.deepEqual(answers, [1, 2, 3, 4, 5, 6, 9, 10].map(name))
  assert.deepEqual(gate.batches.flat(), [1, 2, 3, 4, 5, 6, 9, 10])
})

test('draining waits for what was submitted, also for what was submitted meanwhile', async () => {
  const gate = createGate()
  const { batcher } = createBatcher(gate.run)
  const seen: string[] = []
  const recordCall = (what: string) => () => void seen.push(what)

  await batcher.drain()
  const first = batcher.submit(1).then(recordCall('first'))
  const drained = batcher.drain().then(recordCall('drained'))
  await turn()
  const second = batcher.submit(2).then(recordCall('second'))
  await gate.letOne()
  await gate.letAll()
  await Promise.all([first, second, drained])

  assert.deepEqual(seen, ['first', 'second', 'drained'])
})

test('a lone request is written in the next turn of the event loop: no timer is ever set', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { batcher } = createBatcher(names)
  const activeTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')
  const before = activeTimers()
  let answer: unknown

  void batcher.submit(1).then((value) => {
    answer = value
  })
  assert.deepEqual(activeTimers(), before)
  await turn()
  await turn()

  assert.equal(answer, '#1')
  assert.equal(batcher.queued, 0)
})

test('answered by a call, each is told in its own context, whatever another one does with it', async () => {
  const { batcher, errors } = createBatcher(names)
  const caller = new AsyncLocalStorage<string>()
  const failures: unknown[] = []
  const submit = (callerName: string, item: number) =>
    caller.run(callerName, () => {
      batcher.enqueue([item], (results) => {
        failures.push([caller.getStore(), results])
        if (callerName === 'clumsy') throw new Error('it stumbled')
      })
    })

  submit('clumsy', 1)
  submit('second', 2)
  const promised = batcher.submit(3)
  batcher.enqueue([], (results) => failures.push(results))
  await batcher.drain()

  assert.deepEqual(failures, [
    [],
    ['clumsy', [{ ok: true, value: '#1' }]],
    ['second', [{ ok: true, value: '#2' }]],
  ])
  assert.equal(await promised, '#3')
  assert.deepEqual(errors.map(String), ['Error: it stumbled'])
})

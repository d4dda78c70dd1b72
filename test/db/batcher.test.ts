// Group commit: what comes together is written together, in order; one bad item fails alone; a lost
// connection is nobody's fault; what is too much is refused at once; nobody waits for a timer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Batcher } from '#db/batcher.ts'
import { QueueDelay } from '#db/queue-delay.ts'
import { Refusal } from '#errors.ts'

type Run = (items: readonly number[]) => Promise<readonly (string | Refusal)[]>

const name = (item: number) => `#${item}`
const names = async (items: readonly number[]) => items.map(name)
const lost = () => Object.assign(new Error('terminating connection'), { code: '57P01' })

// Batches wait until they are let go, so that a test decides what comes while one is written.
function createGate(run: Run = names) {
  const batches: number[][] = []
  const waiting: (() => void)[] = []
  return {
    batches,
    run: async (items: readonly number[]) => {
      batches.push([...items])
      await new Promise<void>((resolve) => waiting.push(resolve))
      return run(items)
    },
    letOne: async () => {
      waiting.shift()?.()
      await turn()
    },
    letAll: async () => {
      while (waiting.length > 0) {
        waiting.shift()?.()
        await turn()
      }
    },
  }
}

function createBatcher(
  run: Run,
  limits: Partial<Record<'items' | 'inFlight' | 'queue', number>> = {},
) {
  const { items: itemsMax = 10, inFlight: inFlightMax = 1, queue: queueMax = 100 } = limits
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const batcher = new Batcher<number, string | Refusal>({
    run,
    itemsMax,
    inFlightMax,
    queueMax,
    onError,
  })
  return { batcher, errors }
}

const submitEach = (batcher: Batcher<number, string | Refusal>, items: readonly number[]) =>
  Promise.allSettled(items.map((item) => batcher.submit(item)))

const codeOf = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' ? (result.reason as Refusal).code : result.value

test('what comes while a batch is written goes into the next one, each answered its own', async () => {
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

test('requests of one turn of the event loop share a batch', async () => {
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

  // Larger than a batch, a call is a batch of its own: half of it could not be committed alone.
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
  assert.equal(errors.length, 2) // The batch, then the culprit alone.
})

test('a refusal among the answers is thrown to whom it concerns, and to nobody else', async () => {
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

test('a lost connection tells everybody to try again, and nothing is run twice', async () => {
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
  await turn() // They are being written: the queue is empty again.

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
  const note = (what: string) => () => void seen.push(what)

  await batcher.drain()
  const first = batcher.submit(1).then(note('first'))
  const drained = batcher.drain().then(note('drained'))
  await turn()
  const second = batcher.submit(2).then(note('second'))
  await gate.letOne()
  await gate.letAll()
  await Promise.all([first, second, drained])

  assert.deepEqual(seen, ['first', 'second', 'drained'])
})

test('a lone request is written in the next turn of the event loop: no timer is ever set', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { batcher } = createBatcher(names)
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')
  const before = timers()
  let answer: unknown

  void batcher.submit(1).then((value) => {
    answer = value
  })
  assert.deepEqual(timers(), before)
  await turn()
  await turn()

  assert.equal(answer, '#1')
  assert.equal(batcher.queued, 0)
})

test('what would wait too long is refused at once, and let in again when the queue moves', async () => {
  const gate = createGate()
  let nowMs = 0
  const limits = { itemsMax: 1, inFlightMax: 1, queueMax: 100 }
  const delay = new QueueDelay(() => nowMs)
  const batcher = new Batcher<number, string | Refusal>({
    ...limits,
    delay,
    onError: () => {},
    run: gate.run,
  })

  const taken = [batcher.submit(1)]
  await turn()
  taken.push(batcher.submit(2))
  nowMs = 3_000
  assert.equal(batcher.isOverloaded, true)
  const refused = await Promise.allSettled([batcher.submit(3)])
  await gate.letOne()
  assert.equal(batcher.isOverloaded, false)
  taken.push(batcher.submit(4))
  await gate.letAll()

  assert.deepEqual(refused.map(codeOf), ['busy'])
  assert.deepEqual(await Promise.all(taken), ['#1', '#2', '#4'])
})

test('what nobody waits for any more is refused and not written', async () => {
  const gate = createGate()
  let nowMs = 0
  const limits = { itemsMax: 10, inFlightMax: 1, queueMax: 100 }
  const delay = new QueueDelay(() => nowMs)
  const batcher = new Batcher<number, string | Refusal>({
    ...limits,
    delay,
    onError: () => {},
    run: gate.run,
  })

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

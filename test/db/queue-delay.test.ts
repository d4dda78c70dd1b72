// When a queue refuses new items: it works off a burst, keeps a queue that does not shrink short, and
// accepts nothing while it does not move at all.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueDelay } from '#hot-path/batcher.ts'

// Returns a queue delay with a fake clock. `refuses` asks it about an item that has waited this long.
// `takeAfter` takes an item from the queue that has waited this long.
function setup() {
  let nowMs = 1_000
  const delay = new QueueDelay(() => nowMs)
  return {
    delay,
    pass: (ms: number) => {
      nowMs += ms
      return nowMs
    },
    takeAfter: (waitedMs: number) => delay.recordDequeue(nowMs - waitedMs),
    refuses: (waitedMs: number, { items = 4_000, isBlocked = true } = {}) =>
      delay.refuses({ sinceMs: nowMs - waitedMs, items, isBlocked }),
  }
}

test('a burst is accepted: one long wait alone causes no refusal', () => {
  const { takeAfter, refuses, pass } = setup()

  takeAfter(600)
  assert.equal(refuses(600), false)
  pass(99)
  takeAfter(500)
  assert.equal(refuses(500), false)
  takeAfter(20)
  pass(500)
  takeAfter(150)

  assert.equal(refuses(150), false)
})

test('waits that stay too long for a tenth of a second refuse newcomers, until one is short', () => {
  const { takeAfter, refuses, pass } = setup()

  takeAfter(100)
  pass(100)
  takeAfter(100)
  assert.equal(refuses(100), true)

  takeAfter(99)
  assert.equal(refuses(100), false)
})

for (const [perSecond, backlog] of [
  [8_000, 4_000],
  [1_000, 500],
  [100, 250],
] as const) {
  test(`where ${perSecond} a second are served, ${backlog} are let in while it sheds`, () => {
    const { delay, takeAfter, refuses, pass } = setup()

    takeAfter(500)
    pass(500)
    takeAfter(500)
    assert.equal(refuses(500, { items: 3_999 }), false)
    assert.equal(refuses(500, { items: 4_000 }), true)
    for (let batches = 0; batches < 5; batches++) {
      pass(100)
      delay.countWritten(perSecond / 10)
    }

    assert.equal(refuses(500, { items: backlog - 1 }), false)
    assert.equal(refuses(500, { items: backlog }), true)
  })
}

test('a queue that does not move refuses newcomers after three seconds', () => {
  const { refuses } = setup()

  assert.equal(refuses(2_999, { items: 1 }), false)
  assert.equal(refuses(3_000, { items: 1 }), true)
  // The process itself is slow, not the database: the waiting items are written in this same turn of the
  // event loop.
  assert.equal(refuses(3_000, { items: 1, isBlocked: false }), false)
})

// Simulates ten seconds of a queue that can serve 10,000 items a second, in batches as they arrive.
for (const times of [0.9, 2, 4]) {
  test(`at ${times} times what can be served, what is let in is served within a second`, () => {
    const { delay, pass } = setup()
    const queue: number[] = []
    const waitsMs: number[] = []
    let [arrivals, refused, room] = [0, 0, 0]
    for (let ms = 0; ms < 10_000; ms++) {
      const nowMs = pass(1)
      for (arrivals += times * 10; arrivals >= 1; arrivals--) {
        const [sinceMs] = queue
        const items = queue.length
        if (sinceMs !== undefined && delay.refuses({ sinceMs, items, isBlocked: true })) refused++
        else queue.push(nowMs)
      }
      room += 10
      if (queue[0] === undefined || room < 200) continue // A batch takes 20 ms, and has 200 items.
      delay.recordDequeue(queue[0])
      const batch = queue.splice(0, room)
      for (const sinceMs of batch) waitsMs.push(nowMs - sinceMs)
      delay.countWritten(batch.length)
      room = 0
    }

    const longestMs = waitsMs.reduce((most, each) => Math.max(most, each), 0)
    assert(longestMs < 1_000, `${longestMs} ms`)
    assert(waitsMs.length > 100_000 * Math.min(times, 1) * 0.97, `${waitsMs.length} served`)
    assert.equal(refused > 0, times > 1)
  })
}

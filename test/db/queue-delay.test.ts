// When a queue refuses: a burst is worked off, a standing queue is kept short, and one that does
// not move at all takes nobody in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueDelay } from '#db/queue-delay.ts'

function setup() {
  let nowMs = 1_000
  return {
    delay: new QueueDelay(() => nowMs),
    pass: (ms: number) => {
      nowMs += ms
      return nowMs
    },
    ago: (ms: number) => nowMs - ms,
  }
}

test('a burst is taken: one long wait alone refuses nobody', () => {
  const { delay, ago, pass } = setup()

  delay.taken(ago(600))
  assert.equal(delay.refuses(ago(600)), false)
  pass(99)
  delay.taken(ago(500))
  assert.equal(delay.refuses(ago(500)), false)
  delay.taken(ago(20))
  pass(500)
  delay.taken(ago(150))

  assert.equal(delay.refuses(ago(150)), false)
})

test('waits that stay too long for a tenth of a second refuse newcomers, until one is short', () => {
  const { delay, ago, pass } = setup()

  delay.taken(ago(100))
  pass(100)
  delay.taken(ago(100))
  assert.equal(delay.refuses(ago(100)), true)
  assert.equal(delay.refuses(ago(99)), false)

  delay.taken(ago(99))
  assert.equal(delay.refuses(ago(100)), false)
})

test('a queue that does not move refuses newcomers after a second', () => {
  const { delay, ago } = setup()

  assert.equal(delay.refuses(ago(999)), false)
  assert.equal(delay.refuses(ago(1_000)), true)
})

// Ten simulated seconds of a queue that serves 1,000 a second, in batches as they come.
for (const times of [0.9, 2, 4]) {
  test(`at ${times} times what can be served, what is let in is served within a second`, () => {
    const { delay, pass, ago } = setup()
    const queue: number[] = []
    const waitsMs: number[] = []
    let [arrivals, served, refused, room] = [0, 0, 0, 0]
    for (let ms = 0; ms < 10_000; ms++) {
      const nowMs = pass(1)
      for (arrivals += times; arrivals >= 1; arrivals--) {
        if (queue[0] !== undefined && delay.refuses(queue[0])) refused++
        else queue.push(nowMs)
      }
      room++
      if (queue[0] === undefined || room < 20) continue // A batch takes 20 ms, and has 20 items.
      delay.taken(queue[0])
      for (const sinceMs of queue.splice(0, room)) waitsMs.push(ago(0) - sinceMs)
      served = waitsMs.length
      room = 0
    }

    assert(Math.max(...waitsMs) < 1_000, `${Math.max(...waitsMs)} ms`)
    assert(served > 10_000 * Math.min(times, 1) * 0.97, `${served} served`)
    assert.equal(refused > 0, times > 1)
  })
}

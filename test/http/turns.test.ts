// A burst of writes is started a few at a time, in turn with other ready work of the process.

import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Turns } from '#http/load-shedding.ts'

const request = (method: string, destroyed = false) =>
  ({ method, destroyed, socket: { destroyed: false } }) as IncomingMessage

// Takes a turn for each of `count` requests at once. Each adds to `begun` when it is started.
function burst(turns: Turns, count: number, begun: number[], message = request('POST')): void {
  for (let n = 0; n < count; n++) turns.take(message, () => void begun.push(begun.length))
}

test('a burst is begun a few in each turn of the event loop, and a lone write at once', async () => {
  const turns = new Turns(() => true)
  const begun: number[] = []
  burst(turns, 30, begun)
  const counts = [begun.length]
  while (begun.length < 30) {
    await nextTurn()
    counts.push(begun.length)
  }
  assert.deepEqual(counts, [8, 16, 24, 30])

  await nextTurn()
  burst(turns, 1, begun)
  assert.equal(begun.length, 31)
})

test('requests that arrive while others wait come after them, even before a write', async () => {
  let isWriting = true
  const turns = new Turns(() => isWriting)
  const order: string[] = []
  for (let n = 0; n < 20; n++) turns.take(request('POST'), () => void order.push('early'))
  isWriting = false
  turns.take(request('POST'), () => void order.push('late'))
  while (order.length < 21) await nextTurn()
  assert.equal(order.indexOf('late'), 20)
})

test('a long queue takes a few dozen turns, not one for every few', async () => {
  const turns = new Turns(() => true)
  const begun: number[] = []
  burst(turns, 4_000, begun)
  let count = 0
  for (; begun.length < 4_000; count++) await nextTurn()
  assert(count < 100, `${count} turns`)
})

test('while nothing is being written a burst is begun at once, also what waited', async () => {
  let isWriting = false
  const turns = new Turns(() => isWriting)
  const begun: number[] = []
  burst(turns, 30, begun)
  assert.equal(begun.length, 30)

  await nextTurn()
  isWriting = true
  burst(turns, 60, begun)
  assert.equal(begun.length, 38)
  isWriting = false
  await nextTurn()
  assert.equal(begun.length, 90)
})

test('reads do not wait, and a request whose caller hung up is not started', async () => {
  const turns = new Turns(() => true)
  const begun: number[] = []
  burst(turns, 8, begun)
  burst(turns, 1, begun, request('GET'))
  assert.equal(begun.length, 9)

  const lost: number[] = []
  burst(turns, 5, lost, request('POST', true))
  burst(turns, 1, begun)
  while (begun.length < 10) await nextTurn()
  assert.deepEqual(lost, [])
})

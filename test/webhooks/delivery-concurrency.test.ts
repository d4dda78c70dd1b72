// The number of concurrent deliveries per destination, without a network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAILURES_TO_PAUSE } from '#records/call-rates.ts'
import type { Claim } from '#webhooks/claims.ts'
import { DeliveryConcurrency, IN_FLIGHT_MAX, WIDTH_MAX } from '#webhooks/delivery-workers.ts'
import { asId } from '../support/as-id.ts'

type Item = { claim: Claim }

test('a lane starts with one, is doubled by each success up to its width, and halved by failure', () => {
  const bench = setup()
  bench.add(bench.items(1n, 100))
  const widths = [bench.flying.length]
  for (let i = 0; i < 7; i++) {
    bench.finish(true)
    widths.push(bench.flying.length)
  }
  assert.deepEqual(widths, [1, 2, 4, 8, 16, WIDTH_MAX, WIDTH_MAX, WIDTH_MAX])

  bench.finish(false)
  assert.equal(bench.flying.length, WIDTH_MAX - 1) // No new item starts until the others have ended.
  for (let i = 0; i < FAILURES_TO_PAUSE - 2; i++) bench.finish(false)
  assert.deepEqual(bench.refused, [])
  bench.finish(false)
  assert(bench.refused.length > 0)
})

test('more deliveries are claimed before a lane is empty, but not before it has room', () => {
  const bench = setup()
  bench.add(bench.items(1n, 1))
  assert.equal(bench.concurrency.limits()?.rooms.get(asId(1n)), 3)
  bench.add(bench.items(1n, 3))
  assert.equal(bench.concurrency.limits()?.rooms.get(asId(1n)), 0)
  assert.equal(bench.needed(), 0)
  bench.settle(bench.finish(true))
  assert.equal(bench.concurrency.limits()?.rooms.get(asId(1n)), 5)
  assert.equal(bench.needed(), 1)
})

test('a destination that failed last time gets one delivery at a time', () => {
  const bench = setup()
  bench.add(bench.items(1n, 1, 2))
  assert.equal(bench.concurrency.limits()?.rooms.get(asId(1n)), 0)
  bench.settle(bench.finish(false))
  assert.equal(bench.concurrency.limits()?.rooms.get(asId(1n)), 1)
})

test('all that fail have half of the places at most; the others go on', () => {
  const bench = setup()
  for (let id = 1n; id <= IN_FLIGHT_MAX / 2; id++) bench.add(bench.items(id, 1, 1))
  const limits = bench.concurrency.limits()
  assert.deepEqual([limits?.takesFailing, limits?.otherRoom], [false, 1])
  bench.settle(bench.finish(false))
  assert.equal(bench.concurrency.limits()?.takesFailing, true)
})

test('no more is in flight or held than there are places, and each lane gets one in turn', () => {
  const bench = setup()
  for (let id = 1n; id <= 2n * BigInt(IN_FLIGHT_MAX); id++) bench.add(bench.items(id, 1))
  assert.equal(bench.flying.length, IN_FLIGHT_MAX)
  assert.equal(bench.concurrency.limits(), undefined)
  assert.equal(new Set(bench.flying.map(({ claim }) => claim.destinationId)).size, IN_FLIGHT_MAX)

  while (bench.flying.length > 0) bench.settle(bench.finish(true))
  assert.equal(bench.concurrency.held, 0)
  assert(bench.needed() > 0)
  assert(bench.concurrency.limits())
})

test('a lane that was idle for a while is forgotten', () => {
  const bench = setup()
  bench.add(bench.items(1n, 1))
  bench.settle(bench.finish(true))
  assert.equal(bench.concurrency.limits()?.rooms.size, 1)
  bench.advance(10_001)
  assert.equal(bench.concurrency.limits()?.rooms.size, 0)
})

// The concurrency control with a clock that the test moves. `flying` has the started items until the test
// finishes them, `refused` the items that the control gave back, and `needed` counts its requests for claims.
function setup() {
  const flying: Item[] = []
  const refused: Item[] = []
  let needed = 0
  let nowMs = 0
  const concurrency = new DeliveryConcurrency<Item>({
    start: (item) => flying.push(item),
    requestClaim: () => needed++,
    nowMs: () => nowMs,
  })
  return {
    concurrency,
    flying,
    refused,
    add(items: readonly Item[]): void {
      concurrency.hold(items.map(({ claim }) => claim))
      concurrency.add(items)
    },
    needed: () => needed,
    advance: (ms: number) => {
      nowMs += ms
    },
    items: (destinationId: bigint, count: number, failures = 0): Item[] =>
      Array.from({ length: count }, () => {
        return { claim: { destinationId: asId(destinationId), failures, hasMore: true } as Claim }
      }),
    finish(isOk: boolean): Item {
      const item = flying.shift() as Item
      refused.push(...concurrency.attemptEnded(item, isOk))
      return item
    },
    settle: ({ claim }: Item) => concurrency.settled(claim),
  }
}

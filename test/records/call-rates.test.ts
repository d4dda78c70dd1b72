// All processes together call a bank no faster than its rate limit, counting calls of every kind (I40). Calls
// beyond the limit wait, and no kind of call starves the others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallKind } from '#records/call-rates.ts'
import { assertCleanBooks, holdTable } from '../support/bank-calls.ts'
import { SECOND_MS, startBusyBank } from '../support/busy-bank.ts'
import { MINUTE_MS } from '../support/fixtures.ts'
import { readSeed, seededRandom } from '../support/random.ts'

const KINDS: readonly CallKind[] = ['payouts', 'payout_queries', 'requeries']

test('two processes together call a bank no faster than its rate, for any kind of call', async () => {
  const random = seededRandom(readSeed())
  const backlog = { payouts: 30, unknown: 20, questions: 30 }
  await using world = await startBusyBank({ ratePerSecond: 5, concurrency: 4 }, backlog)
  const { bench, processes, made } = world

  let passedMs = 0
  while (passedMs < 12 * SECOND_MS) {
    const rounds = processes.flatMap(({ send, query, askOnce }) => [send, query, askOnce])
    await Promise.all(rounds.map((round) => round()))
    const ms = random.integer(1, 400)
    bench.advance(ms)
    passedMs += ms
  }

  world.assertRate(5)
  assert(made.length > 40, `${made.length} calls`)
  for (const kind of KINDS) assert(world.countOf(kind) > 5, kind)
  await assertCleanBooks(bench)
})

test('a payout for which there is no room stays queued, and goes out later', async () => {
  await using world = await startBusyBank({ ratePerSecond: 2, concurrency: 4 }, { payouts: 5 })
  const { bench, processes } = world
  const [one, other] = processes

  await Promise.all([one.send(), other.send()])
  assert.deepEqual(await world.statuses(), { confirmed: 2, queued: 3 })
  bench.advance(SECOND_MS - 1)
  await Promise.all([one.send(), other.send()])
  assert.deepEqual(await world.statuses(), { confirmed: 2, queued: 3 })
  bench.advance(1)
  await one.send()
  assert.deepEqual(await world.statuses(), { confirmed: 4, queued: 1 })
  bench.advance(SECOND_MS)
  await other.send()
  assert.deepEqual(await world.statuses(), { confirmed: 5 })
})

test('a call is counted from when it is made, however long its claim waited for others', async () => {
  await using world = await startBusyBank({ ratePerSecond: 1, concurrency: 4 }, { payouts: 2 })
  const { bench, processes } = world
  const [one, other] = processes

  const held = await holdTable(bench, 'bank_health')
  const sending = one.send()
  await held.waiting(1)
  bench.advance(SECOND_MS)
  await held[Symbol.asyncDispose]()
  await sending
  await other.send()

  assert.deepEqual(await world.statuses(), { confirmed: 1, queued: 1 })
})

test('a clock that jumps, ahead or back, stops no calls', async () => {
  const backlog = { payouts: 3, unknown: 3 }
  await using world = await startBusyBank({ ratePerSecond: 1, concurrency: 1 }, backlog)
  const { bench, processes } = world
  const [{ send, query }] = processes

  for (const ms of [0, MINUTE_MS, -MINUTE_MS / 2]) {
    bench.advance(ms)
    await send()
    bench.advance(4 * SECOND_MS)
    await query()
  }

  assert.deepEqual([world.countOf('payouts'), world.countOf('payout_queries')], [3, 3])
})

test('by clocks that differ by seconds a bank is called at its rate by each, and no faster', async () => {
  await using world = await startBusyBank({ ratePerSecond: 1, concurrency: 4 }, { payouts: 6 })
  const { bench, processes } = world
  const [one, other] = processes

  for (let round = 0; round < 3; round++) {
    await one.send()
    bench.advance(2 * SECOND_MS)
    await other.send()
    bench.advance(-2 * SECOND_MS)
  }

  assert.deepEqual(await world.statuses(), { confirmed: 2, queued: 4 })
})

// The rounds run as often as the workers run them.
test('no kind of call starves another, at one call a second', async () => {
  const backlog = { payouts: 20, unknown: 20, questions: 20 }
  await using world = await startBusyBank({ ratePerSecond: 1, concurrency: 4 }, backlog)
  const { bench, processes, made } = world
  const [{ send, query, askOnce }] = processes

  for (let quarter = 0; quarter < 100; quarter++) {
    await send()
    if (quarter % 2 === 0) await askOnce()
    if (quarter % 4 === 0) await query()
    bench.advance(SECOND_MS / 4)
  }

  world.assertRate(1)
  for (const kind of KINDS) {
    const times = made.flatMap((each) => (each.kind === kind ? [each.atMs] : []))
    const waits = times.slice(1).map((atMs, at) => atMs - (times[at] as number))
    assert(Math.max(...waits) <= 5 * SECOND_MS, `${kind}: ${waits}`)
    assert(times.length >= 5, `${kind}: ${times.length} times`)
  }
})

test('a call goes to the process that waits longest, unless that process no longer asks', async () => {
  const backlog = { payouts: 4, unknown: 1 }
  await using world = await startBusyBank({ ratePerSecond: 1, concurrency: 4 }, backlog)
  const { bench, processes } = world
  const [one, other] = processes
  const counts = () => KINDS.map(world.countOf)
  // After these calls both wait for room at the bank: first the payouts, then the queries.
  await one.send()
  await one.query()

  const perSecond: number[][] = []
  for (let second = 0; second < 3; second++) {
    bench.advance(SECOND_MS)
    await other.send()
    perSecond.push(counts())
  }
  const [served, left, lapsed] = [
    [2, 0, 0],
    [2, 0, 0],
    [3, 0, 0],
  ]
  assert.deepEqual(perSecond, [served, left, lapsed])
  await one.query()
  for (const round of [other.query, other.send, other.query]) {
    bench.advance(SECOND_MS)
    await round()
    perSecond.push(counts())
  }
  assert.deepEqual(perSecond.slice(3), [
    [3, 0, 0],
    [4, 0, 0],
    [4, 1, 0],
  ])
})

// Deliveries that were scheduled while the machine's clock was wrong are sent once it is right again, no
// later than the retry schedule says.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { claimDeliveries } from '#webhooks/claims.ts'
import { RETRY_STEPS_MS } from '#webhooks/retry-schedule.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const HOUR_MS = 3_600_000
const NINE_DAYS_MS = 9 * 24 * HOUR_MS
const ALL = { rooms: new Map(), otherRoom: 100, takesFailing: true }

test('first attempts queued by a clock nine days ahead go out as soon as it is right', async () => {
  await using bench = await setup()
  const deliverer = bench.newDeliverer() // Sees the clock go forward and back.
  bench.advance(NINE_DAYS_MS)
  await bench.deliver(deliverer)
  for (let at = 0; at < 96; at++) await simulate(bench, bench.accountNumber, '1')
  await bench.dispatch()
  bench.advance(-NINE_DAYS_MS)

  await bench.deliver(deliverer)

  assert.equal(bench.receiver.received.length, 97)
})

test('a delivery queued by a clock ahead goes out soon after ours was set back', async () => {
  await using bench = await setup()
  const deliverer = bench.newDeliverer()
  bench.advance(NINE_DAYS_MS)
  await bench.deliver(deliverer)
  bench.advance(-NINE_DAYS_MS)
  await bench.deliver(deliverer)
  await simulate(bench, bench.accountNumber, '1')
  bench.advance(NINE_DAYS_MS)
  await bench.dispatch() // By the other process.
  bench.advance(-NINE_DAYS_MS)
  bench.advance(15_000)

  await bench.deliver(deliverer)

  assert.equal(bench.receiver.received.length, 2)
})

test('a failed correction is repeated in the next round, and at the latest after five minutes', async () => {
  for (const isForgotten of [false, true]) {
    await using bench = await setup()
    const pool = failingOnce(bench.webhookPool)
    const deliverer = bench.newDeliverer({ webhookPool: pool })
    bench.advance(NINE_DAYS_MS)
    await bench.deliver(deliverer)
    await simulate(bench, bench.accountNumber, '1')
    await bench.dispatch()
    bench.advance(-NINE_DAYS_MS)
    pool.fail()
    await assert.rejects(deliverer.round(new AbortController().signal), /no connection/)
    // Another process corrects nothing either: it knows of no wrong clock, and of no correction to make.
    if (isForgotten) bench.advance(5 * 60_000)

    await bench.deliver(deliverer)

    assert.equal(bench.receiver.received.length, 2)
  }
})

test('a retry planned by a clock ahead comes after its own step, in a new process too', async () => {
  for (const aheadMs of [10 * HOUR_MS, NINE_DAYS_MS]) {
    await using bench = await setup()
    bench.answers(500)
    bench.advance(aheadMs)
    await bench.run()
    bench.advance(-aheadMs)
    bench.answers(200)
    const later = bench.newDeliverer()

    await bench.deliver(later)
    assert.equal(bench.receiver.received.length, 1)
    bench.advance(RETRY_STEPS_MS[1] * 1.1)
    await bench.deliver(later)

    assert.equal(bench.receiver.received.length, 2)
    assert.equal((await bench.deliveries())[0]?.state, 'delivered')
  }
})

test('a wait that a receiver requested is left as it is', async () => {
  await using bench = await setup()
  bench.answers(503, { 'retry-after': '72000' })
  await bench.run()
  const [before] = await bench.deliveries()

  await bench.deliver(bench.newDeliverer())

  assert.deepEqual(await bench.deliveries(), [before])
  assert.equal(Number(before.nextAttemptAt) - bench.clock().getTime(), 20 * HOUR_MS)
})

test('leases and pauses taken by a clock ahead end as soon as it is right', async () => {
  await using bench = await setup()
  bench.advance(NINE_DAYS_MS)
  bench.answers(500)
  for (let at = 0; at < 6; at++) await simulate(bench, bench.accountNumber, '1')
  await bench.run() // Five failures in a row: paused.
  await bench.db.query('update destinations set paused_until = null, failures = 0')
  await simulate(bench, bench.accountNumber, '1')
  await bench.dispatch()
  const claim = await withTransaction(bench.webhookPool, (tx) =>
    claimDeliveries(tx, bench.clock(), ALL),
  )
  assert(claim.claims.length > 0)
  await bench.db.query(
    'update destinations set failures = 5, paused_until = $1, failing_since = $1',
    [new Date(bench.clock().getTime() + 300_000)],
  )
  bench.advance(-NINE_DAYS_MS)
  bench.answers(200)
  const later = bench.newDeliverer()

  await bench.deliver(later)
  bench.advance(RETRY_STEPS_MS[1] * 1.1)
  await bench.deliver(later)

  const states = (await bench.deliveries()).map(({ state }) => state)
  assert.deepEqual(new Set(states), new Set(['delivered']))
  assert.equal(states.length, 8)
})

// The pool, whose next connection fails once the test says so.
function failingOnce(pool: Pool): Pool & { fail(): void } {
  let fails = false
  return new Proxy(pool, {
    get(target, key) {
      if (key === 'fail')
        return () => {
          fails = true
        }
      if (key === 'connect' && fails) {
        fails = false
        return () => Promise.reject(new Error('no connection'))
      }
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Pool & { fail(): void }
}

// A bench with an account whose receiver gives the status and headers set with `answers`.
async function setup() {
  let [status, headers] = [200, {}]
  const receiver = await listener((response) => response.writeHead(status, headers).end())
  const bench = await startWebhookBench()
  const { accountNumber } = await createAccount(bench, { notificationUrl: receiver.url })
  return {
    ...bench,
    receiver,
    accountNumber,
    answers: (newStatus: number, newHeaders: Record<string, string> = {}) => {
      ;[status, headers] = [newStatus, newHeaders]
    },
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

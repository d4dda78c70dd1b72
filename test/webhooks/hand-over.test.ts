// New deliveries that the dispatcher leases to the sender of its own process: they need no claim, they
// outlive that process, and they get no advantage that a claim would not give.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { Notifier } from '#notifier.ts'
import { claimDeliveries, LEASE_MS } from '#webhooks/claims.ts'
import type { HandOver } from '#webhooks/dispatch.ts'
import { type Deliverer, dispatchEventsRound } from '#webhooks/workers.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { listener, startWebhookBench, type WebhookBench } from '../support/webhook-bench.ts'

const NEVER = new AbortController().signal
const IS_BLOCKED = `
  select from pg_stat_activity
   where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
const HOUR_MS = 3_600_000
const ANY_ROOM = { rooms: new Map(), otherRoom: 100, takesFailing: true }

test('a new delivery is sent without a claim; its queue is due when the lease ends', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })
  const deliverer = bench.newDeliverer()

  assert.equal(await dispatchTo(bench, deliverer), 0)
  await deliverer.idle()

  assert.deepEqual(receiver.types(), ['account.created'])
  assert.deepEqual(await states(bench), [['delivered', 1]])
  const { rows } = await bench.db.query('select due_at from destinations')
  assert.deepEqual(rows, [{ dueAt: leaseEnd(bench) }])
})

test('deliveries that were handed to a process that died are sent when the leases end', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await fill(bench, receiver.url, 3)
  await dispatchTo(bench, dying())

  bench.advance(LEASE_MS - 1)
  await runRounds(bench.newDeliverer())
  assert.equal(receiver.received.length, 0)
  bench.advance(1)
  await runRounds(bench.newDeliverer())

  assert.equal(receiver.received.length, 4)
})

test('a claim that finds the queue empty meanwhile does not hide the new leases', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  const { accountNumber } = await createAccount(bench, { notificationUrl: receiver.url })
  const deliverer = bench.newDeliverer()
  await dispatchTo(bench, deliverer)
  await deliverer.idle()
  await simulate(bench, accountNumber, '1')

  let dispatching: Promise<number> | undefined
  let isDispatched = false
  // The claim of a worker whose clock says that the first lease has ended.
  const early = await withTransaction(bench.webhookPool, async (tx) => {
    const found = await claimDeliveries(tx, leaseEnd(bench), ANY_ROOM)
    dispatching = dispatchTo(bench, dying()).finally(() => {
      isDispatched = true
    })
    await until('the dispatcher waits, or is done', async () => {
      const { rows } = await bench.db.query(IS_BLOCKED)
      return isDispatched || rows.length > 0
    })
    return found
  })
  await dispatching
  assert.deepEqual(early.claims, [])
  bench.advance(LEASE_MS)
  await runRounds(deliverer)

  assert.deepEqual(receiver.types(), ['account.created', 'collection.received'])
})

test('a late answer to a delivery that was handed over does not overwrite a newer one', async () => {
  const held = Promise.withResolvers<() => void>()
  await using receiver = await listener((response) => {
    if (receiver.received.length > 1) response.end('newer')
    else held.resolve(() => response.writeHead(500).end('older'))
  })
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })
  const slow = bench.newDeliverer()
  await dispatchTo(bench, slow)
  const answer = await held.promise
  bench.advance(LEASE_MS)
  await bench.deliver()

  answer()
  await slow.idle()

  const attempts = await bench.attempts()
  assert.deepEqual(
    attempts.map(({ attempt, responseStart }) => [attempt, responseStart]),
    [[1, 'newer']],
  )
  assert.deepEqual(await states(bench), [['delivered', 1]])
})

test('deliveries beyond the room of a destination are queued behind, and are claimed', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await fill(bench, receiver.url, 9)
  const notifier = new Notifier()
  const deliverer = bench.newDeliverer({ notifier })

  assert.equal(await dispatchTo(bench, deliverer), 1) // The dispatcher asks for a claim.
  await deliverer.idle()
  assert.deepEqual(receiver.types(), ['account.created']) // A destination begins with a width of one.
  await notifier.wait(60_000, NEVER) // Returns at once, because the sender also asks for a claim.
  await bench.deliver(deliverer)

  assert.equal(receiver.received.length, 10)
})

test('a destination with a queue, one that fails and a disabled one are handed nothing', async () => {
  await using bench = await startWebhookBench()
  const numbers: string[] = []
  for (const path of ['queued', 'failing', 'disabled', 'idle']) {
    const notificationUrl = `https://shop.example.com/${path}`
    numbers.push((await createAccount(bench, { notificationUrl })).accountNumber)
  }
  await bench.dispatch()
  await bench.db.query(
    `update deliveries set state = 'delivered';
     update destinations set due_at = case when url like '%/queued' then due_at end,
                             failures = (url like '%/failing')::int,
                             disabled_at = case when url like '%/disabled' then now() end`,
  )
  for (const number of numbers) await simulate(bench, number, '1')

  await dispatchTo(bench, dying())

  const { rows } = await bench.db.query(
    `select d.url, v.leased_until, d.due_at
       from deliveries v join destinations d on d.id = v.destination_id
      where v.state = 'pending' order by d.id`,
  )
  const now = bench.clock()
  assert.deepEqual(rows, [
    { url: 'https://shop.example.com/queued', leasedUntil: null, dueAt: now },
    { url: 'https://shop.example.com/failing', leasedUntil: null, dueAt: now },
    {
      url: 'https://shop.example.com/idle',
      leasedUntil: leaseEnd(bench),
      dueAt: leaseEnd(bench),
    },
  ])
})

test('no more is handed over than the sender has room for', async () => {
  await using bench = await startWebhookBench()
  await fill(bench, 'https://shop.example.com/one', 3)
  await fill(bench, 'https://shop.example.com/other', 3)

  await dispatchTo(bench, dying({ total: 5, roomOf: () => 3 }))

  const { rows } = await bench.db.query(
    `select count(leased_until)::int as leased, count(*)::int as all
       from deliveries group by destination_id order by destination_id`,
  )
  assert.deepEqual(rows, [
    { leased: 3, all: 4 },
    { leased: 2, all: 4 },
  ])
})

test('an event that was sent again before its dispatch is handed to nobody', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })
  const { rows } = await bench.db.query('select id from events')
  await bench.call({ method: 'POST', url: `/api/v1/events/${rows[0].id}/redeliver` })
  await createAccount(bench, { notificationUrl: `${receiver.url}/2` })
  const deliverer = bench.newDeliverer()

  await dispatchTo(bench, deliverer)
  await deliverer.idle()
  assert.equal(receiver.received.length, 0)
  await bench.deliver(deliverer)

  assert.deepEqual(receiver.received.map(({ path }) => path).sort(), ['/hook', '/hook/2'])
})

test('chaos settings hold back a delivery that was handed over, and it is sent later', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  const { id } = await bench.addEndpoint(receiver.url, ['account.created'])
  const url = `/sandbox/webhook-endpoints/${id}/chaos`
  await bench.call({ method: 'PUT', url, body: { delayMs: 5_000 } })
  await createAccount(bench)
  const deliverer = bench.newDeliverer()
  await dispatchTo(bench, deliverer)
  await deliverer.idle()
  assert.equal(receiver.received.length, 0)

  bench.advance(5_000)
  await bench.deliver(deliverer)

  assert.equal(receiver.received.length, 1)
})

test('a worker that stops is handed nothing, and gives back what comes too late', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })
  const stopped = bench.newDeliverer()
  const room = stopped.handOver()
  await stopped.stop()
  assert.equal(stopped.handOver(), undefined)
  // The dispatcher asked for the room before the worker stopped.
  await dispatchTo(bench, { handOver: () => room, takeOver: (claims) => stopped.takeOver(claims) })

  await runRounds(bench.newDeliverer())

  assert.equal(receiver.received.length, 1)
})

test('a clock that is ahead during a hand-over is noticed when it is set back', async () => {
  await using receiver = await listener((response) => response.writeHead(500).end())
  await using bench = await startWebhookBench()
  const deliverer = bench.newDeliverer()
  await deliverer.round(NEVER)
  await createAccount(bench, { notificationUrl: receiver.url })
  bench.advance(HOUR_MS)
  await dispatchTo(bench, deliverer)
  await deliverer.idle()
  bench.advance(5_000 - HOUR_MS)

  await deliverer.round(NEVER)

  const [delivery] = await bench.deliveries()
  assert(delivery?.nextAttemptAt < new Date(bench.clock().getTime() + HOUR_MS / 2))
})

test('two processes that dispatch, hand over and claim send every event once', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  const deliverers = [bench.newDeliverer(), bench.newDeliverer()]
  const numbers = await Promise.all(
    [1, 2, 3].map(async (path) => {
      const notificationUrl = `${receiver.url}/${path}`
      return (await createAccount(bench, { notificationUrl })).accountNumber
    }),
  )
  // Writes credits one after the other, so that some rounds find few events and others many.
  const write = async (number: string) => {
    for (let credit = 0; credit < 40; credit++) await simulate(bench, number, '1')
  }
  let isWriting = true
  const work = async (deliverer: Deliverer) => {
    while (isWriting) {
      await dispatchTo(bench, deliverer)
      await deliverer.round(NEVER)
    }
  }
  const working = deliverers.map(work)
  await Promise.all(numbers.map(write))
  isWriting = false
  await Promise.all(working)
  for (const deliverer of deliverers) {
    await dispatchTo(bench, deliverer)
    await deliverer.idle()
    await bench.deliver(deliverer)
  }

  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual([ids.length, new Set(ids).size], [123, 123])
})

// Dispatches all events and hands new deliveries to the deliverer. Returns how often the dispatcher asked for
// a claim.
async function dispatchTo(
  bench: WebhookBench,
  deliverer: Pick<Deliverer, 'handOver' | 'takeOver'>,
): Promise<number> {
  let calls = 0
  const notifier = Object.assign(new Notifier(), { call: () => calls++ })
  const { webhookPool, clock } = bench
  const log = bench.service.app.log as never
  const round = dispatchEventsRound({ webhookPool, clock, log, notifier, deliverer })
  while ((await round(NEVER)).more);
  return calls
}

// Runs three rounds of a deliverer: its width grows with each, so that they send up to a dozen deliveries.
async function runRounds(deliverer: Deliverer): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await deliverer.round(NEVER)
    await deliverer.idle()
  }
}

// The sender of a process that dies as soon as it has taken deliveries over.
function dying(room: HandOver = { total: 100, roomOf: () => 100 }) {
  return { handOver: () => room, takeOver: async () => {} }
}

const leaseEnd = (bench: WebhookBench) => new Date(bench.clock().getTime() + LEASE_MS)

// The state of each delivery, and the number of its attempts.
async function states(bench: WebhookBench): Promise<[string, number][]> {
  return (await bench.deliveries()).map(({ state, attempts }) => [state, attempts])
}

// Creates an account with this notificationUrl and credits it: one event for the account, and one for
// each credit.
async function fill(bench: WebhookBench, notificationUrl: string, credits: number): Promise<void> {
  const { accountNumber } = await createAccount(bench, { notificationUrl })
  for (let credit = 0; credit < credits; credit++) await simulate(bench, accountNumber, '1')
}

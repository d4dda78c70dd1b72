// From the outbox to the queues: every event reaches each of its targets once, with any dispatcher and
// despite concurrent changes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { timeOrderedId } from '#ids.ts'
import { kobo } from '#money.ts'
import { appendEvents } from '#records/events.ts'
import { claimDeliveries } from '#webhooks/claims.ts'
import { dispatchEvents } from '#webhooks/dispatch.ts'
import { updateEndpoint } from '#webhooks/endpoints.ts'
import { redeliver } from '#webhooks/redeliver.ts'
import { accountUpdated } from '../support/events.ts'
import { createAccount, simulate, startPayment } from '../support/fixtures.ts'
import { startWebhookBench, type WebhookBench } from '../support/webhook-bench.ts'

const HOOK = 'https://shop.example.com/hook' // The endpoint of every account of the fixtures.
const ANY_ROOM = { rooms: new Map(), otherRoom: 100, takesFailing: true }
const DONE = 'https://shop.example.com/done' // The callBackUrl of every advice of the fixtures.

test('events are queued for the account, the advice, its callback and the endpoints', async () => {
  await using bench = await startWebhookBench()
  await bench.addEndpoint('https://ep.example.ng/all')
  await bench.addEndpoint('https://ep.example.ng/some', ['payment.successful'])
  await createAccount(bench)
  const notificationUrl = 'https://shop.example.com/advice'
  const payment = await startPayment(bench, { notificationUrl })
  await simulate(bench, payment.bankAccount, '6000')

  await bench.dispatch()

  const { adviceReference, paymentReference } = payment
  const references =
    `?adviceReference=${adviceReference}&paymentReference=${paymentReference}` +
    `&advicereference=${adviceReference}&paymentreference=${paymentReference}`
  assert.deepEqual(await queued(bench), [
    ['account.created', 'endpoint', 'https://ep.example.ng/all'],
    ['account.created', 'notification', HOOK],
    ['payment.processing', 'endpoint', 'https://ep.example.ng/all'],
    ['payment.processing', 'notification', notificationUrl],
    ['payment.successful', 'callback', `${DONE}${references}`],
    ['payment.successful', 'endpoint', 'https://ep.example.ng/all'],
    ['payment.successful', 'endpoint', 'https://ep.example.ng/some'],
    ['payment.successful', 'notification', notificationUrl],
  ])
})

test('an event about a credit alone is sent to the addresses of the credit’s account or advice', async () => {
  await using bench = await startWebhookBench()
  const clientId = await bench.clientId()
  const { accountNumber } = await createAccount(bench)
  await simulate(bench, accountNumber, '10')
  const { rows } = await bench.db.query('select id from credits')
  const facts = {
    reason: null,
    amountReturnedKobo: kobo(1_000n),
    returnReference: '',
    bankReference: null,
  }
  const event = { clientId, type: 'credit.returned', creditId: rows[0].id, facts } as const
  await withTransaction(bench.db, (tx) => appendEvents(tx, bench.clock(), [event]))

  await bench.dispatch()

  assert.deepEqual((await queued(bench)).at(-1), ['credit.returned', 'notification', HOOK])
})

test('dispatching again queues nothing twice', async () => {
  await using bench = await startWebhookBench()
  await createAccount(bench)
  await bench.dispatch()
  await bench.db.query('update dispatch_cursors set sequence = 0')

  await bench.dispatch()

  assert.equal((await queued(bench)).length, 1)
  assert.equal(await cursor(bench), 1n)
})

test('an event that was sent again before its dispatch is queued once, beside new ones', async () => {
  await using bench = await startWebhookBench()
  await createAccount(bench)
  await withTransaction(bench.db, (tx) => sendAgain(tx, bench))
  await createAccount(bench)

  await bench.dispatch()

  const events = (await queued(bench)).map(([type]) => type)
  assert.deepEqual(events, ['account.created', 'account.created'])
})

test('a redelivery that commits during a dispatch is queued once, and the dispatch is repeated', async () => {
  await using bench = await startWebhookBench()
  await createAccount(bench)
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const { promise: sentAgain, resolve: noteSentAgain } = Promise.withResolvers<void>()
  // A redelivery that has queued its delivery, but commits only when the test lets it.
  const redelivering = withTransaction(bench.db, async (tx) => {
    await sendAgain(tx, bench)
    noteSentAgain()
    await mayCommit
  })
  await sentAgain
  const dispatching = bench.dispatch()
  await untilWaiting(bench)
  commit()
  await Promise.all([redelivering, dispatching])

  assert.deepEqual(await queued(bench), [['account.created', 'notification', HOOK]])
  const { rows } = await bench.db.query('select sequence from dispatch_cursors')
  assert.deepEqual(rows, [{ sequence: 1n }])
})

test('several dispatchers at once miss nothing and queue nothing twice', async () => {
  await using bench = await startWebhookBench()
  const clientId = await bench.clientId()
  await bench.addEndpoint('https://ep.example.ng/all')
  // Appends 800 events, 40 in each transaction.
  const write = async () => {
    for (let round = 0; round < 20; round++) {
      const events = Array.from({ length: 40 }, () => accountUpdated(clientId))
      await withTransaction(bench.db, (tx) => appendEvents(tx, bench.clock(), events))
    }
  }
  const dispatch = async () => {
    for (let round = 0; round < 30; round++) await bench.dispatch()
  }

  await Promise.all([write(), write(), dispatch(), dispatch(), dispatch()])
  await bench.dispatch()

  const { rows } = await bench.db.query(
    `select count(*)::int as events, count(distinct e.sequence)::int as queued,
            max(e.sequence) as last
       from deliveries v join events e on e.id = v.event_id`,
  )
  assert.deepEqual(rows, [{ events: 1600, queued: 1600, last: 1600n }])
  assert.equal(await cursor(bench), 1600n)
})

test('a delivery queued while a claim looks at the queue is found by the next', async () => {
  await using bench = await startWebhookBench()
  const { accountNumber } = await createAccount(bench)
  await bench.dispatch()
  const claim = (tx: Transaction) => claimDeliveries(tx, bench.clock(), ANY_ROOM)
  await withTransaction(bench.webhookPool, claim)
  await bench.db.query('update destinations set due_at = $1', [bench.clock()])
  await simulate(bench, accountNumber, '1')

  let dispatching: Promise<void> | undefined
  // Claims deliveries, and keeps the transaction open until the dispatcher waits for its locks or has queued
  // the new delivery.
  const firstClaims = await withTransaction(bench.webhookPool, async (tx) => {
    const { claims } = await claim(tx)
    dispatching = bench.dispatch()
    await until('the dispatcher waits for us, or is done', async () => {
      const { rows } = await bench.db.query(
        `select from pg_stat_activity where datname = current_database()
            and wait_event_type = 'Lock'`,
      )
      return rows.length > 0 || (await cursor(bench)) === 2n
    })
    return claims
  })
  await dispatching

  const { claims } = await withTransaction(bench.webhookPool, claim)
  assert.deepEqual([firstClaims.length, claims.length], [0, 1])
})

test('an event that is committed before the one numbered before it waits for that', async () => {
  await using bench = await startWebhookBench()
  await bench.addEndpoint('https://ep.example.ng/all')
  const clientId = await bench.clientId()
  // Inserts an event with this number. An event of other days is in another partition of the table.
  const write = (tx: Transaction, sequence: number, daysAgo: number) => {
    const at = new Date(bench.clock().getTime() - daysAgo * 86_400_000)
    return tx.query(
      `insert into events (id, client_id, sequence, type, facts, created_at)
       values ($1, $2, $3, 'account.updated', '{}', $4)`,
      [timeOrderedId(at), clientId, sequence, at],
    )
  }

  for (const [first, second, already] of [
    [1, 2, []],
    [3, 4, [1, 2]],
  ] as const) {
    await bench.db.query('update event_counters set sequence = $1', [second])
    await withTransaction(bench.db, async (early) => {
      await write(early, first, 0)
      await withTransaction(bench.db, (late) => write(late, second, 8)) // In another partition.
      await bench.dispatch()
      assert.deepEqual(await queuedNumbers(bench), already)
      assert.equal((await cursor(bench)) ?? 0n, BigInt(already.length))
    })
    await bench.dispatch()
    assert.deepEqual(await queuedNumbers(bench), [...already, first, second])
  }
})

test('a dispatcher that dies before its commit has done nothing, and the next does it all', async () => {
  await using bench = await startWebhookBench()
  await createAccount(bench)
  // A dispatcher that dies after it queued the deliveries and before it commits.
  const dying = withTransaction(bench.webhookPool, async (tx) => {
    await dispatchEvents(tx, bench.clock())
    throw new Error('killed')
  })

  await assert.rejects(dying, /killed/)
  assert.deepEqual([await queued(bench), await cursor(bench)], [[], undefined])
  await bench.dispatch()

  assert.equal((await queued(bench)).length, 1)
})

test("a fault in one client's events does not delay those of other clients", async () => {
  await using bench = await startWebhookBench()
  await bench.newClient('MAN0000002')
  await bench.addEndpoint('https://ep.example.ng/other', null, 'MAN0000002')
  const clientId = await bench.clientId('MAN0000002')
  const broken = { clientId, type: 'endpoint.test', facts: null as never } as const
  await withTransaction(bench.db, (tx) => appendEvents(tx, bench.clock(), [broken]))
  await createAccount(bench)

  await bench.dispatch()

  assert.deepEqual(await queued(bench), [['account.created', 'notification', HOOK]])
  assert.match(bench.logText(), /"client":"2".*"failed to dispatch events of a client"/)
})

test('an endpoint that is switched off, deleted or of another client is queued nothing', async () => {
  await using bench = await startWebhookBench()
  await bench.newClient('MAN0000002')
  const off = await bench.addEndpoint('https://ep.example.ng/off')
  const deleted = await bench.addEndpoint('https://ep.example.ng/deleted')
  await bench.addEndpoint('https://ep.example.ng/other', null, 'MAN0000002')
  const clientId = await bench.clientId()
  await withTransaction(bench.db, (tx) =>
    updateEndpoint(tx, bench.clock(), { clientId, id: off.id, changes: { isActive: false } }),
  )
  await bench.db.query('update webhook_endpoints set deleted_at = now() where id = $1', [
    deleted.id,
  ])
  await createAccount(bench)

  await bench.dispatch()

  assert.deepEqual(await queued(bench), [['account.created', 'notification', HOOK]])
})

// Repeats the check until it is true; the test fails after ten thousand checks.
async function until(condition: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries++) assert(tries < 10_000, `never so: ${condition}`)
}

// The type, kind and address of each queued delivery, sorted.
async function queued(bench: WebhookBench): Promise<string[][]> {
  const rows = await bench.deliveries()
  return rows.map(({ type, kind, url, sentTo }) => [type, kind, sentTo ?? url]).sort()
}

// The sequence numbers of the queued events.
async function queuedNumbers(bench: WebhookBench): Promise<number[]> {
  const { rows } = await bench.db.query<{ sequence: bigint }>(
    'select e.sequence from deliveries v join events e on e.id = v.event_id order by 1',
  )
  return rows.map(({ sequence }) => Number(sequence))
}

// The sequence number up to which the client's events have been dispatched.
async function cursor(bench: WebhookBench): Promise<bigint | undefined> {
  const { rows } = await bench.db.query(
    `select sequence from dispatch_cursors c join clients k on k.id = c.client_id
      where k.client_id = 'MAN0000001'`,
  )
  return rows[0]?.sequence
}

// Requests the redelivery of the newest event.
async function sendAgain(tx: Transaction, bench: WebhookBench): Promise<void> {
  const { rows } = await tx.query('select id from events order by sequence desc limit 1')
  await redeliver(tx, bench.clock(), { clientId: await bench.clientId(), eventId: rows[0].id })
}

// Resolves when a connection waits for a lock.
async function untilWaiting({ db }: WebhookBench): Promise<void> {
  for (;;) {
    const { rows } = await db.query(
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length > 0) return
    await setTimeout(5)
  }
}

// No pending delivery is forgotten, whatever holds its row, rolls back, or has forgotten it before (I190).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { claimDeliveries, LEASE_MS } from '#webhooks/claims.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { listener, startWebhookBench, type WebhookBench } from '../support/webhook-bench.ts'

const ALL = { rooms: new Map(), otherRoom: 100, takesFailing: true }
const CREDITS = 3
const FORGET = 'update destinations set due_at = null'

test('deliveries that a transaction locks, and then rolls back, are sent soon', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await queueFor(bench, receiver.url)
  await claimWhileLocked(bench, 'true')

  bench.advance(1_000)
  await bench.deliver()

  assert.equal(receiver.received.length, CREDITS + 1)
})

test('a claim takes what is free beside a locked delivery, which is sent after it', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await queueFor(bench, receiver.url)
  await claimWhileLocked(bench, 'event_id = (select min(event_id::text)::uuid from deliveries)')

  bench.advance(1_000)
  await bench.deliver()
  assert.equal(receiver.received.length, 1) // The others are leased to the claim.
  bench.advance(LEASE_MS)
  await bench.deliver()

  assert.equal(receiver.received.length, CREDITS + 1)
})

test('a delivery whose lease has ended while its outcome was recorded in vain is sent again', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await queueFor(bench, receiver.url)
  await withTransaction(bench.webhookPool, (tx) => claimDeliveries(tx, bench.clock(), ALL))
  bench.advance(LEASE_MS)
  await claimWhileLocked(bench, 'true')

  bench.advance(1_000)
  await bench.deliver()

  assert.equal(receiver.received.length, CREDITS + 1)
})

test('queues that an earlier release forgot are found, except those of disabled addresses', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await queueFor(bench, receiver.url)
  await queueFor(bench, `${receiver.url}/disabled`)
  await bench.db.query(
    `${FORGET}; update destinations set disabled_at = now() where url like '%/disabled'`,
  )

  // A new worker looks for them in its first round.
  await bench.newDeliverer().round(new AbortController().signal)
  await bench.deliver()

  assert.deepEqual(new Set(receiver.received.map(({ path }) => path)), new Set(['/hook']))
  assert.equal(receiver.received.length, CREDITS + 1)
})

// Queues the events of a new account: its creation, and credits.
async function queueFor(bench: WebhookBench, notificationUrl: string): Promise<void> {
  const { accountNumber } = await createAccount(bench, { notificationUrl })
  for (let credit = 0; credit < CREDITS; credit++) await simulate(bench, accountNumber, '1')
  await bench.dispatch()
}

// Claims deliveries while a transaction that rolls back has locked some of them. The queue must be due soon
// after, without the correction of schedules, which comes every few minutes.
async function claimWhileLocked(bench: WebhookBench, which: string): Promise<void> {
  const holder = await bench.db.connect()
  try {
    await holder.query(`begin; select from deliveries where ${which} for update`)
    await withTransaction(bench.webhookPool, (tx) => claimDeliveries(tx, bench.clock(), ALL))
    await holder.query('rollback')
    const { rows } = await bench.db.query('select due_at from destinations')
    assert.deepEqual(rows, [{ dueAt: new Date(bench.clock().getTime() + 1_000) }])
  } finally {
    holder.release(true) // Closes the connection, which also rolls back after a failure.
  }
}

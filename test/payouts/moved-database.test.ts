// The service sends no payout from another database than before, for example a promoted standby (I89). If
// commits did not wait for that standby, payouts may be missing there, and it holds payouts as after a
// restore (I82).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { withTransaction } from '#db/transaction.ts'
import { listHolds, releasePayouts } from '#payouts/holds.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { askUntilAbsent, createPayout, fund, getPayout, payoutRounds } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'

// Starts a service with money and a bank that remembers each order, also those that the database forgets.
async function start() {
  const bench = await startTestService()
  const paid = new Set<string>() // A bank outside our database remembers what we forget.
  const sent: string[] = []
  const calls: BankConnection['calls'] = {
    sendMoney: async ({ reference }) => {
      sent.push(reference)
      paid.add(reference)
      return { status: 'confirmed', bankReference: `B-${reference}` }
    },
    findPayout: async (reference): Promise<PayoutAnswer> =>
      paid.has(reference)
        ? { status: 'confirmed', bankReference: `B-${reference}` }
        : { status: 'not_found' },
  }
  const limits = { ratePerSecond: 5, concurrency: 4 }
  const connection = { calls, limits, notFoundIsProof: true } as BankConnection
  const connections = new Map(bench.config.banks.map(({ code }) => [code, connection]))
  const rounds = await payoutRounds(bench, { connections })
  await fund(bench, '5000')
  await rounds.query() // Records the identity of this database.
  return {
    ...{ bench, rounds, paid, sent },
    statusOf: async (reference: string) => (await getPayout(bench, reference)).status,
    // Makes the database look like a promoted standby: it was recorded with another identity than it has now.
    // With `cluster`, it looks like a copy that belongs to another PostgreSQL cluster.
    move: (isSynchronous: boolean, cluster?: string) =>
      bench.db.query(
        `update known_database
            set identity = coalesce($2, split_part(identity, '/', 1)) || '/00000000',
                is_synchronous = $1`,
        [isSynchronous, cluster],
      ),
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

test('after a failover that may have lost payouts nothing is sent, and the bank is asked', async () => {
  await using world = await start()
  const { bench, rounds, paid, sent, statusOf, move } = world
  const { reference: paidBefore } = await createPayout(bench)
  const { reference: neverSent } = await createPayout(bench)
  paid.add(paidBefore) // On the old primary; the standby had not received it.
  await move(false)

  await rounds.send() // Before any worker has noticed that the database moved.
  assert.deepEqual(sent, [])
  assert.equal(await statusOf(paidBefore), 'queued')
  await rounds.query()

  const [hold, ...others] = await listHolds(bench.db)
  assert.match(hold?.reason ?? '', /moved to another server/)
  assert.deepEqual(others, [])
  const url = '/api/v1/operator/alerts?kind=payouts_held&open=true'
  assert.equal((await bench.call({ url })).json().data.length, 1)
  assert.equal(await statusOf(paidBefore), 'confirmed')
  await askUntilAbsent(bench, rounds)
  assert.equal(await statusOf(neverSent), 'unknown') // No operator has agreed yet.

  await withTransaction(bench.db, (tx) => releasePayouts(tx, bench.clock(), 'cli:test'))
  await askUntilAbsent(bench, rounds)
  const { reference: later } = await createPayout(bench)
  await rounds.send()
  assert.equal(await statusOf(neverSent), 'failed')
  assert.deepEqual(sent, [later])
  assert.deepEqual(await listHolds(bench.db), [])
  await assertCleanBooks(bench)
})

test('after a failover to a synchronous standby payouts are sent, once it is noted', async () => {
  await using world = await start()
  const { bench, rounds, sent, move } = world
  const { reference } = await createPayout(bench)
  await move(true)

  await rounds.send()
  assert.deepEqual(sent, [])
  await rounds.query()
  await rounds.send()

  assert.deepEqual(sent, [reference])
  assert.deepEqual(await listHolds(bench.db), [])
  // The new primary has no standby to wait for, so the next failover may lose payouts.
  const { rows } = await bench.db.query('select is_synchronous from known_database')
  assert.deepEqual(rows, [{ isSynchronous: false }])
})

test('a copy in another cluster is held, however the original was replicated', async () => {
  await using world = await start()
  const { bench, rounds, sent, move } = world
  await createPayout(bench)
  await move(true, '1')

  await rounds.send()
  await rounds.query()
  await rounds.send()

  assert.deepEqual(sent, [])
  assert.equal((await listHolds(bench.db)).length, 1)
})

test('two workers that notice a moved database at once hold payouts once', async () => {
  await using world = await start()
  const { bench, rounds, move } = world
  await using other = await payoutRounds(bench, { connections: rounds.bankConnections })
  await move(false)
  await Promise.all([rounds.query(), other.query()])
  assert.equal((await listHolds(bench.db)).length, 1)
})

test('a database role without rights can read the identity of the database', async () => {
  await using world = await start()
  // Reads the identity as a database role that has no privileges.
  const identity = await withTransaction(world.bench.db, async (tx) => {
    await tx.query('create role nobody_in_particular')
    await tx.query('set local role nobody_in_particular')
    const { rows } = await tx.query('select current_database_identity() as identity')
    await tx.query('reset role')
    await tx.query('drop role nobody_in_particular')
    return rows[0].identity
  })
  assert.match(identity, /^\d+\/[0-9A-F]{8}$/)
})

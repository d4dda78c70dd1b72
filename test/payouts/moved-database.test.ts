// The service sends no payout from another database than before, for example a promoted standby (I89). If
// commits did not wait for that standby, payouts may be missing there, and it holds payouts as after a
// restore (I82).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { withTransaction } from '#db/transaction.ts'
import { listHolds, releasePayouts } from '#payouts/holds.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertRefused } from '../support/fixtures.ts'
import {
  askUntilAbsent,
  createPayout,
  fund,
  getPayout,
  moveDatabase,
  PAYOUTS,
  payoutRounds,
} from '../support/payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

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
    move: (isSynchronous: boolean, cluster?: string) =>
      moveDatabase(bench.db, { isSynchronous, ...(cluster && { cluster }) }),
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

test('payouts wait after a synchronous failover, and are sent if nothing is missing', async () => {
  await using world = await start()
  const { bench, rounds, sent, statusOf, move } = world
  const { reference } = await createPayout(bench)
  await move(true)

  await rounds.send()
  await rounds.query()
  await rounds.send()

  assert.deepEqual(sent, [])
  assert.equal(await statusOf(reference), 'queued') // No bank is asked before an operator has decided.
  assertRefused(await cancel(bench, reference), MAY_HAVE_BEEN_SENT)
  assert.deepEqual(
    (await listHolds(bench.db)).map((hold) => hold.mayLackNothing),
    [true],
  )
  assert.equal(await release(bench, { lacksNothing: true }), 1)
  await rounds.query()
  await rounds.send()
  assert.deepEqual(sent, [reference])
  assert.deepEqual(await listHolds(bench.db), [])
  // The new primary has no standby to wait for, so nobody may say so after the next failover.
  const { rows } = await bench.db.query('select is_synchronous from known_database')
  assert.deepEqual(rows, [{ isSynchronous: false }])
})

test('banks are asked after a synchronous failover if something may be missing', async () => {
  await using world = await start()
  const { bench, rounds, paid, sent, statusOf, move } = world
  const { reference: paidBefore } = await createPayout(bench)
  const { reference: neverSent } = await createPayout(bench)
  paid.add(paidBefore) // The standby had stopped following before, and commits no longer waited for it.
  await move(true)

  await rounds.query()
  assert.equal(await release(bench), 1)
  await rounds.send()
  await askUntilAbsent(bench, rounds)

  assert.equal(await statusOf(paidBefore), 'confirmed')
  assert.equal(await statusOf(neverSent), 'failed')
  assert.deepEqual(sent, [])
  await assertCleanBooks(bench)
})

for (const [name, isSynchronous, cluster] of [
  ['a standby for which commits did not wait', false, undefined],
  ['another cluster', true, '1'],
] as const) {
  test(`nobody may say that nothing is missing after a move to ${name}`, async () => {
    await using world = await start()
    const { bench, rounds, sent, move } = world
    await createPayout(bench)
    await move(isSynchronous, cluster)
    await rounds.query()

    assert.equal(await release(bench, { lacksNothing: true }), undefined)
    assert.equal((await listHolds(bench.db)).length, 1)
    await release(bench)
    await rounds.send()
    assert.deepEqual(sent, [])
  })
}

test('a loss is not vouched for together with a later failover', async () => {
  await using world = await start()
  const { bench, rounds, sent, move } = world
  await createPayout(bench)
  await move(false)
  await rounds.query()
  await move(true)
  await rounds.query()

  assert.equal(await release(bench, { lacksNothing: true }), undefined)
  await release(bench)
  await rounds.send()
  assert.deepEqual(sent, [])
})

test('a payout from before a loss is never sent, whatever is said of a later failover', async () => {
  await using world = await start()
  const { bench, rounds, sent, move } = world
  await createPayout(bench)
  await move(false)
  await rounds.query()
  await release(bench)
  const { reference } = await createPayout(bench)
  await move(true)

  assert.equal(await release(bench, { lacksNothing: true }), 1)
  await rounds.query()
  await rounds.send()
  assert.deepEqual(sent, [reference])
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

const MAY_HAVE_BEEN_SENT = { status: 409, code: 'payout_may_have_been_sent' }

const cancel = (bench: Bench, reference: string) =>
  bench.call({ url: `${PAYOUTS}/${reference}/cancel`, body: { reason: 'Changed my mind.' } })

const release = (bench: Bench, { lacksNothing = false } = {}) =>
  withTransaction(bench.db, (tx) => releasePayouts(tx, bench.clock(), 'cli:test', { lacksNothing }))

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

// I89: payouts are sent and confirmed, and then a standby is promoted that never received this. The worker
// follows the new primary by itself, and no payout is sent again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { createPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { listHolds, releasePayouts } from '#payouts/holds.ts'
import { startPair } from '../../torture/pair.ts'
import { until } from '../support/embedded-bench.ts'
import { assertRefused, createAccount, startPayment } from '../support/fixtures.ts'
import { createPayout, fund, PAYOUTS, payoutRounds } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { chooseParent } from '../support/server.ts'
import { createTempFolder } from '../support/temp-folder.ts'

// Starts a primary with a lagging standby, a service, three payouts, and a bank that remembers the orders
// it got.
async function start() {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(createTempFolder(await chooseParent()))
  const pair = stack.use(await startPair(folder.path))
  const connectionString = pair.url()
  const pool = createPool({ connectionString, max: 4, onIdleError: () => {} })
  const database = { pool, connectionString, [Symbol.asyncDispose]: () => pool.end() }
  const bench = stack.use(await startTestService({ database }))
  const sent: string[] = []
  const confirmed = (reference: string): PayoutAnswer =>
    sent.includes(reference)
      ? { status: 'confirmed', bankReference: `B-${reference}` }
      : { status: 'not_found' }
  const calls: BankConnection['calls'] = {
    sendMoney: async ({ reference }) => {
      sent.push(reference)
      return confirmed(reference)
    },
    findPayout: async (reference) => confirmed(reference),
  }
  const limits = { ratePerSecond: 50, concurrency: 4 }
  const connection = { calls, limits, notFoundIsProof: true } as BankConnection
  const connections = new Map(bench.config.banks.map(({ code }) => [code, connection]))
  const rounds = stack.use(await payoutRounds(bench, { connections }))
  await fund(bench, '5000')
  await rounds.query()
  const references: string[] = []
  for (const _ of [1, 2, 3]) references.push((await createPayout(bench)).reference)
  const whole = stack.move()
  return {
    ...{ pair, bench, rounds, sent, references },
    async statuses(): Promise<string[]> {
      const { rows } = await bench.db.query('select status from payouts order by id')
      return rows.map(({ status }) => status)
    },
    // The standby hears nothing more, and the primary goes on without it.
    async goOnAlone(): Promise<void> {
      pair.primary.replication.halfOpen()
      await pair.primary.server.query('alter system reset synchronous_standby_names')
      await pair.primary.server.query('select pg_reload_conf()')
      const isAlone = `select current_setting('synchronous_standby_names') = '' as yes`
      await until('commits wait for nobody', async () => {
        return (await pair.primary.server.query(isAlone))[0].yes
      })
    },
    async failOver(): Promise<void> {
      await pair.primary.server.kill()
      await pair.promote()
      await until('it is followed', () => bench.db.query('select 1').then(Boolean, () => false))
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  }
}

const QUEUED = `select count(*)::int as n from payouts where status = 'queued'`

test('a standby that lags sends nothing again when it is promoted', async () => {
  await using world = await start()
  const { pair, bench, rounds, sent, references } = world
  const isThere = async () => (await pair.standby.server.query(QUEUED, 'manilla'))[0].n === 3
  await until('the standby has them queued', isThere)
  pair.primary.replication.halfOpen()
  await rounds.send()
  assert.deepEqual(await world.statuses(), ['confirmed', 'confirmed', 'confirmed'])

  await world.failOver()
  // The standby never received the payouts’ progress.
  assert.deepEqual(await world.statuses(), ['queued', 'queued', 'queued'])
  await rounds.send()
  await rounds.query()
  await rounds.send()

  assert.deepEqual(sent.toSorted(), references.toSorted())
  assert.deepEqual(await world.statuses(), ['confirmed', 'confirmed', 'confirmed'])
  assert.equal((await listHolds(bench.db)).length, 1)
})

test('a synchronous standby that is promoted sends what was queued once an operator says so', async () => {
  await using world = await start()
  const { pair, bench, rounds, sent, references } = world
  await pair.requireStandby()
  await rounds.query()
  await rounds.send()
  const { reference: queued } = await createPayout(bench, { amount: 1 })

  await world.failOver()
  const { reference } = await createPayout(bench, { amount: 1 })
  await rounds.query()
  await rounds.send()
  assert.deepEqual(sent.toSorted(), references.toSorted())
  assert.equal((await listHolds(bench.db)).length, 1)
  await withTransaction(bench.db, (tx) =>
    releasePayouts(tx, bench.clock(), 'cli:test', { lacksNothing: true }),
  )
  await rounds.query()
  await rounds.send()

  assert.deepEqual(sent.toSorted(), [...references, queued, reference].toSorted())
  assert.deepEqual(await listHolds(bench.db), [])
})

test('a standby that was synchronous once sends nothing again when it is promoted late', async () => {
  await using world = await start()
  const { pair, bench, rounds, sent, references } = world
  await pair.requireStandby()
  await rounds.query()
  await until('the standby knows that it is synchronous', async () => {
    const noted = 'select is_synchronous from known_database'
    return (await pair.standby.server.query(noted, 'manilla'))[0].is_synchronous
  })
  await world.goOnAlone()
  await rounds.query()
  await rounds.send()
  assert.deepEqual(sent.toSorted(), references.toSorted())

  await world.failOver()
  await rounds.query()
  await rounds.send()

  assert.deepEqual(sent.toSorted(), references.toSorted())
  assert.equal((await listHolds(bench.db)).length, 1)
})

test('nobody cancels a payout that a lost primary has sent, however early they ask', async () => {
  await using world = await start()
  const { pair, bench, rounds, references } = world
  const isThere = async () => (await pair.standby.server.query(QUEUED, 'manilla'))[0].n === 3
  await until('the standby has them queued', isThere)
  pair.primary.replication.halfOpen()
  await rounds.send()

  await world.failOver()
  for (const reference of references) {
    const url = `${PAYOUTS}/${reference}/cancel`
    const answer = await bench.call({ url, body: { reason: 'Changed my mind.' } })
    assertRefused(answer, { status: 409, code: 'payout_may_have_been_sent' })
  }
  assert.deepEqual(await world.statuses(), ['queued', 'queued', 'queued'])
})

test('a number or id that a lost primary gave away is not given to anybody else', async () => {
  await using world = await start()
  const { pair, bench } = world
  await startPayment(bench)
  const [{ lsn }] = await pair.primary.server.query('select pg_current_wal_flush_lsn() as lsn')
  await until('the standby has it', async () => {
    const [row] = await pair.standby.server.query(
      `select pg_last_wal_replay_lsn() >= '${lsn}' as yes`,
    )
    return row.yes
  })
  pair.primary.replication.halfOpen()
  // Returns the numbers and ids that payers and clients get.
  const giveAway = async () => {
    const payments = [await startPayment(bench), await startPayment(bench)]
    const { accountNumber } = await createAccount(bench)
    const { reference } = await createPayout(bench, { amount: 1 })
    const { rows } = await bench.db.query('select max(id) as id from payouts')
    const numbers = [...payments.map(({ bankAccount }) => bankAccount), accountNumber]
    return { numbers, reference, id: rows[0].id }
  }
  const lost = await giveAway()

  await world.failOver()
  const later = await giveAway()

  const numbers = [...lost.numbers, ...later.numbers]
  for (const number of numbers) assert.match(number, /^\d{10}$/)
  assert.equal(new Set(numbers).size, numbers.length, numbers.join())
  assert.notEqual(later.id, lost.id)
  assert.notEqual(later.reference, lost.reference)
})

// I89: payouts are sent and confirmed, and then a standby is promoted that never received this. The worker
// follows the new primary by itself, and no payout is sent again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { createPool } from '#db/pool.ts'
import { listHolds } from '#payouts/holds.ts'
import { startPair } from '../../torture/pair.ts'
import { until } from '../support/embedded-bench.ts'
import { createPayout, fund, payoutRounds } from '../support/payouts.ts'
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

test('a synchronous standby that is promoted goes on sending, and nothing twice', async () => {
  await using world = await start()
  const { pair, bench, rounds, sent, references } = world
  await pair.requireStandby()
  await rounds.query()
  await rounds.send()

  await world.failOver()
  const { reference } = await createPayout(bench, { amount: 1 })
  await rounds.query()
  await rounds.send()

  assert.deepEqual(sent.toSorted(), [...references, reference].toSorted())
  assert.deepEqual(await listHolds(bench.db), [])
})

// The health of each bank: its notifications and their delay, the queries to it and their failures; and
// alerts about banks that no longer report.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBanks } from '#banks/connectors.ts'
import { bankConfigurations } from '#config/bank-settings.ts'
import { NotificationMeter } from '#requery/bank-health.ts'
import { silenceLimitMs } from '#requery/plan.ts'
import { planRequeriesRound } from '#requery/workers.ts'
import { startWithBanks } from '../support/bank-calls.ts'
import { createAccount, dataOf, MINUTE_MS, startPayment, TIMESTAMP } from '../support/fixtures.ts'
import { reportCredit } from '../support/rail.ts'
import {
  BANK,
  type RequeryBench,
  requeriesOf,
  startRequeryBench,
} from '../support/requery-bench.ts'
import { addClient } from '../support/running-service.ts'

const SECOND_MS = 1_000
const BANKS = '/api/v1/operator/banks'

const healthOf = async (bench: Pick<RequeryBench, 'call'>) =>
  dataOf(await bench.call({ url: BANKS }))

// The bank notifies one transfer a minute. `lagsMs` says for each how long before its notification it was
// made.
async function notifyWithLags(
  bench: RequeryBench,
  accountNumber: string,
  lagsMs: readonly number[],
) {
  for (const lagMs of lagsMs) {
    bench.advance(MINUTE_MS)
    const transactionTime = new Date(bench.clock().getTime() - lagMs).toISOString()
    await reportCredit(bench, { accountNumber, amount: '1.00', transactionTime })
  }
  await bench.service.writeMeasures()
}

test('health shows when a bank last called, how late it is, and the results of requeries', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  const [before] = await healthOf(bench)
  await notifyWithLags(bench, accountNumber, [...Array(98).fill(2 * SECOND_MS), 60_000, 60_000])
  const heardAt = bench.clock()
  bench.transfer(accountNumber, '50.00')
  await bench.plan()
  bench.bank.state.mood = 'failing'
  await bench.askOnce()
  bench.bank.state.mood = 'well'
  bench.advance(30 * SECOND_MS)
  await bench.ask()

  const [health, ...others] = await healthOf(bench)

  assert.deepEqual(others, [])
  assert.deepEqual(
    [before.lastHeardAt, before.lagP50, before.errorRate, before.queries],
    [null, null, null, 0],
  )
  const { code, name, connector, canFind, canList, circuit, circuitUntil } = health
  assert.deepEqual([code, name, connector], [BANK, `Bank ${BANK}`, 'manilla'])
  assert.deepEqual([canFind, canList, circuit, circuitUntil], [true, true, 'closed', null])
  assert.match(health.lastHeardAt, TIMESTAMP)
  assert.equal(Date.parse(health.lastHeardAt), heardAt.getTime())
  assert(Math.abs(health.lagP50 - 2) <= 0.2, `median ${health.lagP50}`)
  assert(Math.abs(health.lagP99 - 60) <= 6, `99th percentile ${health.lagP99}`)
  assert.deepEqual([health.queries, health.errorRate], [6, 0.5])
  assert.deepEqual([health.foundByRequery, health.openQuestions], [1, 0])
})

test('a bank loses notifications when three credits and 1% of all were found by asking', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  const isLosing = async () => (await healthOf(bench))[0].isLosing
  // Lets the bank receive this many transfers without notifying the service, which then finds them by a
  // requery.
  const lose = async (times: number) => {
    for (let count = 0; count < times; count++) bench.transfer(accountNumber, '50.00')
    bench.advance(10 * MINUTE_MS)
    await bench.plan()
    await bench.ask()
  }

  await notifyWithLags(bench, accountNumber, [SECOND_MS])
  await lose(2)
  const two = await isLosing()
  await lose(1)
  const three = await isLosing()
  await bench.db.query(`update bank_measures set count = 297 where measure = 'lag'`)
  const onePercent = await isLosing()
  await bench.db.query(`update bank_measures set count = 298 where measure = 'lag'`)

  assert.deepEqual([two, three, onePercent, await isLosing()], [false, true, true, false])
})

test('a repeated notification says nothing about how late the bank is', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  const sent = bench.transfer(accountNumber, '5.00')
  await reportCredit(bench, sent)
  bench.advance(60 * MINUTE_MS)
  await reportCredit(bench, sent)
  await bench.service.writeMeasures()

  const [{ lagP99, lastHeardAt }] = await healthOf(bench)

  assert.equal(lagP99, 0)
  assert.equal(Date.parse(lastHeardAt), bench.clock().getTime())
})

test('only operators see the banks’ health', async () => {
  await using bench = await startRequeryBench()
  await addClient(bench.db, bench.clock(), { clientId: 'SHOP' })

  const answer = await bench.call({ url: BANKS, token: await bench.login('SHOP', 's3cret') })

  assert.equal(answer.statusCode, 403)
})

test('a bank that lists no transfers is asked by session id only, and says so', async () => {
  const providus = {
    code: '101',
    connector: 'providus',
    railSecrets: undefined,
    settings: { clientId: 'dGVzdA==', allow: ['127.0.0.1'], baseUrl: 'http://127.0.0.1' },
    secrets: { clientSecret: 'PROVIDUS_SECRET' },
    static: { from: 1, to: 1_000 },
    dynamic: { from: 2_000, to: 3_000 },
  }
  await using bench = await startWithBanks([providus], { PROVIDUS_SECRET: 's3cret' })
  const { paymentReference } = await startPayment(bench, {}, '101')
  const url = `/api/v1/payments/${paymentReference}/requery`
  const plan = planRequeriesRound({
    db: bench.db,
    clock: bench.clock,
    bankConnections: connectBanks(bankConfigurations(bench.config)),
    graceSeconds: 300,
  })

  bench.advance(29 * MINUTE_MS)
  await plan(new AbortController().signal)
  const planned = await requeriesOf(bench)
  const refused = await bench.call({ url, body: {} })
  const bankTest = dataOf(await bench.call({ url, body: { sessionId: 'S-1' } }))

  assert.deepEqual(planned, [])
  assert.deepEqual([refused.statusCode, refused.json().code], [409, 'requery_not_supported'])
  assert.deepEqual(
    bankTest.requeries.map(({ bankCode }: Record<string, string>) => bankCode),
    ['101'],
  )
  const [{ connector, canFind, canList }] = await healthOf(bench)
  assert.deepEqual([connector, canFind, canList], ['providus', true, false])
})

test('a bank that knows no session ids is asked by number, whatever the payer has', async () => {
  const monnify = {
    code: '101',
    connector: 'monnify',
    railSecrets: undefined,
    settings: { apiKey: 'MK_TEST', baseUrl: 'http://127.0.0.1:9' },
    secrets: { clientSecret: 'MONNIFY_SECRET' },
    static: { from: 1, to: 1_000 },
    dynamic: { from: 2_000, to: 3_000 },
  }
  await using bench = await startWithBanks([monnify], { MONNIFY_SECRET: 's3cret' })
  const { bankAccount, paymentReference } = await startPayment(bench, {}, '101')
  const url = `/api/v1/payments/${paymentReference}/requery`

  dataOf(await bench.call({ url, body: { sessionId: 'S-1' } }))

  assert.deepEqual(
    (await requeriesOf(bench)).map(({ subject }) => subject),
    [`account/${bankAccount}/${paymentReference}`],
  )
})

test('a bank that falls silent raises an alert and is swept; both end when it calls again', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  await notifyWithLags(bench, accountNumber, Array(30).fill(SECOND_MS))
  const missed = bench.transfer(accountNumber, '50.00')
  // The alerts about silent banks, each with whether it is open.
  const alerts = async () => {
    const { data } = (await bench.call({ url: '/api/v1/operator/alerts?kind=bank_silent' })).json()
    return data.map(({ subject, isOpen }: Record<string, unknown>) => [subject, isOpen])
  }

  bench.advance(11 * MINUTE_MS)
  await bench.plan()
  const quiet = await alerts()
  await startPayment(bench)
  await bench.plan()
  await bench.plan()
  const raised = await alerts()
  await bench.db.query(`delete from requeries where reason <> 'silence'`)
  await bench.ask()
  await reportCredit(bench, { accountNumber, amount: '2.00' })
  await bench.service.writeMeasures()
  await bench.plan()

  assert.deepEqual([quiet, raised, await alerts()], [[], [[BANK, true]], [[BANK, false]]])
  assert.deepEqual(
    (await requeriesOf(bench, 'silence')).map(({ state }) => state),
    ['found'],
  )
  const { rows } = await bench.db.query('select from credits where session_id = $1', [
    missed.sessionId,
  ])
  assert.equal(rows.length, 1)
  const [{ silentSince }] = await healthOf(bench)
  assert.equal(silentSince, null)
})

test('longer than usual is ten times the 99th percentile, and at least ten minutes', () => {
  assert.equal(silenceLimitMs({ count: 100, p99: 5 }), 10 * MINUTE_MS)
  assert.equal(silenceLimitMs({ count: 100, p99: 120 }), 20 * MINUTE_MS)
  assert.equal(silenceLimitMs({ count: 3, p99: 5 }), undefined)
  assert.equal(silenceLimitMs(undefined), undefined)
})

test('counting a notification writes nothing, and each is counted once', () => {
  const meter = new NotificationMeter()
  const at = (ms: number) => new Date(ms)
  meter.countNotification('035', at(0), [at(0)])
  meter.countNotification('035', at(1_000), [null, at(0)])

  const [first, ...others] = meter.take()
  const second = meter.take()
  meter.countNotification('035', at(3_000), [])
  const [third] = meter.take()

  const total = (counts: Map<number, number> = new Map()) =>
    [...counts.values()].reduce((sum, count) => sum + count, 0)
  assert.deepEqual([total(first?.lag), total(first?.gap), others, second], [2, 1, [], []])
  assert.deepEqual([total(third?.lag), total(third?.gap)], [0, 1])
  assert.equal(third?.lastAt.getTime(), 3_000)
})

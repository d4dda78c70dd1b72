// The scenarios of the sandbox's bank, such as delayed, duplicate or lost reports. They are reported like
// real transfers, and a delayed report is sent once, even if processes stop or several workers run.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBanks } from '#banks/connectors.ts'
import { bankConfigurations } from '#config/bank-settings.ts'
import { type Kobo, koboOf } from '#money.ts'
import { withSandboxBank } from '#sandbox/bank.ts'
import { SANDBOX_TRANSFERS, scenarioOf } from '#sandbox/transfers.ts'
import { Sealer } from '#seal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createPartitionedDatabase } from '../support/database.ts'
import {
  assertBooksBalance,
  assertRefused,
  balanceOf,
  createAccount,
  databaseText,
  MINUTE_MS,
  SIMULATE,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { requeriesOf, requeryRounds } from '../support/requery-bench.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { outcomesOfReports, reportRounds } from '../support/sandbox-reports.ts'

const bench = closeAfterTests(await startTestService())
const worker = closeAfterTests(reportRounds(bench))
const TRANSFERS = '/sandbox/transfers'

// Requests a transfer; returns its steps.
async function sent(body: object, { to = bench, ...more }: { to?: Bench; headers?: never } = {}) {
  const answer = await to.call({ url: TRANSFERS, body, ...more })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}
// A payment's status and the amount collected in naira.
const statusOf = async (reference: string, target: Bench = bench) => {
  const { transactionStatus, amountCollected } = await verify(target, reference)
  return [transactionStatus, Number(amountCollected)]
}
// The number of the newest event, so that a test can count the events after it.
async function lastSequence(): Promise<bigint> {
  const { rows } = await bench.db.query('select max(sequence) as last from events')
  return rows[0].last
}
type Step = { step: string; responseCode: string; outcome: string; reason: string | null }
const outcomesOf = (steps: Step[]) =>
  steps.map(({ step, responseCode, outcome, reason }) => [step, responseCode, outcome, reason])

test('a duplicate is reported as often as asked, and booked once', async () => {
  const { bankAccount: accountNumber, paymentReference } = await startPayment(bench)

  const { steps, scheduled } = await sent({ accountNumber, kind: 'duplicate', times: 3 })

  const again = ['again', '01', 'duplicate', null]
  assert.deepEqual(outcomesOf(steps), [['credit', '00', 'booked', null], again, again, again])
  assert.deepEqual(scheduled, [])
  assert.deepEqual(await statusOf(paymentReference), ['Successful', 6000])
})

test('out of order: two halves pay in full, and a reversal counts once its credit is known', async () => {
  const halves = await startPayment(bench, { amount: '6000.01' })
  const payment = await startPayment(bench)

  const credits = await sent({ accountNumber: halves.bankAccount, kind: 'out_of_order' })
  const reversal = await sent({ accountNumber: payment.bankAccount, kind: 'reversal_first' })

  const booked = ['credit', '00', 'booked', null]
  assert.deepEqual(outcomesOf(credits.steps), [booked, booked])
  const [late, early] = await Promise.all(
    credits.steps.map(async ({ sessionId }: { sessionId: string }) => {
      const answer = await bench.call({ url: `/api/v1/credits/${sessionId}` })
      return answer.json().data
    }),
  )
  assert.deepEqual([late.amount, early.amount, early.id], [3000.01, 3000, credits.creditId])
  assert(early.transactionTime < late.transactionTime, 'the later one was reported first')
  assert.deepEqual(await statusOf(halves.paymentReference), ['Successful', 6000.01])
  assert.deepEqual(outcomesOf(reversal.steps), [
    ['reversal', '03', 'retry', 'original_not_found'],
    booked,
    ['reversal', '00', 'reversed', null],
  ])
  assert.equal((await statusOf(payment.paymentReference))[0], 'Reversed')
  await assertBooksBalance(bench)
})

test('money in another currency lies in suspense', async () => {
  const { bankAccount: accountNumber, paymentReference } = await startPayment(bench)

  const { steps } = await sent({ accountNumber, kind: 'wrong_currency' })

  assert.deepEqual(outcomesOf(steps), [['credit', '00', 'suspended', 'wrong_currency']])
  assert.deepEqual(await statusOf(paymentReference), ['Processing', 0])
  await assertBooksBalance(bench)
})

test('one of two workers sends a delayed report when it is due', async () => {
  const payment = await startPayment(bench)
  const { accountNumber } = await createAccount(bench)
  const delayed = { accountNumber: payment.bankAccount, kind: 'delayed', afterSeconds: 3600 }
  const { creditId, steps, scheduled, sessionId } = await sent(delayed)
  await sent({ accountNumber, kind: 'reversed', amount: 70, afterSeconds: 60 })
  await using other = reportRounds(bench)

  assert.deepEqual([creditId, steps, scheduled.length], [null, [], 1])
  assert.equal(scheduled[0].sessionId, sessionId)
  bench.advance(59_000)
  await worker.round()
  assert.equal(await balanceOf(bench, accountNumber), 70)
  bench.advance(1_000)
  await Promise.all([worker.round(), other.round(), worker.round(), other.round()])
  assert.equal(await balanceOf(bench, accountNumber), 0)
  assert.deepEqual(await statusOf(payment.paymentReference), ['Processing', 0])
  bench.advance(59 * MINUTE_MS)
  await Promise.all([worker.round(), other.round(), worker.round(), other.round()])

  assert.deepEqual(await statusOf(payment.paymentReference), ['Successful', 6000])
  assert.deepEqual(await outcomesOfReports(bench), ['booked', 'reversed'])
  const { rows } = await bench.db.query('select from credits where session_id = $1', [sessionId])
  assert.equal(rows.length, 1)
  await assertBooksBalance(bench)
})

test('a key schedules one transfer, which outlives a restart', async () => {
  await using database = await createPartitionedDatabase()
  const before = await startTestService({ database })
  const { bankAccount: accountNumber, paymentReference } = await startPayment(before)
  const call = { url: TRANSFERS, body: { accountNumber, kind: 'delayed' } }
  const headers = { 'idempotency-key': 'delayed-1' }
  const answers = await Promise.all([1, 2, 3].map(() => before.call({ ...call, headers })))
  await before.service.close()

  const after = await startTestService({ database })
  after.advance(30_000)
  await using restarted = reportRounds(after)
  await restarted.round()
  const replayed = await after.call({ ...call, headers })

  assert.equal(new Set([...answers, replayed].map(({ body }) => body)).size, 1, replayed.body)
  assert.deepEqual(await outcomesOfReports(after), ['booked'])
  assert.deepEqual(await statusOf(paymentReference, after), ['Successful', 6000])
  await after.service.close()
})

test('a lost transfer is never reported, and found by asking: on demand, or by a sweep', async () => {
  const lost = await startPayment(bench)
  const { accountNumber } = await createAccount(bench)
  const { scheduled } = await sent({ accountNumber: lost.bankAccount, kind: 'lost' })
  await sent({ accountNumber, kind: 'lost', amount: 45 })
  const { config, db, clock } = bench
  const sealer = new Sealer(config.secrets.data, config.secrets.hash)
  const connected = connectBanks(bankConfigurations(config))
  const connections = withSandboxBank({ db, sealer, clock, banks: config.banks }, connected)
  const rounds = requeryRounds(bench, { connections })

  bench.advance(MINUTE_MS)
  await worker.round()
  assert.equal(scheduled[0].dueAt, null)
  assert.deepEqual(await statusOf(lost.paymentReference), ['Processing', 0])
  const url = `/api/v1/payments/${lost.paymentReference}/requery`
  const answer = await bench.call({ url, body: {} })
  await rounds.ask()
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(await statusOf(lost.paymentReference), ['Successful', 6000])
  assert.deepEqual(
    (await requeriesOf(bench, 'demand')).map(({ state, newCredits }) => [state, newCredits]),
    [['found', 1]],
  )
  await rounds.plan()
  await rounds.ask()
  assert.equal(await balanceOf(bench, accountNumber), 45)
  const credit = await bench.call({ url: `/api/v1/credits/${scheduled[0].sessionId}` })
  assert.equal(credit.json().data.source, 'requery')
  await rounds.close()
  await assertBooksBalance(bench)
})

test('magic amounts choose a scenario where the call asks for scenarios', async () => {
  // Simulates a payment of this amount; returns the credit's outcome and the payment's status.
  const simulated = async (amount: string) => {
    const { bankAccount, paymentReference } = await startPayment(bench, { amount })
    const body = { virtualAccountNumber: bankAccount, amount, scenarios: true }
    const answer = await bench.call({ url: SIMULATE, body })
    assert.equal(answer.statusCode, 200, answer.body)
    const { outcome, reason } = answer.json().responseData
    return [outcome, reason, ...(await statusOf(paymentReference))]
  }

  assert.deepEqual(await simulated('7777.00'), ['booked', null, 'Successful', 7777])
  assert.deepEqual(await simulated('7777.01'), ['booked', null, 'Successful', 7777.01])
  assert.deepEqual(await simulated('7777.02'), ['booked', null, 'Successful', 7777.02])
  assert.equal((await simulated('7777.03'))[2], 'Reversed')
  assert.deepEqual(await simulated('7777.04'), ['booked', null, 'Successful', 7777.04])
  assert.deepEqual(await simulated('7777.05'), ['suspended', 'wrong_currency', 'Processing', 0])
  assert.deepEqual(await simulated('7777.06'), ['delayed', null, 'Processing', 0])
  assert.deepEqual(await simulated('7777.07'), ['lost', null, 'Processing', 0])
  assert.deepEqual(await simulated('7777.08'), ['booked', null, 'Successful', 7777.08])
  bench.advance(30_000)
  await worker.round()
  assert.deepEqual((await outcomesOfReports(bench)).slice(-3), ['reversed', 'booked', null])
  await assertBooksBalance(bench)
})

test('without scenarios, every amount is an ordinary transfer', async () => {
  for (const amount of ['7777.01', '7777.03', '7777.05', '7777.06', '7777.07']) {
    for (const more of [{}, { scenarios: false }]) {
      const { bankAccount } = await startPayment(bench, { amount })
      const body = { virtualAccountNumber: bankAccount, amount, ...more }
      const { status, amountPaid } = (await bench.call({ url: SIMULATE, body })).json().responseData
      assert.deepEqual([status, amountPaid], ['Successful', Number(amount)])
    }
  }
  const body = { virtualAccountNumber: '0000000001', amount: '1', scenarios: 'yes' }
  const answer = await bench.call({ url: SIMULATE, body })
  assertRefused(answer, { status: 400, code: 'invalid_request' }, 'payment')
})

test('a collection account shows what was taken back at once', async () => {
  const { accountNumber } = await createAccount(bench)
  const body = { virtualAccountNumber: accountNumber, amount: '7777.03', scenarios: true }

  const { status, amountPaid } = (await bench.call({ url: SIMULATE, body })).json().responseData

  assert.deepEqual([status, amountPaid], ['Reversed', 0])
})

test('docs/sandbox.md says what every scenario does, and which amounts are magic', async () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8')
  const rows = [...document.matchAll(/^\| `(\w+)` \|[^|]*\| (\w+) \| ?(.*) ?\|$/gm)]
  const outcomes: unknown[] = []
  for (const [, kind = ''] of rows) {
    const { bankAccount: accountNumber, paymentReference } = await startPayment(bench)
    if (kind === 'late') bench.advance(36 * MINUTE_MS)
    const from = await lastSequence()
    await sent({ accountNumber, kind })
    bench.advance(30_000)
    await worker.round()
    const { rows: events } = await bench.db.query(
      'select type from events where sequence > $1 and payment_id = $2 order by sequence',
      [from, paymentReference],
    )
    const types = events.map(({ type }) => `\`${type}\``).join(', ')
    outcomes.push([kind, (await statusOf(paymentReference))[0], types])
  }

  assert.deepEqual(
    outcomes,
    rows.map(([, kind, status, events]) => [kind, status, events?.trim()]),
  )
  assert.deepEqual(
    rows.map(([, kind]) => kind),
    [...SANDBOX_TRANSFERS],
  )
  const magic = [...document.matchAll(/^\| `(7777\.\d\d)` \| `(\w+)`/gm)]
  for (const [, amount, kind] of magic) {
    assert.equal(scenarioOf(koboOf(amount as string) as Kobo)?.kind, kind)
  }
  assert.equal(magic.length, 7)
})

test('options that a scenario has no use for, and bad ones, are refused; nothing is written', async () => {
  const { bankAccount: accountNumber } = await startPayment(bench)
  const { bankAccount: kobo } = await startPayment(bench, { amount: '0.01' })
  const token = await bench.newClient('BANKER2')
  const before = await databaseText(bench)

  const bad = [
    { accountNumber, kind: 'exact', times: 2 },
    { accountNumber, kind: 'reversed', times: 2 },
    { accountNumber, kind: 'lost', afterSeconds: 2 },
    { accountNumber: kobo, kind: 'out_of_order' },
    ...[0, 21, 1.5, '3', null, -1].map((times) => ({ accountNumber, kind: 'duplicate', times })),
    ...[-1, 2_592_001, 0.5, '60', null].map((afterSeconds) => ({
      accountNumber,
      kind: 'delayed',
      afterSeconds,
    })),
  ]
  for (const body of bad) {
    const answer = await bench.call({ url: TRANSFERS, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
  for (const kind of ['delayed', 'lost', 'out_of_order', 'reversal_first', 'wrong_currency']) {
    const answer = await bench.call({ url: TRANSFERS, body: { accountNumber, kind }, token })
    assertRefused(answer, { status: 404, code: 'number_not_found' })
  }
  assert.equal(await databaseText(bench), before)
})

// The overview, the balances, the upcoming settlement and the list of refunds agree about one client's money.
// They count a refund at different times, and the test says which counts it when.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { pay, refund } from '../support/refunding.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { closeSettlement } from '../support/settlements.ts'
import { credit, openDesk, type Row, reverse } from '../support/tracing.ts'

const inKobo = (naira: number) => Math.round(naira * 100)

// Reads the overview, the balances, the upcoming settlement and the list of refunds.
async function figures(bench: Bench) {
  const read = async (url: string) => dataOf(await bench.call({ url })) as Row
  const { today } = await read('/api/v1/overview')
  const from = today.from.replace('+', '%2B')
  const { figures: period } = await read(`/api/v1/overview/period?from=${from}&to=2026-11-16`)
  const { totals } = await read('/api/v1/balances')
  const upcoming = await read('/api/v1/settlements/upcoming')
  const listed = (await bench.call({ url: '/api/v1/refunds?limit=100' })).json().data as Row[]
  return { today, period, balance: totals[0] as Row, upcoming, refunds: listed }
}

const sum = (rows: readonly Row[], name: string) =>
  rows.reduce((total, row) => total + inKobo(row[name]), 0) / 100

// Makes credits, fees, a reversal, suspended money, a refund that the bank confirmed and one that it has not
// confirmed.
async function trade(bench: Bench) {
  await createFeeRule(bench, { percent: 1 })
  await openDesk(bench)
  const account = await createAccount(bench)
  const closedAccount = await createAccount(bench)
  await bench.call({
    method: 'POST',
    url: `/api/v1/accounts/static/${closedAccount.accountNumber}/deactivate`,
    body: {},
  })
  const payment = await startPayment(bench, { amount: 10_000 })
  await pay(bench, account.accountNumber, '20000.50')
  await pay(bench, payment.bankAccount, '10000.00')
  const reported = await credit(bench, account.accountNumber, '3000.00')
  await reverse(bench, reported, '1200.00')
  await credit(bench, closedAccount.accountNumber, '700.00')
  const paid = { paymentReference: payment.paymentReference as string }
  await refund(bench, paid, '1000.25')
  await settleAll(bench, CONFIRMED)
  await refund(bench, paid, '500.00') // Not yet confirmed.
}

test('Today, balances, refunds and settlements agree to the kobo on one set of data', async () => {
  await using bench = await startTestService()
  await trade(bench)
  const { today, period, balance, upcoming, refunds } = await figures(bench)

  for (const name of ['gross', 'net', 'reversed', 'returned', 'refunded', 'fees'] as const) {
    assert.equal(today[name], balance[name], `today and the balances: ${name}`)
  }
  assert.equal(today.suspended, balance.suspended)
  assert.deepEqual(period, today)
  const { gross, reversed, returned, refunded, suspended, fees } = today
  const less = [reversed, returned, refunded, suspended, fees].map(inKobo)
  assert.equal(inKobo(today.net), inKobo(gross) - less.reduce((one, other) => one + other))
  assert.equal(refunded, 1000.25)
  assert.equal(refunded, sum(refunds, 'refundedAmount'))

  // A settlement counts a refund when it is requested, and does not count suspended money.
  const waiting = sum(refunds, 'amount') - sum(refunds, 'refundedAmount')
  assert.equal(waiting, 500)
  assert.equal(balance.inTransit, waiting)
  assert.equal(inKobo(upcoming.refunds), inKobo(refunded) + inKobo(waiting))
  assert.equal(inKobo(upcoming.gross), inKobo(gross) - inKobo(suspended))
  assert.equal(inKobo(upcoming.fees) + inKobo(upcoming.vat), inKobo(fees))
  assert.equal(upcoming.reversed, reversed)
  assert.equal(upcoming.net, balance.available)
  assert.equal(inKobo(upcoming.net), inKobo(today.net) - inKobo(waiting))

  const settlement = await closeSettlement(bench)
  for (const name of ['gross', 'fees', 'vat', 'reversed', 'refunds', 'net'] as const) {
    assert.equal(settlement[name], upcoming[name], `the settlement as announced: ${name}`)
  }
})

// The list of refunds: filtered by status, amount and period, in either order; the export has the same
// filters.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REFUND_FILTER_STATUSES } from '#refunds/states.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { assertRefused, createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { answerAll, CONFIRMED, FAILED, sendAll, settleAll } from '../support/money-out.ts'
import { pay, refund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'

const REFUNDS = '/api/v1/refunds'
const DAY_MS = 86_400_000
const bench = closeAfterTests(await startTestService())
await trade()

async function list(query: string) {
  const answer = await bench.call({ url: `${REFUNDS}?limit=100&${query}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data as { reference: string; status: string; amount: number }[]
}

const amounts = async (query: string) => (await list(query)).map(({ amount }) => amount)

// Makes a refund in each state, each with another amount. One refund pays back two credits, and one of its
// payouts fails.
async function trade() {
  await pay(bench, (await createAccount(bench)).accountNumber, '50000')
  // Starts a payment, which a payer pays with two credits.
  const newPayment = async () => {
    const payment = await startPayment(bench, { amount: 1000 })
    await pay(bench, payment.bankAccount, '600')
    await pay(bench, payment.bankAccount, '400')
    return { paymentReference: payment.paymentReference as string }
  }
  await refund(bench, await newPayment(), '10')
  await settleAll(bench, CONFIRMED)
  await refund(bench, await newPayment(), '20')
  await settleAll(bench, FAILED)
  await refund(bench, await newPayment(), '1000')
  const [one, other] = await sendAll(bench)
  assert(one && other)
  await answerAll(bench, CONFIRMED, [one])
  await answerAll(bench, FAILED, [other])
  await refund(bench, await newPayment(), '30')
  await sendAll(bench) // Its bank has not answered.
  bench.advance(DAY_MS)
  const cancelled = await refund(bench, await newPayment(), '40')
  const url = `${REFUNDS}/${cancelled.reference}/cancel`
  dataOf(await bench.call({ url, body: { reason: 'Not asked for' } }))
  await refund(bench, await newPayment(), '50')
  const settings = '/api/v1/operator/clients/MAN0000001/payout-settings'
  const body = { payoutApproval: 'all' }
  dataOf(await bench.call({ method: 'PATCH', url: settings, body }))
  await refund(bench, await newPayment(), '60')
}

test('each state lists the refunds that say they are in it, and the states make up the whole', async () => {
  const all = await list('')
  const states = REFUND_FILTER_STATUSES.filter((status) => status !== 'awaiting_approval')
  for (const status of states) {
    const expected = all.filter((each) => each.status === status)
    assert.deepEqual(await list(`status=${status}`), expected, status)
  }
  assert.deepEqual(await amounts('status=part_failed'), [1000])
  assert.deepEqual(await amounts('status=failed'), [20])
  assert.deepEqual(await amounts('status=cancelled'), [40])
  assert.deepEqual(await amounts('status=queued'), [60, 50])
  assert.deepEqual(await amounts('status=awaiting_approval'), [60])
})

test('amount, period and order narrow and turn the list', async () => {
  assert.deepEqual(await amounts('minAmount=20&maxAmount=40'), [40, 30, 20])
  assert.deepEqual(await amounts('from=2026-11-16'), [60, 50, 40])
  assert.deepEqual(await amounts('to=2026-11-16&order=oldest'), [10, 20, 1000, 30])
  for (const wrong of ['status=some', 'minAmount=5&maxAmount=4', 'order=up']) {
    const answer = await bench.call({ url: `${REFUNDS}?${wrong}` })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
})

test('the file has the filters, the order and the columns that were chosen', async () => {
  const query = 'maxAmount=30&order=oldest&columns=amount,toAccountName,status'
  const answer = await bench.call({ url: `${REFUNDS}.csv?${query}` })
  assert.equal(answer.body.split('\r\n')[0], '\ufeffamount,toAccountName,status')
  const rows = parseCsv(answer.body)
  assert.deepEqual(
    rows.map(({ amount, toAccountName }) => [amount, toAccountName]),
    [
      ['10.00', 'ADA OBI'],
      ['20.00', 'ADA OBI'],
      ['30.00', 'ADA OBI'],
    ],
  )
  const book = await bench.call({ url: `${REFUNDS}.xlsx?columns=amount` })
  assert.equal(book.statusCode, 200)
  const wrong = await bench.call({ url: `${REFUNDS}.csv?columns=amount,colour` })
  assertRefused(wrong, { status: 400, code: 'invalid_request' })
  assert.match(wrong.body, /colour is no column/)
})

// Refunds of money that the bank also reverses, and the events and records of refunds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { answerAll, CONFIRMED, FAILED, sendAll, settleAll } from '../support/money-out.ts'
import { begin, recordMovements, reverse, stateOf } from '../support/movements.ts'
import { askRefund, pay, paymentOf, refund, refundsOf, tryRefund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'

test('reversed money cannot be refunded', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  const { sessionId } = await pay(bench, number, '100')
  await pay(bench, (await createAccount(bench)).accountNumber, '500')
  await reverse(bench, sessionId, '30')

  assert.equal(await tryRefund(bench, payment, '70.01'), 'refund_too_large')
  assert.equal(await tryRefund(bench, payment, '70'), 'queued')
})

test('money that was refunded and then reversed is owed once, and not refunded again', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  const { sessionId } = await pay(bench, number, '100')
  await refund(bench, payment, '100')
  await settleAll(bench, CONFIRMED)
  const { moves } = await recordMovements(bench)

  await reverse(bench, sessionId, '100')

  assert.deepEqual(await moves(), ['reversal: receivable → bank 035 100.00'])
  assert.equal(await stateOf(bench, payment), 'Reversed 0')
  assert.equal(await tryRefund(bench, payment, '0.01'), 'refund_too_large')
  assert.equal((await paymentOf(bench, payment)).refundedAmount, 100)
  await assertCleanBooks(bench)
})

test('a refund on its way when the bank reverses is paid, and what failed is still owed', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  const { sessionId } = await pay(bench, number, '100')
  await refund(bench, payment, '100')
  const { moves } = await recordMovements(bench)

  const sent = await sendAll(bench)
  await reverse(bench, sessionId, '100')
  await answerAll(bench, FAILED, sent)

  assert.deepEqual(await moves(), [
    'reversal: receivable → bank 035 100.00',
    'refund_failed: refunding → available 100.00',
  ])
  await assertCleanBooks(bench)
})

test('a reversal after the refund of one credit does not free the other credit', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '60')
  const { sessionId } = await pay(bench, number, '40')
  await pay(bench, (await createAccount(bench)).accountNumber, '500')
  await refund(bench, payment, '40')
  await reverse(bench, sessionId, '40')

  assert.equal(await tryRefund(bench, payment, '20.01'), 'refund_too_large')
  assert.equal(await tryRefund(bench, payment, '20'), 'queued')
})

test('an event has the refund, its amount, and the total refunded', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  await refund(bench, payment, '30')
  await settleAll(bench, CONFIRMED)
  const { reference } = await refund(bench, payment, '20')
  await settleAll(bench, CONFIRMED)

  const { data } = (await bench.call({ url: '/api/v1/events?type=payment.refunded' })).json()

  const event = data[0].data
  assert.deepEqual(
    [event.status, event.amountPaid, event.refundedAmount, event.paymentReference],
    ['Successful', 100, 50, payment.paymentReference],
  )
  assert.deepEqual(event.refund, {
    reference,
    amount: 20,
    bankReference: 'BANK-1',
    failureReason: null,
  })
})

test('the refunding user is in the audit log and on the timeline', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const { reference } = await refund(bench, payment, '30')
  await settleAll(bench, CONFIRMED)

  const { data } = (await bench.call({ url: '/api/v1/audit-log?action=refund.create' })).json()

  assert.equal(data[0].subject, `payment/${payment.paymentReference}`)
  assert.deepEqual(
    [data[0].detail.reference, data[0].detail.amount, data[0].detail.note],
    [reference, '30.00', 'Wrong size'],
  )
  const url = `/api/v1/payments/${payment.paymentReference}/timeline`
  const timeline = (await bench.call({ url })).json().data
  const kinds = timeline.entries.flatMap((entry: { kind: string; reference: string }) =>
    entry.reference === reference ? entry.kind : [],
  )
  assert.deepEqual(kinds, ['refund', 'refund'])
})

test('a repeated request with the same key refunds once', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const headers = { 'idempotency-key': 'refund-1' }

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => askRefund(bench, payment, { amount: '20', headers })),
  )

  const references = new Set(answers.map((answer) => dataOf(answer).reference))
  assert.equal(references.size, 1)
  const { data } = (await bench.call({ url: refundsOf(payment) })).json()
  assert.equal(data.length, 1)
})

test('the payer’s page shows what was refunded, once the bank has confirmed it', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const url = `/pay/api/status?adviceReference=${payment.adviceReference}`
  // The status and the amounts of the payment, as the shop's customer can see them without a token.
  const view = async () => {
    const { status, amountPaid, amountRefunded } = (await bench.call({ url, token: null })).json()
      .data
    return [status, amountPaid, amountRefunded]
  }
  await refund(bench, payment, '30')
  assert.deepEqual(await view(), ['Successful', 100, 0])

  await settleAll(bench, CONFIRMED)

  assert.deepEqual(await view(), ['Successful', 100, 30])
})

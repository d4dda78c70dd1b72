// Refunds go to the account from which the money came, come from the available balance, and never exceed what
// is left of the payment. Each test compares the complete list of ledger transfers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { CONFIRMED, FAILED, payOut, settleAll } from '../support/money-out.ts'
import { begin, credit, recordMovements, resolve, stateOf } from '../support/movements.ts'
import { creditOf, pay, paymentOf, refund, refundsOf, tryRefund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { owe } from '../support/settlements.ts'

test('a payment is refunded whole: the payer has it, the payment stays paid', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const { moves, events } = await recordMovements(bench)

  const answer = await refund(bench, payment, '100')
  assert.equal((await paymentOf(bench, payment)).refundedAmount, 0)
  await settleAll(bench, CONFIRMED)

  assert.match(answer.reference, /^RFD[0-9]{15}$/)
  assert.deepEqual([answer.status, answer.amount, answer.refundedAmount], ['queued', 100, 0])
  assert.equal(answer.paymentReference, payment.paymentReference)
  const [sent] = answer.payouts
  assert.deepEqual(
    [sent.bankCode, sent.toBankCode, sent.toAccountName, sent.toAccountNumberMasked],
    ['035', '058', 'ADA OBI', '******6789'],
  )
  assert.deepEqual(await moves(), [
    'refund: available → refunding 100.00',
    'refunded: refunding → bank 035 100.00',
    'bank_charge: bank_cost 035 → bank 035 10.00',
    'bank_charge: input_vat 035 → bank 035 0.75',
  ])
  assert.deepEqual(await events(), ['payment.refunded'])
  assert.equal(await stateOf(bench, payment), 'Successful 100')
  const view = await paymentOf(bench, payment)
  assert.deepEqual([view.refundedAmount, view.credits[0].refundedAmount], [100, 100])
  const url = `/api/v1/refunds/${answer.reference}`
  const settled = dataOf(await bench.call({ url }))
  assert.deepEqual([settled.status, settled.refundedAmount], ['confirmed', 100])
  await assertCleanBooks(bench)
})

test('in parts, and never more than is left', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  await pay(bench, (await createAccount(bench)).accountNumber, '500')

  assert.equal(await tryRefund(bench, payment, '100.01'), 'refund_too_large')
  assert.equal(await tryRefund(bench, payment, '60'), 'queued')
  assert.equal(await tryRefund(bench, payment, '40.01'), 'refund_too_large') // Even while it is queued.
  await settleAll(bench, CONFIRMED)
  assert.equal(await tryRefund(bench, payment, '40.01'), 'refund_too_large')
  assert.equal(await tryRefund(bench, payment, '40'), 'queued')
  assert.equal(await tryRefund(bench, payment, '0.01'), 'refund_too_large')
})

test('the money of a failed refund is available again, and can be refunded again', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const { moves, events } = await recordMovements(bench)
  const answer = await refund(bench, payment, '100')

  await settleAll(bench, FAILED)

  assert.deepEqual(await moves(), [
    'refund: available → refunding 100.00',
    'refund_failed: refunding → available 100.00',
  ])
  assert.deepEqual(await events(), ['payment.refund_failed'])
  const { data } = (await bench.call({ url: refundsOf(payment) })).json()
  assert.deepEqual(
    [data[0].status, data[0].payouts[0].failureReason, data[0].refundedAmount],
    ['failed', 'Account closed', 0],
  )
  const again = await refund(bench, payment, '100')
  assert.notEqual(again.reference, answer.reference)
  assert.notEqual(again.payouts[0].reference, answer.payouts[0].reference)
  await assertCleanBooks(bench)
})

test('a payment of several credits is refunded newest first, each to its own payer', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await credit(bench, number, '40', {
    sourceAccountNumber: '1111111111',
    sourceAccountName: 'BOLA ADE',
    sourceBankCode: '011',
  })
  await pay(bench, number, '60')
  const { moves, events } = await recordMovements(bench)

  const answer = await refund(bench, payment, '75')

  assert.deepEqual(
    answer.payouts.map((part: Record<string, unknown>) => [part.toAccountName, part.amount]),
    [
      ['ADA OBI', 60],
      ['BOLA ADE', 15],
    ],
  )
  await settleAll(bench, CONFIRMED)
  assert.deepEqual((await moves()).slice(0, 2), [
    'refund: available → refunding 60.00',
    'refund: available → refunding 15.00',
  ])
  assert.deepEqual(await events(), ['payment.refunded', 'payment.refunded'])
  assert.equal((await paymentOf(bench, payment)).refundedAmount, 75)
  await assertCleanBooks(bench)
})

test('a collection credit is refunded, from the proceeds of payments first', async () => {
  await using bench = await startTestService()
  const { number } = await begin(bench)
  await pay(bench, number, '100')
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '150')
  const { moves, events } = await recordMovements(bench)

  const answer = await refund(bench, sessionId, '130')
  await settleAll(bench, CONFIRMED)

  assert.deepEqual((await moves()).slice(0, 3), [
    'refund: available → refunding 100.00',
    'refund: collection → refunding 30.00',
    'refunded: refunding → bank 035 130.00',
  ])
  assert.deepEqual(await events(), ['collection.refunded'])
  assert.equal(answer.paymentReference, null)
  const view = await creditOf(bench, sessionId)
  assert.deepEqual([view.id, view.refundedAmount], [answer.creditId, 130])
  assert.equal(await tryRefund(bench, sessionId, '20.01'), 'refund_too_large')
  await assertCleanBooks(bench)
})

test('money assigned from suspense is refunded with the payment or account that got it', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  const { sessionId } = await pay(bench, number, '130')
  const { accountNumber } = await createAccount(bench)
  await resolve(bench, sessionId, 'assign', { accountNumber })

  assert.equal(await tryRefund(bench, sessionId, '30.01'), 'refund_too_large')
  assert.equal(await tryRefund(bench, sessionId, '30'), 'queued')
  assert.equal(await tryRefund(bench, payment, '100.01'), 'refund_too_large')
  assert.equal(await tryRefund(bench, payment, '100'), 'queued')
  await settleAll(bench, CONFIRMED)
  assert.equal((await paymentOf(bench, payment)).refundedAmount, 100)
  await assertCleanBooks(bench)
})

test('only what is paid can be refunded, and a payment’s credit with its payment', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  const { sessionId } = await pay(bench, number, '40')

  assert.equal(await tryRefund(bench, payment, '1'), 'payment_not_refundable')
  assert.equal(await tryRefund(bench, sessionId, '1'), 'credit_of_payment')
  await pay(bench, number, '60')
  assert.equal(await tryRefund(bench, sessionId, '1'), 'credit_of_payment')
  const late = await pay(bench, number, '10')
  assert.equal(await tryRefund(bench, late.sessionId, '1'), 'credit_not_refundable')
  assert.equal(await tryRefund(bench, payment, '1'), 'queued')
})

test('without the payer’s account there is nowhere to send it', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '40')
  await credit(bench, number, '60')

  assert.equal(await tryRefund(bench, payment, '40.01'), 'refund_payer_unknown')
  assert.equal(await tryRefund(bench, payment, '40'), 'queued')
})

test('a refund comes from the available balance; above that it is refused and changes nothing', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  await payOut(bench, 30)
  const { moves } = await recordMovements(bench)

  assert.equal(await tryRefund(bench, payment, '70.01'), 'insufficient_balance')

  assert.deepEqual(await moves(), [])
  const { rows } = await bench.db.query(
    `select from payouts where purpose = 'refund' union all select from refunds`,
  )
  assert.deepEqual(rows, [])
  assert.equal(await tryRefund(bench, payment, '70'), 'queued')
})

test('a refund draws only on the money beyond the client’s debt', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const { sessionId } = await pay(bench, (await createAccount(bench)).accountNumber, '50')
  await owe(bench, '90')
  const { moves } = await recordMovements(bench)

  assert.equal(await tryRefund(bench, payment, '60.01'), 'insufficient_balance')
  assert.equal(await tryRefund(bench, payment, '35'), 'queued')
  assert.equal(await tryRefund(bench, sessionId, '25.01'), 'insufficient_balance')
  assert.equal(await tryRefund(bench, sessionId, '25'), 'queued')

  assert.deepEqual(await moves(), [
    'refund: available → refunding 35.00',
    'refund: available → refunding 25.00',
  ])
})

test('fees are not given back: the client refunds what the payer sent', async () => {
  await using bench = await startTestService()
  dataOf(await createFeeRule(bench))
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')

  assert.equal(await tryRefund(bench, payment, '100'), 'insufficient_balance')
  await pay(bench, (await createAccount(bench)).accountNumber, '10')
  assert.equal(await tryRefund(bench, payment, '100'), 'queued')
})

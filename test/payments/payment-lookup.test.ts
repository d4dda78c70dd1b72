// A payment is found by any of its references, and the response has everything known about it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  createAdvice,
  dataOf,
  initiate,
  MINUTE_MS,
  startPayment,
  TIMESTAMP,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, openDesk, type Row } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')
const desk = await openDesk(bench)

const ask = (reference: string, token?: string) =>
  bench.call({
    url: `/api/v1/payments/${encodeURIComponent(reference)}`,
    ...(token === undefined ? {} : { token }),
  })
const found = async (reference: string) => dataOf(await ask(reference))

test('any reference leads to the same payment, however it is written', async () => {
  const payment = await startPayment(bench, { merchantRef: 'Größe/№ 7' })
  await initiate(bench, payment.adviceReference, '058')
  const sessionId = await credit(bench, payment.bankAccount, '1000.00')
  const bare = (reference: string) => reference.replaceAll('-', '').toUpperCase()

  const whole = await found(payment.paymentReference)

  for (const reference of [
    bare(payment.paymentReference),
    payment.adviceReference,
    bare(payment.adviceReference),
    'Größe/№ 7',
    sessionId,
    payment.bankAccount,
    whole.numbers[1].accountNumber,
  ]) {
    assert.deepEqual(await found(reference), whole, reference)
  }
})

test('the answer has the amounts requested, paid, due and in suspense', async () => {
  const payment = await startPayment(bench, { merchantRef: 'ORDER-2' })
  const first = await credit(bench, payment.bankAccount, '1000.00')

  const { credits, expiresAt, closesAt, createdAt, updatedAt, ...plain } = await found('ORDER-2')

  assert.deepEqual(plain, {
    paymentReference: payment.paymentReference,
    adviceReference: payment.adviceReference,
    merchantRef: 'ORDER-2',
    status: 'PartPayment',
    amount: 6000,
    amountPaid: 1000,
    amountRemaining: 5000,
    refundedAmount: 0,
    merchantFee: 0,
    merchantFeeVat: 0,
    netToMerchant: 1000,
    amountInSuspense: 0,
    currency: 'NGN',
    amountPolicy: 'allow_under',
    numbers: [{ bankCode: '035', bankName: 'Wema Bank', accountNumber: payment.bankAccount }],
    customerName: 'Ada Obi',
    narration: 'A pair of shoes',
    splits: [],
    callBackUrl: payment.callBackUrl,
    hasMoreCredits: false,
  })
  assert.deepEqual(
    credits.map((row: Row) => [row.sessionId, row.amountBooked]),
    [[first, 1000]],
  )
  for (const time of [expiresAt, closesAt, createdAt, updatedAt]) assert.match(time, TIMESTAMP)
  assert(Date.parse(closesAt) - Date.parse(expiresAt) === 5 * MINUTE_MS)

  const second = await credit(bench, payment.bankAccount, '5200.00')
  await credit(bench, payment.bankAccount, '7.00', { currency: 'USD' })
  const paid = await found(second)
  assert.equal(paid.status, 'Successful')
  assert.equal(paid.amountRemaining, 0)
  assert.equal(paid.amountInSuspense, 200, 'another currency does not add up with naira')
  assert.equal(paid.credits.length, 3)
})

test('a payment past its expiry reads Expired before a worker has closed it', async () => {
  const payment = await startPayment(bench)
  bench.advance(31 * MINUTE_MS)

  const { status, amountRemaining } = await found(payment.bankAccount)

  assert.equal(status, 'Expired')
  assert.equal(amountRemaining, 6000)
})

test('when one text is several references, the payment reference comes first', async () => {
  const one = await startPayment(bench)
  const two = await startPayment(bench, { merchantRef: one.paymentReference })
  const three = await startPayment(bench, { merchantRef: two.bankAccount })

  assert.equal((await found(one.paymentReference)).paymentReference, one.paymentReference)
  assert.equal((await found(two.bankAccount)).paymentReference, three.paymentReference)
})

test('a session id leads to the payment that its money is with now', async () => {
  const sentTo = await startPayment(bench)
  const meant = await startPayment(bench, { amount: 70 })
  await credit(bench, sentTo.bankAccount, '6000.00')
  const late = await credit(bench, sentTo.bankAccount, '70.00')
  assert.equal((await found(late)).paymentReference, sentTo.paymentReference)

  await desk.assign(late, { paymentId: meant.paymentReference })

  const { paymentReference, status, credits } = await found(late)
  assert.equal(paymentReference, meant.paymentReference)
  assert.equal(status, 'Successful')
  assert.deepEqual(
    credits.map((row: Row) => row.sessionId),
    [late],
  )
  assert.equal((await found(sentTo.paymentReference)).amountInSuspense, 0)
})

test('an account number leads to the latest payment that had it', async () => {
  const earlier = await startPayment(bench)
  const later = await startPayment(bench)
  bench.advance(1)
  // Gives the later payment the number of the earlier one, which happens when a bank's numbers run out.
  await bench.db.query(
    `update payment_numbers set account_number = $1, issued_at = $2 where payment_id = $3`,
    [earlier.bankAccount, bench.clock(), later.paymentReference],
  )

  const { paymentReference } = await found(earlier.bankAccount)

  assert.equal(paymentReference, later.paymentReference)
})

test('another client cannot tell a payment from one that does not exist', async () => {
  const payment = await startPayment(bench, { merchantRef: 'MINE' })
  const sessionId = await credit(bench, payment.bankAccount, '10.00')
  const advice = await createAdvice(bench, { merchantRef: 'NOT STARTED' })
  const missing = await ask(UNKNOWN_REFERENCE)
  assertRefused(missing, { status: 404, code: 'payment_not_found' })

  for (const reference of [
    payment.paymentReference,
    payment.adviceReference,
    'MINE',
    sessionId,
    payment.bankAccount,
  ]) {
    assertAlike(await ask(reference, otherClient), missing)
  }
  assertAlike(await ask(advice.adviceReference), missing)
})

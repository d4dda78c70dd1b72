// A payment that was made in time stays so if the bank reports it late: the bank's own time decides, if it
// is plausible.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, closeExpired } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { initiate, MINUTE_MS, startPayment, verify } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { shownId } from '../support/shown-ids.ts'

const bench = closeAfterTests(await startTestService())
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const TERMS = { amount: 100, expiresInSeconds: 600, graceSeconds: 60 }

const after = (ms: number) => new Date(bench.clock().getTime() + ms).toISOString()
const statusOf = async ({ paymentReference }: { paymentReference: string }) =>
  (await verify(bench, paymentReference)).transactionStatus

// Reports a credit, and returns the answer to the bank and which time decided (`judgedBy`).
async function reportCreditAt(accountNumber: string, amount: string, transactionTime?: string) {
  const sessionId = newSessionId()
  const credit = { sessionId, accountNumber, amount, transactionTime }
  const { responseCode, outcome, code } = (await postRail(bench, '035/credits', credit)).json()
  const url = `/api/v1/credits/${sessionId}`
  const { judgedBy } = (await bench.call({ method: 'GET', url })).json().data
  return [responseCode, outcome, code, judgedBy].filter(Boolean).join(' ')
}

// Starts a payment at ten in the morning in Lagos, and moves the clock on by `ms`, as if the bank had
// reported nothing meanwhile. With `isClosed` the worker then closes expired payments. Returns the payment,
// and a time before and one after its expiry.
async function startPaymentBeforeOutage(
  ms: number,
  terms: Record<string, unknown> = TERMS,
  isClosed = true,
) {
  bench.advance(DAY_MS - ((bench.clock().getTime() - 9 * HOUR_MS) % DAY_MS))
  const payment = await startPayment(bench, terms)
  const inTime = after(5 * MINUTE_MS)
  const tooLate = after(11 * MINUTE_MS)
  bench.advance(ms)
  if (isClosed) await closeExpired(bench)
  return { payment, inTime, tooLate }
}

for (const isClosed of [true, false]) {
  const what = isClosed ? 'that was closed' : 'that is over'
  test(`a payment ${what} is settled by what was paid in time and reported late`, async () => {
    const { payment, inTime } = await startPaymentBeforeOutage(2 * HOUR_MS, TERMS, isClosed)
    assert.equal(await statusOf(payment), 'Expired')

    assert.equal(await reportCreditAt(payment.bankAccount, '100', inTime), '00 booked bank_time')

    assert.equal(await statusOf(payment), 'Successful')
    await closeExpired(bench)
    assert.equal(await statusOf(payment), 'Successful')
  })
}

test('money that was paid too late is late by the bank’s time and by ours', async () => {
  const { payment, tooLate } = await startPaymentBeforeOutage(2 * HOUR_MS)

  assert.equal(
    await reportCreditAt(payment.bankAccount, '100', tooLate),
    '00 suspended late bank_time',
  )
  assert.equal(await reportCreditAt(payment.bankAccount, '100'), '00 suspended late arrival')
})

test('an implausible time of the bank does not count', async () => {
  const { payment, inTime } = await startPaymentBeforeOutage(72 * HOUR_MS + 6 * MINUTE_MS)
  const midnight = after(0).replace(/T.*/, 'T00:00:00+01:00')

  for (const time of [inTime, after(1), after(-30 * DAY_MS), midnight]) {
    assert.equal(
      await reportCreditAt(payment.bankAccount, '100', time),
      '00 suspended late arrival',
      time,
    )
  }
})

test('a date without a time does not count, even within the payment’s time', async () => {
  const terms = { ...TERMS, expiresInSeconds: 172_800 }
  const { payment } = await startPaymentBeforeOutage(50 * HOUR_MS, terms)
  const date = after(-DAY_MS).slice(0, 10)

  assert.equal(await reportCreditAt(payment.bankAccount, '100', date), '00 suspended late arrival')
})

test('a part that was paid in time opens the payment again for its usual time', async () => {
  const { payment, inTime } = await startPaymentBeforeOutage(2 * HOUR_MS)

  const part = await reportCreditAt(payment.bankAccount, '40', inTime)
  await closeExpired(bench)
  const meanwhile = await statusOf(payment)
  const rest = await reportCreditAt(payment.bankAccount, '60', inTime)

  assert.deepEqual(
    [part, meanwhile, rest],
    ['00 booked bank_time', 'PartPayment', '00 booked bank_time'],
  )
  assert.equal(await statusOf(payment), 'Successful')
})

test('money that went to suspense at the close stays there until it is assigned', async () => {
  bench.advance(DAY_MS)
  const payment = await startPayment(bench, TERMS)
  await reportCreditAt(payment.bankAccount, '40')
  const inTime = after(5 * MINUTE_MS)
  bench.advance(2 * HOUR_MS)
  await closeExpired(bench)

  assert.equal(await reportCreditAt(payment.bankAccount, '60', inTime), '00 booked bank_time')

  assert.equal(await statusOf(payment), 'PartPayment')
  const { rows } = await bench.db.query(
    `select i.id from suspense_items i join credits c on c.id = i.credit_id
      where c.payment_id = $1 and i.state = 'open'`,
    [payment.paymentReference],
  )
  const url = `/api/v1/suspense/${shownId('suspense', rows[0].id)}/assign`
  const { paymentReference } = payment
  assert.equal((await bench.call({ url, body: { paymentReference } })).statusCode, 200)
  assert.equal(await statusOf(payment), 'Successful')
})

test('a cancelled payment is never paid', async () => {
  const payment = await startPayment(bench, TERMS)
  const inTime = after(1)
  bench.advance(MINUTE_MS)
  const url = `/Payment/advice/${payment.adviceReference}/cancel`
  assert.equal((await bench.call({ method: 'POST', url })).statusCode, 200)

  assert.match(await reportCreditAt(payment.bankAccount, '100', inTime), /^00 suspended cancelled/)
})

test('the last part may be less than the minimum, if it is all that is due', async () => {
  const payment = await startPayment(bench, { ...TERMS, payerRules: { minAmount: 30 } })
  await initiate(bench, payment.adviceReference, '058')
  await reportCreditAt(payment.bankAccount, '80')

  const less = await reportCreditAt(payment.bankAccount, '19.99')
  const rest = await reportCreditAt(payment.bankAccount, '20')

  assert.match(less, /^00 suspended below_minimum/)
  assert.match(rest, /^00 booked/)
  assert.equal(await statusOf(payment), 'Successful')
})

test('after all these tests the books add up', () => assertCleanBooks(bench))

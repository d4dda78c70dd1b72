// When the service queries a bank about a payment: after a name enquiry, when the payer says "I've sent the
// money", before the expiry and the end of the grace period, and on demand. Money that it finds is booked
// like any other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, closeExpired } from '../support/bank-calls.ts'
import { createAccount, dataOf, MINUTE_MS, startPayment, verify } from '../support/fixtures.ts'
import { postRail, reportCredit } from '../support/rail.ts'
import {
  BANK,
  type RequeryBench,
  requeriesOf,
  startRequeryBench,
} from '../support/requery-bench.ts'

const SECOND_MS = 1_000

// The bank sends a name enquiry about this number.
const enquire = async (bench: RequeryBench, accountNumber: string) => {
  const answer = await postRail(bench, `${BANK}/name-enquiry`, { accountNumber })
  assert.equal(answer.json().responseCode, '00')
}
const requery = (bench: RequeryBench, reference: string, body: object = {}) =>
  bench.call({ url: `/api/v1/payments/${reference}/requery`, body })
const statusOf = async (bench: RequeryBench, reference: string) =>
  (await verify(bench, reference)).transactionStatus

test('a name enquiry without a credit within 4 minutes is asked for, and not before', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, paymentReference } = await startPayment(bench)
  await enquire(bench, bankAccount)
  await enquire(bench, bankAccount)
  bench.transfer(bankAccount, '6000.00')

  bench.advance(4 * MINUTE_MS - 1)
  await bench.ask()
  const before = bench.bank.asked.length
  bench.advance(1)
  await bench.ask()

  assert.equal(before, 0)
  assert.equal(bench.bank.asked.length, 1)
  assert.equal(bench.bank.asked[0]?.searchParams.get('accountNumber'), bankAccount)
  assert.equal(await statusOf(bench, paymentReference), 'Successful')
  const [requery, ...others] = await requeriesOf(bench)
  assert.deepEqual([requery?.state, requery?.newCredits, others], ['found', 1, []])
  await assertCleanBooks(bench)
})

test('a name enquiry that a credit followed is dropped without asking', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  await reportCredit(bench, { accountNumber, amount: '1.00' })
  bench.advance(SECOND_MS)
  await enquire(bench, accountNumber)
  bench.advance(SECOND_MS)
  await reportCredit(bench, { accountNumber, amount: '5.00' })

  bench.advance(4 * MINUTE_MS)
  await bench.ask()

  assert.equal(bench.bank.asked.length, 0)
  assert.deepEqual(
    (await requeriesOf(bench)).map(({ state }) => state),
    ['dropped'],
  )
})

test('a credit from before the enquiry does not answer it', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  await reportCredit(bench, { accountNumber, amount: '1.00' })
  bench.advance(SECOND_MS)
  await enquire(bench, accountNumber)
  bench.transfer(accountNumber, '70.00')

  bench.advance(4 * MINUTE_MS)
  await bench.ask()

  assert.equal(bench.bank.asked.length, 1)
  assert.deepEqual(
    (await requeriesOf(bench)).map(({ state }) => state),
    ['found'],
  )
})

test('the payer’s “I’ve sent the money” asks at once, and again at most every 30 seconds', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, adviceReference, paymentReference } = await startPayment(bench)
  const press = () =>
    bench.call({
      method: 'POST',
      url: `/pay/${adviceReference}/sent`,
      headers: { accept: 'application/json' },
      token: null,
    })

  const checkout = dataOf(await press())
  await bench.ask()
  await press()
  await bench.ask()
  const before = bench.bank.asked.length
  bench.transfer(bankAccount, '6000.00')
  bench.advance(30 * SECOND_MS)
  await bench.ask()

  assert.deepEqual([checkout.status, checkout.canRequery], ['Processing', true])
  assert.equal(before, 1)
  assert.equal(bench.bank.asked.length, 2)
  assert.equal(await statusOf(bench, paymentReference), 'Successful')
  assert.equal((await requeriesOf(bench)).length, 1)
})

test('a payer whose payment was cancelled starts no requery', async () => {
  await using bench = await startRequeryBench()
  const { adviceReference } = await startPayment(bench)
  dataOf(await bench.call({ url: `/api/v1/advices/${adviceReference}/cancel`, body: {} }))

  await bench.call({ method: 'POST', url: `/pay/${adviceReference}/sent`, token: null })

  assert.deepEqual(await requeriesOf(bench), [])
})

test('the payer’s form works without a script, and knows no other payment', async () => {
  await using bench = await startRequeryBench()
  const { adviceReference } = await startPayment(bench)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const press = (reference: string, query = '') =>
    bench.call({ url: `/pay/${reference}/sent${query}`, body: '', headers: form, token: null })

  const done = await press(adviceReference)
  const chosen = await press(adviceReference, '?bank=050')
  const hostile = await press(adviceReference, '?bank=%26sent%3D1%0d%0a&bank=058')
  const other = await press('6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10')

  assert.equal(done.statusCode, 303)
  const sent = String(bench.clock().getTime())
  const query = new URLSearchParams({ adviceReference, sent })
  assert.equal(done.headers.location, `/pay?${query}`)
  assert.equal(chosen.headers.location, `/pay?${query}&bank=050`)
  assert.equal(hostile.headers.location, `/pay?${query}`)
  assert.equal(other.statusCode, 404)
  assert.deepEqual(
    (await requeriesOf(bench)).map(({ reason }) => reason),
    ['payer'],
  )
})

test('an open payment is asked for before it expires and before its grace ends, once each', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, paymentReference } = await startPayment(bench, { expiresInSeconds: 600 })
  // Plans twice, because planning again must not add a second question.
  const plan = async () => {
    await bench.plan()
    await bench.plan()
    await bench.ask()
  }
  const byNumber = () => bench.bank.asked.filter((url) => url.searchParams.has('accountNumber'))

  bench.advance(9 * MINUTE_MS - 1)
  await plan()
  assert.equal(byNumber().length, 0)
  bench.advance(30 * SECOND_MS + 1)
  await plan()
  assert.equal(byNumber().length, 1)
  bench.advance(5 * MINUTE_MS)
  await plan()
  const beforeClosing = byNumber().length
  bench.transfer(bankAccount, '6000.00')
  bench.advance(30 * SECOND_MS)
  await plan()

  assert(beforeClosing >= 2)
  assert.equal(await statusOf(bench, paymentReference), 'Successful')
  const reasons = (await requeriesOf(bench)).map(({ reason }) => reason)
  assert.deepEqual(reasons.filter((reason) => reason !== 'sweep').sort(), ['expiry', 'grace'])
})

test('money sent in time and found after the end of grace still pays for the payment', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, paymentReference } = await startPayment(bench, { expiresInSeconds: 600 })
  bench.advance(14 * MINUTE_MS + 30 * SECOND_MS)
  await bench.plan()
  bench.bank.state.mood = 'failing'
  await bench.ask()
  bench.transfer(bankAccount, '6000.00')
  bench.bank.state.mood = 'well'

  bench.advance(MINUTE_MS)
  await closeExpired(bench)
  await bench.ask()

  assert.equal(await statusOf(bench, paymentReference), 'Successful')
  await assertCleanBooks(bench)
})

test('a payment that is paid is not asked for', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount } = await startPayment(bench, { expiresInSeconds: 600 })
  bench.advance(9 * MINUTE_MS)
  await bench.plan()
  await reportCredit(bench, { accountNumber: bankAccount, amount: '6000.00' })

  bench.advance(30 * SECOND_MS)
  await bench.ask()

  const [expiry] = await requeriesOf(bench, 'expiry')
  assert.equal(expiry?.state, 'dropped')
  assert(!bench.bank.asked.some((url) => url.searchParams.has('accountNumber')))
})

test('a payment is asked for on demand, once however often it is demanded', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, paymentReference, adviceReference } = await startPayment(bench)
  bench.transfer(bankAccount, '6000.00')

  const first = dataOf(await requery(bench, paymentReference))
  const second = dataOf(await requery(bench, adviceReference))
  await bench.ask()

  assert.deepEqual(first, second)
  assert.equal(first.paymentReference, paymentReference)
  const [{ bankCode, state, attempts }] = first.requeries
  assert.deepEqual([bankCode, state, attempts], [BANK, 'open', 0])
  assert.equal(bench.bank.asked.length, 1)
  assert.equal(await statusOf(bench, paymentReference), 'Successful')
})

test('on demand with a session id, the bank is asked for that transfer', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, paymentReference } = await startPayment(bench)
  const { sessionId } = bench.transfer(bankAccount, '6000.00')

  dataOf(await requery(bench, paymentReference, { sessionId }))
  await bench.ask()

  assert.deepEqual(
    bench.bank.asked.map(({ pathname }) => pathname),
    [`/transfers/${sessionId}`],
  )
  assert.equal(await statusOf(bench, paymentReference), 'Successful')
})

test('a payment is asked for by ten session ids at a time', async () => {
  await using bench = await startRequeryBench()
  const { paymentReference } = await startPayment(bench)
  const ask = (sessionId: string) => requery(bench, paymentReference, { sessionId })
  for (let at = 0; at < 10; at++) dataOf(await ask(`id ${at}`))

  const refused = await ask('id 10')
  const again = await ask('id 9')

  assert.deepEqual([refused.statusCode, refused.json().code], [409, 'too_many_requeries'])
  assert.equal(again.statusCode, 200)
  assert.equal((await requeriesOf(bench)).length, 10)
})

test('a session id is no way to another path of the bank’s API', async () => {
  await using bench = await startRequeryBench()
  const { paymentReference } = await startPayment(bench)
  const answers = []
  for (const sessionId of ['.', '..', '../payouts/1', '%2e%2e', '?a=b']) {
    answers.push((await requery(bench, paymentReference, { sessionId })).statusCode)
  }

  await bench.ask()

  assert.deepEqual(answers, [400, 400, 200, 200, 200])
  assert.deepEqual(bench.bank.asked.map(({ pathname }) => pathname).toSorted(), [
    '/transfers/%252e%252e',
    '/transfers/%3Fa%3Db',
    '/transfers/..%2Fpayouts%2F1',
  ])
})

test('another client’s payment is not found, and nothing is asked', async () => {
  await using bench = await startRequeryBench()
  const { paymentReference } = await startPayment(bench)
  const token = await bench.newClient('OTHER')
  const url = `/api/v1/payments/${paymentReference}/requery`

  const answer = await bench.call({ url, body: {}, token })

  assert.deepEqual([answer.statusCode, answer.json().code], [404, 'payment_not_found'])
  assert.deepEqual(await requeriesOf(bench), [])
})

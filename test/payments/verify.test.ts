// Verifying a payment: its own client gets the result by the payment's reference or the advice's reference,
// with or without dashes, in capitals or not. Also the list of banks that a payer may choose.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  adviceBody,
  assertAlike,
  assertRefused,
  BANKS,
  BY_ADVICE,
  BY_PAYMENT,
  dataOf,
  INITIATE,
  MINUTE_MS,
  simulate,
  startPayment,
  TIMESTAMP,
  UNKNOWN_REFERENCE,
  verify,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const PAST_EXPIRY_MS = (30 + 5) * MINUTE_MS + 1000

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

test('a payment that waits for money is returned with all its fields', async () => {
  const payment = await startPayment(bench, { merchantRef: 'R-verify' })

  const { paymentDate, ...answer } = await verify(bench, payment.paymentReference)

  assert.deepEqual(answer, {
    merchantCode: 'MAN0000001',
    paymentReference: payment.paymentReference,
    adviceReference: payment.adviceReference,
    merchantReference: 'R-verify',
    amountCollected: 0,
    amount: 6000,
    callBackUrl: payment.callBackUrl,
    processorCode: '035',
    transactionStatus: 'Processing',
    currencyCode: 'NGN',
    accountNumber: payment.bankAccount,
    accountNumberMasked: `******${payment.bankAccount.slice(-4)}`,
    narration: adviceBody().narration,
    env: 'Test',
    message: 'Processing',
    customerName: 'Ada Obi',
  })
  assert.equal(paymentDate, null)
})

test('a payment shows the amount collected and the time', async () => {
  const payment = await startPayment(bench)

  await simulate(bench, payment.bankAccount, '1000.50')
  const part = await verify(bench, payment.paymentReference)
  bench.advance(MINUTE_MS)
  await simulate(bench, payment.bankAccount, '4999.50')
  const whole = await verify(bench, payment.paymentReference)

  assert.deepEqual([part.transactionStatus, part.amountCollected], ['PartPayment', 1000.5])
  assert.deepEqual([whole.transactionStatus, whole.amountCollected], ['Successful', 6000])
  assert.equal(whole.message, 'Successful')
  assert.match(whole.paymentDate, TIMESTAMP)
  assert.equal(new Date(whole.paymentDate).getTime(), bench.clock().getTime())
})

test('the date of a payment stays that of the money, whatever changes later', async () => {
  const payment = await startPayment(bench)
  await simulate(bench, payment.bankAccount, '3000')
  const paidAtMs = bench.clock().getTime()

  bench.advance(MINUTE_MS)
  const url = `/api/v1/advices/${payment.adviceReference}/extend`
  const extended = await bench.call({ url, body: { seconds: 600 } })

  assert.equal(extended.statusCode, 200, extended.body)
  const { paymentDate, amountCollected } = await verify(bench, payment.paymentReference)
  assert.equal(amountCollected, 3000)
  assert.equal(new Date(paymentDate).getTime(), paidAtMs)
})

test('the date of assigned money is that of the assignment', async () => {
  const payment = await startPayment(bench)
  const stray = await startPayment(bench, { amount: 1000 })
  await simulate(bench, stray.bankAccount, '4000')
  const suspense = await bench.call({ url: '/api/v1/suspense?state=open' })
  const [item] = suspense.json().data

  bench.advance(MINUTE_MS)
  const assigned = await bench.call({
    url: `/api/v1/suspense/${item.id}/assign`,
    body: { paymentReference: payment.paymentReference },
  })

  assert.equal(assigned.statusCode, 200, assigned.body)
  const { paymentDate } = await verify(bench, payment.paymentReference)
  assert.equal(new Date(paymentDate).getTime(), bench.clock().getTime())
})

test('either reference leads to the same answer, however it is written', async () => {
  const { paymentReference, adviceReference } = await startPayment(bench)
  const answer = await verify(bench, paymentReference)

  for (const [url, reference] of [
    [BY_PAYMENT, paymentReference],
    [BY_ADVICE, adviceReference],
  ]) {
    const undashed = reference.replaceAll('-', '')
    const spellings = [reference, undashed, reference.toUpperCase(), undashed.toUpperCase()]
    for (const spelling of spellings) assert.deepEqual(await verify(bench, spelling, url), answer)
  }
})

test('a reference of one kind is not taken for the other', async () => {
  const { paymentReference, adviceReference } = await startPayment(bench)

  const byPayment = await bench.call({ url: `${BY_PAYMENT}/${adviceReference}` })
  const byAdvice = await bench.call({ url: `${BY_ADVICE}/${paymentReference}` })

  assertRefused(byPayment, { code: 'payment_not_found' }, 'payment')
  assertRefused(byAdvice, { code: 'payment_not_found' }, 'payment')
})

test("another client's payment answers like one that does not exist", async () => {
  const { paymentReference, adviceReference } = await startPayment(bench)

  for (const [url, reference] of [
    [BY_PAYMENT, paymentReference],
    [BY_ADVICE, adviceReference],
  ]) {
    const foreign = await bench.call({ url: `${url}/${reference}`, token: otherClient })
    const missing = await bench.call({ url: `${url}/${UNKNOWN_REFERENCE}`, token: otherClient })
    assertRefused(foreign, { code: 'payment_not_found' }, 'payment')
    assertAlike(foreign, missing)
  }
})

test('a payment read after its expiry says so, by either reference', async () => {
  const unpaid = await startPayment(bench)
  const paid = await startPayment(bench)
  await simulate(bench, paid.bankAccount, '6000')

  bench.advance(PAST_EXPIRY_MS)
  const byPayment = await verify(bench, unpaid.paymentReference)
  const byAdvice = await verify(bench, unpaid.adviceReference, BY_ADVICE)
  const stillPaid = await verify(bench, paid.paymentReference)

  assert.deepEqual([byPayment.transactionStatus, byPayment.message], ['Expired', 'Expired'])
  assert.deepEqual(byAdvice, byPayment)
  assert.equal(stillPaid.transactionStatus, 'Successful')
})

test('the paths may be written in any case', async () => {
  const { paymentReference, adviceReference } = await startPayment(bench)
  const paths = [
    `/api/transaction/bypaymentreference/${paymentReference}`,
    `/API/Transaction/ByPaymentReference/${paymentReference}`,
    `/api/Transaction/byAdviceReference/${adviceReference}`,
    '/payment/banktransfer/supportedbank',
    '/Payment/BankTransfer/SupportedBank',
  ]

  for (const url of paths) assert.equal((await bench.call({ url })).statusCode, 200, url)
})

test('the supported banks are public, by code and name', async () => {
  const banks = dataOf(await bench.call({ url: BANKS, token: null }), 'payment')

  for (const bank of banks) {
    assert.deepEqual(Object.keys(bank).sort(), ['bankName', 'code'])
    assert.match(bank.code, /^(\d{3}|\d{5})$/)
    assert(bank.bankName.length > 2)
  }
  const codes: string[] = banks.map(({ code }: { code: string }) => code)
  assert.equal(new Set(codes).size, codes.length)
  for (const code of ['011', '033', '035', '058', '101', '232', '50211']) {
    assert(codes.includes(code), code)
  }
})

test('a live payment says that it is', async () => {
  await using live = await startLiveService()
  const token = await live.newClient('LIVE000001')
  const advice = await live.call({ url: '/Payment/advice', body: adviceBody(), token })
  const { adviceReference, paymentUrl } = advice.json().responseData

  const start = { url: `${INITIATE}/${adviceReference}`, body: { bankCode: '035' } }
  await live.call({ ...start, token: null })
  const answer = await live.call({ url: `${BY_ADVICE}/${adviceReference}`, token })

  assert.equal(dataOf(answer, 'payment').env, 'Live')
  assert(paymentUrl.startsWith('https://pay.example.com/pay'))
})

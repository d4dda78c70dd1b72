// Initiating a bank transfer: anybody who has an advice's reference gets an account number to pay into, the
// same one while the payment is open, and a link back to the shop with the references of advice and payment.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  BANKS,
  createAccount,
  createAdvice,
  dataOf,
  INITIATE,
  initiate,
  MINUTE_MS,
  readAdvice,
  simulate,
  startPayment,
  TIMESTAMP,
  UNKNOWN_REFERENCE,
  UUID,
} from '../support/fixtures.ts'
import { isNuban } from '../support/nuban.ts'
import { startTestService } from '../support/running-service.ts'

const AT_ONCE = 20
const EXPIRY_MS = 30 * MINUTE_MS
const GRACE_MS = 5 * MINUTE_MS

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

test('initiating answers the documented envelope, to a payer without a token', async () => {
  const { adviceReference } = await createAdvice(bench)

  const url = `${INITIATE}/${adviceReference}`
  const answer = await bench.call({ url, body: { bankCode: '035' }, token: null })

  assert.equal(answer.statusCode, 200)
  const { responseData, ...envelope } = answer.json()
  assert.deepEqual(envelope, { requestSuccessful: true, message: 'Successful', responseCode: '00' })
  const { bankAccount, paymentReference, expiresAt, accountName, ...plain } = responseData
  assert.deepEqual(plain, {
    bankName: 'Wema Bank',
    bankCode: '035',
    status: 'Processing',
    message: 'Processing',
    amount: 6000,
    amountPaid: 0,
    callBackUrl:
      'https://shop.example.com/done' +
      `?adviceReference=${adviceReference}&paymentReference=${paymentReference}` +
      `&advicereference=${adviceReference}&paymentreference=${paymentReference}`,
    customerName: 'Ada Obi',
  })
  assert(isNuban('035', bankAccount))
  assert.match(paymentReference, UUID)
  assert.notEqual(paymentReference, adviceReference)
  assert.match(accountName, /Ada Obi/)
  assert.match(expiresAt, TIMESTAMP)
  assert.equal(new Date(expiresAt).getTime() - bench.clock().getTime(), EXPIRY_MS)
})

test('an expiry of its own is kept', async () => {
  const payment = await startPayment(bench, { expiresInSeconds: 90 })

  assert.equal(new Date(payment.expiresAt).getTime() - bench.clock().getTime(), 90_000)
})

test('initiating again with the same bank gives the same number and payment', async () => {
  const { adviceReference, ...first } = await startPayment(bench)

  bench.advance(MINUTE_MS)
  const again = await initiate(bench, adviceReference)
  const undashed = await initiate(bench, adviceReference.replaceAll('-', '').toUpperCase())

  assert.deepEqual(again, first)
  assert.deepEqual(undashed, first)
})

test('initiating with another bank gives a further number for the same payment', async () => {
  const { adviceReference, ...first } = await startPayment(bench)

  const second = await initiate(bench, adviceReference, '058')

  assert.equal(second.paymentReference, first.paymentReference)
  assert.equal(second.bankCode, '058')
  assert.notEqual(second.bankAccount, first.bankAccount)
  assert(isNuban('058', second.bankAccount))
  assert.equal(second.expiresAt, first.expiresAt)
  const either = await simulate(bench, second.bankAccount, '1000')
  const both = await simulate(bench, first.bankAccount, '5000')
  assert.deepEqual([either.status, either.amountPaid], ['PartPayment', 1000])
  assert.deepEqual([both.status, both.amountPaid], ['Successful', 6000])
})

test(`${AT_ONCE} payers' pages at once get one payment and one number`, async () => {
  const { adviceReference } = await createAdvice(bench)

  const requests = Array.from({ length: AT_ONCE }, () => initiate(bench, adviceReference))
  const payments = await Promise.all(requests)

  assert.equal(new Set(payments.map(({ paymentReference }) => paymentReference)).size, 1)
  assert.equal(new Set(payments.map(({ bankAccount }) => bankAccount)).size, 1)
})

test('every supported bank issues a valid number of its dynamic range', async () => {
  const answer = await bench.call({ url: BANKS, token: null })
  const banks: { code: string; bankName: string }[] = dataOf(answer, 'payment')
  const { adviceReference } = await createAdvice(bench)

  assert(banks.length >= 13)
  for (const { code, bankName } of banks) {
    const payment = await initiate(bench, adviceReference, code)
    assert.equal(payment.bankCode, code)
    assert.equal(payment.bankName, bankName)
    assert(isNuban(code, payment.bankAccount), `${payment.bankAccount} at ${code}`)
    const range = bench.config.banks.find((bank) => bank.code === code)?.dynamic
    const serial = Number(payment.bankAccount.slice(0, 9))
    assert(range && Number(range.from) <= serial && serial <= Number(range.to), bankName)
  }
})

test('dynamic numbers are unique, apart from static ones, and not guessable', async () => {
  const COUNT = 30
  const payments = await Promise.all(Array.from({ length: COUNT }, () => startPayment(bench)))
  const accounts = await Promise.all(Array.from({ length: COUNT }, () => createAccount(bench)))

  const dynamic: string[] = payments.map(({ bankAccount }) => bankAccount)
  const all = [...dynamic, ...accounts.map(({ accountNumber }) => accountNumber)]
  assert.equal(new Set(all).size, 2 * COUNT)
  const serials = dynamic.map((number) => Number(number.slice(0, 9)))
  const steps = serials.slice(1).map((serial, at) => serial - Number(serials[at]))
  assert(steps.every((step) => Math.abs(step) > 1))
  assert(new Set(steps).size > COUNT / 2)
})

test("the owner's token works, another's finds no advice, a bad one is refused", async () => {
  const { adviceReference, paymentReference } = await startPayment(bench)
  const url = `${INITIATE}/${adviceReference}`
  const body = { bankCode: '035' }

  const own = await bench.call({ url, body })
  const foreign = await bench.call({ url, body, token: otherClient })
  const unknown = `${INITIATE}/${UNKNOWN_REFERENCE}`
  const missing = await bench.call({ url: unknown, body, token: otherClient })
  const bad = await bench.call({ url, body, token: 'x.y.z' })

  assert.equal(own.json().responseData.paymentReference, paymentReference)
  assertRefused(foreign, { code: 'advice_not_found' }, 'payment')
  assertAlike(foreign, missing)
  assertRefused(bad, { status: 401, code: 'unauthorized' }, 'payment')
})

test('an expired token is refused, although no token is needed', async () => {
  const token = await bench.login()
  bench.advance(61 * MINUTE_MS)
  const { adviceReference } = await createAdvice(bench)

  const url = `${INITIATE}/${adviceReference}`
  const answer = await bench.call({ url, body: { bankCode: '035' }, token })

  assertRefused(answer, { status: 401, code: 'token_expired' }, 'payment')
})

test('an unknown bank is refused', async () => {
  const { adviceReference } = await createAdvice(bench)
  const url = `${INITIATE}/${adviceReference}`

  for (const bankCode of ['999', '99999', '000017']) {
    const answer = await bench.call({ url, body: { bankCode }, token: null })
    assert(['bank_not_supported', 'invalid_request'].includes(answer.json().code), answer.body)
    assertRefused(answer, {}, 'payment')
  }
  assert.equal((await readAdvice(bench, adviceReference)).paymentReference, null)
})

test('an advice that has been paid takes no further payment', async () => {
  const payment = await startPayment(bench)
  await simulate(bench, payment.bankAccount, '6000')

  const advice = await readAdvice(bench, payment.adviceReference)
  const url = `${INITIATE}/${payment.adviceReference}`

  assert.equal(advice.status, 'Paid')
  for (const bankCode of ['035', '058']) {
    const answer = await bench.call({ url, body: { bankCode }, token: null })
    assertRefused(answer, { code: 'advice_paid' }, 'payment')
  }
})

test('an advice that has expired gives no number any more', async () => {
  const payment = await startPayment(bench)
  bench.advance(EXPIRY_MS + GRACE_MS + 1000)

  const url = `${INITIATE}/${payment.adviceReference}`
  const answer = await bench.call({ url, body: { bankCode: '035' }, token: null })

  assertRefused(answer, { code: 'advice_expired' }, 'payment')
  assert.equal((await readAdvice(bench, payment.adviceReference)).status, 'Expired')
})

// The shop's URL, and the text that must come before and after the parameters that the service adds.
const CALLBACKS = [
  ['https://shop.ng/done?a=1', 'https://shop.ng/done?a=1&', ''],
  ['https://shop.ng/done?', 'https://shop.ng/done?', ''],
  ['https://shop.ng/done?a=1&', 'https://shop.ng/done?a=1&', ''],
  ['https://shop.ng/done#top', 'https://shop.ng/done?', '#top'],
  ['https://shop.ng/done?a=1#top', 'https://shop.ng/done?a=1&', '#top'],
  ['https://shop.ng/#/route?x=1', 'https://shop.ng/?', '#/route?x=1'],
  ['https://shop.ng/done?#', 'https://shop.ng/done?', '#'],
  ['http://localhost:3000/a;b=c/%C3%A9', 'http://localhost:3000/a;b=c/%C3%A9?', ''],
  [
    'https://shop.ng/d?next=%2Fhome&q=a%20b+c&e=',
    'https://shop.ng/d?next=%2Fhome&q=a%20b+c&e=&',
    '',
  ],
  ['https://shop.ng/d?x[]=1&flag', 'https://shop.ng/d?x[]=1&flag&', ''],
] as const

test('the URL back to the shop keeps its own parameters and carries both references', async () => {
  for (const [callBackUrl, before, behind] of CALLBACKS) {
    const payment = await startPayment(bench, { callBackUrl })
    const { adviceReference, paymentReference } = payment
    const ours =
      `adviceReference=${adviceReference}&paymentReference=${paymentReference}` +
      `&advicereference=${adviceReference}&paymentreference=${paymentReference}`
    assert.equal(payment.callBackUrl, `${before}${ours}${behind}`)
  }
  const bare = await startPayment(bench, { callBackUrl: 'https://shop.ng' })
  const { origin, searchParams } = new URL(bare.callBackUrl)
  assert.equal(origin, 'https://shop.ng')
  assert.equal(searchParams.get('adviceReference'), bare.adviceReference)
  assert.equal(searchParams.get('paymentReference'), bare.paymentReference)
})

test('the path may be written in any case', async () => {
  const { adviceReference } = await createAdvice(bench)
  const paths = ['/payment/process/banktransfer', '/PAYMENT/Process/BankTransfer']

  for (const path of paths) {
    const url = `${path}/${adviceReference}`
    const answer = await bench.call({ url, body: { bankCode: '035' }, token: null })
    assert.equal(answer.statusCode, 200, path)
  }
})

// Payment advices: their terms are stored exactly, refusals name the invalid field, and only the advice's
// client can read it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { closeAfterTests } from '../support/closing.ts'
import {
  ADVICE,
  adviceBody,
  assertAlike,
  assertRefused,
  createAdvice,
  readAdvice,
  TIMESTAMP,
  UNKNOWN_REFERENCE,
  UUID,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

test('a new advice answers with its terms, pending, and an address for the payer', async () => {
  const answer = await bench.call({ url: ADVICE, body: adviceBody({ merchantRef: 'R-1' }) })

  assert.equal(answer.statusCode, 200)
  const { responseData, ...envelope } = answer.json()
  assert.deepEqual(envelope, { requestSuccessful: true, message: 'Successful', responseCode: '00' })
  const { adviceReference, paymentUrl, channels, merchantName } = responseData
  const { merchantRef, amount, currency, narration, status } = responseData
  assert.match(adviceReference, UUID)
  assert.deepEqual(
    { merchantRef, amount, currency, narration, status },
    {
      merchantRef: 'R-1',
      amount: 6000,
      currency: 'NGN',
      narration: 'A pair of shoes',
      status: 'Pending',
    },
  )
  assert.equal(responseData.customerId, 'C-1')
  assert.equal(responseData.customerFullName, 'Ada Obi')
  assert(typeof merchantName === 'string' && merchantName.length > 0)
  assert(paymentUrl.startsWith('http://localhost:8080/pay'))
  assert(paymentUrl.includes(adviceReference))
  assert(Array.isArray(channels) && channels.length > 0)
  for (const charge of ['charge', 'customerCharge', 'merchantCharge', 'vatCharge']) {
    assert.equal(responseData[charge], 0)
  }
  assert.match(responseData.createdAt, TIMESTAMP)
})

test('an advice reads back as it was made, with or without dashes, in any case', async () => {
  const made = await createAdvice(bench, { notificationUrl: 'https://shop.example.com/hook' })
  const reference: string = made.adviceReference

  const spellings = [reference, reference.toUpperCase(), reference.replaceAll('-', '')]

  for (const spelling of spellings) assert.deepEqual(await readAdvice(bench, spelling), made)
})

test("another client's advice answers like one that does not exist", async () => {
  const { adviceReference } = await createAdvice(bench)

  const foreign = await bench.call({ url: `${ADVICE}/${adviceReference}`, token: otherClient })
  const missing = await bench.call({ url: `${ADVICE}/${UNKNOWN_REFERENCE}`, token: otherClient })

  assertRefused(foreign, { code: 'advice_not_found' }, 'payment')
  assertAlike(foreign, missing)
})

test('an amount is kept to the kobo, whether a number or text', async () => {
  const amounts = [
    ['1', 1],
    ['0.01', 0.01],
    ['0.1', 0.1],
    ['0.29', 0.29],
    ['4.35', 4.35],
    ['1.10', 1.1],
    ['6000.5', 6000.5],
    ['6000.00', 6000],
    ['123456789.12', 123456789.12],
    ['999999999.99', 999999999.99],
    ['1000000000', 1_000_000_000],
    ['1000000000.00', 1_000_000_000],
  ] as const

  for (const [written, amount] of amounts) {
    const asText = await createAdvice(bench, { amount: written })
    const raw = JSON.stringify(adviceBody()).replace('"amount":6000', `"amount":${written}`)
    const asNumber = await bench.call({ url: ADVICE, body: raw })
    assert.equal(asText.amount, amount)
    assert.equal(asNumber.json().responseData?.amount, amount, asNumber.body)
    assert.equal((await readAdvice(bench, asText.adviceReference)).amount, amount)
  }
})

test('an amount that is not plain money is refused', async () => {
  const texts = ['0', '0.00', '-1', '+6000', '0.001', '6000.000', '1e3', '1E3', '1,000', '1 000']
  const odd = [
    '١٢',
    '１２',
    '',
    ' ',
    ' 6000',
    '6000 ',
    '6000\n',
    '.5',
    '5.',
    '0x10',
    'NaN',
    'Infinity',
  ]
  const large = ['10000000000000.01', '10000000000001', '9'.repeat(400)]
  const quoted = [...texts, ...odd, ...large].map((text) => JSON.stringify(text))
  const numbers = ['0', '-0', '0.00', '-1', '0.001', '6000.005', '1e400', '-1e400', '1e-2000']
  const others = [
    '10000000000000.01',
    '1e14',
    '9'.repeat(400),
    'true',
    'null',
    '[]',
    '[6000]',
    '{}',
  ]

  const accepted: string[] = []
  for (const written of [...quoted, ...numbers, ...others]) {
    const raw = JSON.stringify(adviceBody()).replace('"amount":6000', `"amount":${written}`)
    const answer = await bench.call({ url: ADVICE, body: raw })
    if (answer.statusCode === 200) accepted.push(written)
    else assertFieldRefused(answer, 'amount')
  }
  assert.deepEqual(accepted, [])

  const { body } = await bench.call({ url: ADVICE, body: adviceBody({ amount: large[0] }) })
  assert.match(body, /at most 10000000000000\.00/)
})

test('invalid terms are refused, each by the name of its field', async () => {
  const cases: [string, unknown[]][] = [
    ['currency', ['USD', 'NGNN', 566]],
    [
      'callBackUrl',
      ['shop.ng/done', '/done', 'ftp://shop.ng', 'javascript:alert(1)', 'https://', 5],
    ],
    ['notificationUrl', ['shop.ng/hook', 'ftp://shop.ng', 'data:text/html,x', ' ', 5]],
    ['customer', ['Ada', [], 5]],
    ['expiresInSeconds', [59, 0, -60, 172_801, 60.5, 1e300, true, [], {}]],
    ['amountPolicy', ['Exact', 'over', 5, []]],
    ['merchantRef', [' ', 'a\u0000b', 5, [], {}]],
    ['narration', ['a\u0000b', 5, [], {}]],
  ]

  const accepted: string[] = []
  for (const [field, values] of cases) {
    for (const value of values) {
      const answer = await bench.call({ url: ADVICE, body: adviceBody({ [field]: value }) })
      if (answer.statusCode === 200) accepted.push(`${field}: ${JSON.stringify(value)}`)
      else assertFieldRefused(answer, field)
    }
  }
  for (const field of ['amount', 'customer']) {
    const answer = await bench.call({ url: ADVICE, body: adviceBody({ [field]: undefined }) })
    assertFieldRefused(answer, field)
  }
  assert.deepEqual(accepted, [])
})

test('all errors of a request are reported at once', async () => {
  const wrong = {
    amount: 'x',
    currency: 'USD',
    customer: {},
    callBackUrl: 'x',
    expiresInSeconds: 1,
    amountPolicy: 'x',
  }

  const answer = await bench.call({ url: ADVICE, body: adviceBody(wrong) })

  assertRefused(answer, { code: 'invalid_request' }, 'payment')
  const fields: string[] = answer.json().errors.map(({ field }: { field: string }) => field)
  const reported = new Set(fields.map((field) => field.split('.')[0]))
  assert.deepEqual([...reported].sort(), Object.keys(wrong).sort())
})

test('a customer needs a name, and one is enough', async () => {
  const first = await createAdvice(bench, { customer: { customerFirstName: 'Ada' } })
  const last = await createAdvice(bench, { customer: { customerLastName: 'Obi' } })
  const nameless = [
    {},
    { customerEmail: 'a@b.ng' },
    { customerFirstName: ' ' },
    { customerLastName: '' },
  ]

  assert.equal(first.customerFullName, 'Ada')
  assert.equal(last.customerFullName, 'Obi')
  for (const customer of nameless) {
    const answer = await bench.call({ url: ADVICE, body: adviceBody({ customer }) })
    assertFieldRefused(answer, 'customer')
  }
})

test('the bounds of the expiry and every policy are accepted', async () => {
  for (const expiresInSeconds of [60, 172_800]) await createAdvice(bench, { expiresInSeconds })
  for (const amountPolicy of ['exact', 'allow_under', 'any']) {
    await createAdvice(bench, { amountPolicy })
  }
})

test('unknown fields are ignored', async () => {
  const extra = { mcc: 5999, integrationKey: 'k', shouldTokenizeCard: true }
  const customer = { customerFirstName: 'Ada', customerTier: { level: 3 } }

  const advice = await createAdvice(bench, { ...extra, status: 'Paid', customer })

  assert.equal(advice.status, 'Pending')
  assert.equal(advice.mcc, undefined)
})

test('the path may be written in any case', async () => {
  for (const url of ['/payment/advice', '/PAYMENT/ADVICE', '/Payment/Advice']) {
    const answer = await bench.call({ url, body: adviceBody() })
    assert.equal(answer.statusCode, 200, url)
    const reference = answer.json().responseData.adviceReference
    const read = await bench.call({ url: `${url}/${reference}` })
    assert.equal(read.statusCode, 200, url)
  }
})

// Asserts a refusal that names only this field.
function assertFieldRefused(answer: LightMyRequestResponse, field: string): void {
  assertRefused(answer, { code: 'invalid_request' }, 'payment')
  const fields: string[] = answer.json().errors.map((error: { field: string }) => error.field)
  assert(
    fields.every((name) => name === field || name.startsWith(`${field}.`)),
    String(fields),
  )
}

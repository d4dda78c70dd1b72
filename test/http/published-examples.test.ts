// The examples of the published calls tell one customer's story. The same requests to a real service get
// answers of the same shape, with the same values wherever they do not depend on chance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { nuban } from '#banks/nuban.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  BANKS,
  BY_ADVICE,
  BY_PAYMENT,
  INITIATE,
  SIMULATE,
  TIMESTAMP,
  UUID,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

type Json = Record<string, unknown>

const bench = closeAfterTests(await startTestService())
const { paths } = (await bench.call({ url: '/openapi.json', token: null })).json()
const examples = {
  createAccount: examplesOf(ACCOUNTS, 'post'),
  getAccount: examplesOf(`${ACCOUNTS}/{accountNumber}`, 'get'),
  createAdvice: examplesOf(ADVICE, 'post'),
  getAdvice: examplesOf(`${ADVICE}/{adviceReference}`, 'get'),
  banks: examplesOf(BANKS, 'get'),
  initiate: examplesOf(`${INITIATE}/{adviceReference}`, 'post'),
  simulate: examplesOf(SIMULATE, 'post'),
  byPayment: examplesOf(`${BY_PAYMENT}/{reference}`, 'get'),
  byAdvice: examplesOf(`${BY_ADVICE}/{reference}`, 'get'),
}

// Returns the example request and answer of an operation.
function examplesOf(path: string, method: string) {
  const { requestBody, responses } = paths[path][method]
  return {
    body: requestBody?.content['application/json'].example as Json,
    answer: responses['200'].content['application/json'].example,
  }
}

// Returns the value with the kind of each text in its place, such as `reference`, `time` or `10 digits`.
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
  }
  if (typeof value !== 'string') return value === null ? 'null' : typeof value
  if (UUID.test(value)) return 'reference'
  if (TIMESTAMP.test(value)) return 'time'
  return /^\d+$/.test(value) ? `${value.length} digits` : 'text'
}

// Asserts that an answer has the envelope and shape of the example. The payload fields in `same` must also
// have the example's values. Returns the payload.
function assertLike(
  answer: LightMyRequestResponse,
  { answer: example }: { answer: Json },
  same: readonly string[],
) {
  assert.equal(answer.statusCode, 200, answer.body)
  const payloadOf = (body: Json) => (body.data ?? body.responseData) as Json
  const { data: _d, responseData: _r, ...head } = answer.json()
  const { data: _data, responseData: _responseData, ...envelope } = example
  assert.deepEqual(envelope, head)
  const { splitCode: _given, ...payload } = payloadOf(answer.json())
  const { splitCode: _shown, ...shownPayload } = payloadOf(example)
  assert.deepEqual(shapeOf(shownPayload), shapeOf(payload))
  const pick = (from: Json) => Object.fromEntries(same.map((name) => [name, from[name]]))
  assert.deepEqual(pick(shownPayload), pick(payload))
  return payload as Record<string, string>
}

const OF_ACCOUNT = [
  ...['bankCode', 'accountName', 'bvn', 'email', 'merchantId', 'merchantCode', 'notificationUrl'],
  ...['isDefault', 'isActive', 'currencyCode', 'phoneNumber', 'channel'],
]
const OF_PAYMENT = [
  ...['bankName', 'bankCode', 'status', 'message', 'amount', 'amountPaid', 'customerName'],
]
const OF_ADVICE = [
  ...['merchantRef', 'amount', 'currency', 'narration', 'status', 'customerId', 'channels'],
  ...['customerFullName', 'callBackUrl', 'expiresInSeconds'],
]
const OF_TRANSACTION = [
  ...['merchantCode', 'merchantReference', 'amountCollected', 'amount', 'processorCode'],
  ...['transactionStatus', 'currencyCode', 'narration', 'env', 'message', 'customerName'],
]

test('the examples of collection accounts are what the service answers', async () => {
  const { createAccount, getAccount } = examples
  const { body } = createAccount
  // In this test another bank is the first that issues numbers.
  const same = OF_ACCOUNT.filter((name) => name !== 'bankCode')

  const created = await bench.call({ url: ACCOUNTS, body })
  const { accountNumber } = assertLike(created, createAccount, [...same, 'accountBalance'])
  const read = await bench.call({ url: `${ACCOUNTS}/${accountNumber}` })
  assertLike(read, getAccount, same)
})

test('the examples of a payment are what the service answers, from advice to verification', async () => {
  const { createAdvice, initiate, simulate, byPayment, byAdvice, getAdvice } = examples

  const advice = await bench.call({ url: ADVICE, body: createAdvice.body })
  const { adviceReference, paymentUrl = '' } = assertLike(advice, createAdvice, [
    ...OF_ADVICE,
    'splits',
  ])
  const url = `${INITIATE}/${adviceReference}`
  const initiated = await bench.call({ url, body: initiate.body, token: null })
  const { bankAccount, paymentReference, callBackUrl } = assertLike(initiated, initiate, OF_PAYMENT)
  const paid = { ...simulate.body, virtualAccountNumber: bankAccount }
  const fields = ['outcome', 'reason']
  assertLike(await bench.call({ url: SIMULATE, body: paid }), simulate, [...OF_PAYMENT, ...fields])
  const byReference = await bench.call({ url: `${BY_PAYMENT}/${paymentReference}` })
  assertLike(byReference, byPayment, OF_TRANSACTION)
  const byOther = await bench.call({ url: `${BY_ADVICE}/${adviceReference}` })
  assertLike(byOther, byAdvice, OF_TRANSACTION)
  // This client has no split, so the advice has no shares.
  const { answer: got } = getAdvice
  const unshared = { answer: { ...got, responseData: { ...got.responseData, splits: [] } } }
  assertLike(await bench.call({ url: `${ADVICE}/${adviceReference}` }), unshared, OF_ADVICE)

  const adviceData = createAdvice.answer.responseData
  assert.equal(
    new URL(adviceData.paymentUrl).search.replace(adviceData.adviceReference, ''),
    new URL(paymentUrl).search.replace(String(adviceReference), ''),
  )
  const named = initiate.answer.responseData
  assert.equal(
    named.callBackUrl
      .replaceAll(named.paymentReference, paymentReference)
      .replaceAll(adviceData.adviceReference, adviceReference),
    callBackUrl,
  )
})

test('the main examples run as they stand, one after the other, against a fresh sandbox', async () => {
  await using fresh = await startTestService()
  // Makes a call of the story, which must succeed without warnings, and returns its payload.
  const run = async (url: string, body?: Json) => {
    const answer = await fresh.call({ url, ...(body && { body }) })
    assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`)
    assert.equal(answer.json().warnings, undefined, url)
    return answer.json().responseData ?? answer.json().data
  }
  const { accountNumber } = await run(ACCOUNTS, examples.createAccount.body)
  await run(`${ACCOUNTS}/${accountNumber}`)
  const { adviceReference } = await run(ADVICE, examples.createAdvice.body)
  await run(`${ADVICE}/${adviceReference}`)
  const url = `${INITIATE}/${adviceReference}`
  const { bankAccount, paymentReference } = await run(url, examples.initiate.body)
  // The transfer goes to the number that initiating the payment returned.
  const paid = { ...examples.simulate.body, virtualAccountNumber: bankAccount }
  assert.equal((await run(SIMULATE, paid)).status, 'Successful')
  await run(`${BY_PAYMENT}/${paymentReference}`)
  await run(`${BY_ADVICE}/${adviceReference}`)
  await run(BANKS)
})

test('the example of the supported banks is one of them, and the numbers are of their banks', async () => {
  const answered = (await bench.call({ url: BANKS, token: null })).json()
  const { responseData, ...head } = examples.banks.answer
  const { bankCode, bankAccount } = examples.initiate.answer.responseData

  const { responseData: banks, ...answeredHead } = answered
  assert.deepEqual(head, answeredHead)
  assert(responseData.length > 0)
  for (const bank of responseData) {
    assert.deepEqual(
      banks.find(({ code }: Json) => code === bank.code),
      bank,
    )
  }
  assert.equal(bankAccount, nuban(bankCode, BigInt(bankAccount.slice(0, 9))))
  assert.equal(typeof examples.simulate.body.amount, 'string')
  assert.equal(examples.simulate.body.virtualAccountNumber, bankAccount)
})

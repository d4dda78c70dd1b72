// Compatibility: other products have an API with the same paths, fields and envelopes (for example
// /api/Account/login and /Payment/advice). A client that was written for such a product works with Manilla
// after only its address was changed. The tests send the fields that such clients send, and read the fields
// that they read.

import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { deliverDue } from '../support/delivering.ts'
import { startTestService } from '../support/running-service.ts'
import { httpReceiver } from '../webhooks/receivers.ts'

const bench = closeAfterTests(await startTestService())
const address = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })

type Data = Record<string, unknown>

// Sends a request as a client library does that was written for another product with the same API: with the
// headers that such libraries set, and without looking at the response's content type.
async function send(method: 'GET' | 'POST', path: string, { token = '', body }: Sent = {}) {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      accept: '*/*',
      'content-type': 'application/json; charset=utf-8',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as Data }
}
type Sent = { token?: string; body?: Data }

// Asserts success in the envelope of the payment endpoints (requestSuccessful, responseCode); returns the
// payload.
function payloadOf({ status, body }: Awaited<ReturnType<typeof send>>): Data {
  assert.equal(status, 200, JSON.stringify(body))
  const { requestSuccessful, responseCode } = body
  assert.deepEqual(
    { requestSuccessful, responseCode },
    { requestSuccessful: true, responseCode: '00' },
  )
  return body.responseData as Data
}

// Logs in with the sandbox client's published credentials; returns the access token.
async function signIn(): Promise<string> {
  const { body } = await send('POST', '/api/Account/login', {
    body: {
      clientId: 'MAN0000001',
      clientSecret: 'sandbox-secret',
      grantType: 'client_credentials',
    },
  })
  const { access_token, token_type, expires_in } = body
  assert.equal(token_type, 'Bearer')
  assert(typeof expires_in === 'number' && expires_in > 0)
  return access_token as string
}

const ORDER = {
  amount: '6000.00',
  currency: 'NGN',
  merchantRef: 'ORD/2026/0042',
  narration: 'Order 42',
  callBackUrl: 'https://shop.example/return?order=42',
  splitCode: '',
  channels: ['bank_transfer'],
  mcc: '5411',
  integrationKey: 'f0f0f0',
  shouldTokenizeCard: false,
  metadata: { cart: [1, 2] },
  customer: {
    customerId: 'C-42',
    customerFirstName: 'Ngọzi',
    customerLastName: 'Okafor',
    customerEmail: 'ngozi@example.com',
    customerPhoneNumber: '08031234567',
    customerBvn: null,
  },
}

test('a payment goes from the request to the notification', async () => {
  const answers: Data[] = []
  await using shop = await httpReceiver(async (request, response) => {
    answers.push((await json(request)) as Data)
    response.end()
  })
  const token = await signIn()

  const advice = payloadOf(
    await send('POST', '/Payment/advice', {
      token,
      body: { ...ORDER, notificationUrl: `http://127.0.0.1:${shop.port}/hook` },
    }),
  )
  assert.equal(advice.status, 'Pending')
  assert.equal(advice.merchantRef, 'ORD/2026/0042')
  assert.equal(advice.customerFullName, 'Ngọzi Okafor')

  const banks = payloadOf(await send('GET', '/Payment/banktransfer/supportedbank', { token }))
  const [{ code: bankCode }] = banks as unknown as [{ code: string; bankName: string }]
  const path = `/Payment/process/banktransfer/${String(advice.adviceReference).toUpperCase()}`
  const begun = payloadOf(await send('POST', path, { body: { bankCode } }))
  assert.deepEqual([begun.status, begun.message, begun.amountPaid], ['Processing', 'Processing', 0])
  const back = new URL(String(begun.callBackUrl))
  assert.deepEqual(Object.fromEntries(back.searchParams), {
    order: '42',
    adviceReference: advice.adviceReference,
    paymentReference: begun.paymentReference,
    advicereference: advice.adviceReference,
    paymentreference: begun.paymentReference,
  })

  const simulated = payloadOf(
    await send('POST', '/Payment/process/banktransfer/simulate/payment', {
      token,
      body: { virtualAccountNumber: begun.bankAccount, amount: '6000.00' },
    }),
  )
  assert.deepEqual([simulated.status, simulated.amountPaid], ['Successful', 6000])

  const dashless = String(begun.paymentReference).replaceAll('-', '').toUpperCase()
  for (const by of [
    `bypaymentreference/${dashless}`,
    `byadvicereference/${advice.adviceReference}`,
  ]) {
    const verified = payloadOf(await send('GET', `/api/Transaction/${by}`, { token }))
    const { transactionStatus, amountCollected, env, merchantReference } = verified
    assert.deepEqual(
      { transactionStatus, amountCollected, env, merchantReference },
      {
        transactionStatus: 'Successful',
        amountCollected: 6000,
        env: 'Test',
        merchantReference: 'ORD/2026/0042',
      },
    )
  }

  const pushed = await send('POST', `/api/WebHook/push/${dashless}`, { token })
  assert.equal(pushed.status, 200)
  await deliverDue(bench)
  assert(answers.some(({ type }) => type === 'payment.successful'))
})

test('a collection account is created and read with the documented fields and no other', async () => {
  const token = await signIn()
  const body = {
    accountName: 'Ngozi Okafor',
    bvn: '22212345654',
    email: 'ngozi@example.com',
    merchantId: '42',
    merchantCode: 'SHOP',
    notificationUrl: 'https://shop.example/hook',
    phoneNumber: '08031234567',
    channel: 'API',
  }

  const created = await send('POST', '/api/v1/accounts/static', { token, body })
  const { accountNumber, isActive, isDefault, accountBalance } = created.body.data as Data
  const read = await send('GET', `/api/v1/accounts/static/${accountNumber}`, { token })

  assert.deepEqual([created.status, created.body.isSuccessful], [200, true])
  assert.deepEqual(
    { isActive, isDefault, accountBalance },
    { isActive: true, isDefault: false, accountBalance: 0 },
  )
  assert.deepEqual([read.status, read.body.isSuccessful], [200, true])
  assert.deepEqual(read.body.data, created.body.data)
})

test('errors are answered by 400 in the family’s envelopes', async () => {
  const token = await signIn()

  const payment = await send('POST', '/Payment/process/banktransfer/no-such-advice', {
    body: { bankCode: '058' },
  })
  const account = await send('GET', '/api/v1/accounts/static/0000000000', { token })

  assert.equal(payment.status, 400)
  assert.deepEqual([payment.body.requestSuccessful, payment.body.responseData], [false, null])
  assert.equal(account.status, 400)
  assert.deepEqual([account.body.isSuccessful, account.body.data], [false, null])
})

// Clients of products of this family write names in other cases, send a reference in the query, a number as
// the customer's id, an empty callBackUrl or a bearer without a token. Each means what its sender meant.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  assertRefused,
  BANKS,
  BY_ADVICE,
  BY_PAYMENT,
  createAdvice,
  dataOf,
  INITIATE,
  readAdvice,
  SIMULATE,
  simulate,
  startPayment,
  UNKNOWN_REFERENCE,
  verify,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

// The body with all names of fields, in nested objects too, written by `spell`.
function respelt(body: unknown, spell: (name: string) => string): unknown {
  if (Array.isArray(body)) return body.map((item) => respelt(item, spell))
  if (typeof body !== 'object' || body === null) return body
  const entries = Object.entries(body).map(([name, value]) => [spell(name), respelt(value, spell)])
  return Object.fromEntries(entries)
}

const SPELLINGS = {
  Pascal: (name: string) => name.charAt(0).toUpperCase() + name.slice(1),
  upper: (name: string) => name.toUpperCase(),
  lower: (name: string) => name.toLowerCase(),
}

for (const [label, spell] of Object.entries(SPELLINGS)) {
  test(`names in ${label} case are the documented ones, in every call of the family`, async () => {
    const credentials = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
    const login = await bench.call({
      url: '/api/Account/login',
      body: respelt(credentials, spell),
      token: null,
    })
    assert.equal(login.statusCode, 200, login.body)

    const terms = adviceBody({
      merchantRef: `CASE-${label}`,
      payerRules: { accounts: [{ accountNumber: '0123456789', bankCode: '058' }] },
    })
    const made = await bench.call({ url: ADVICE, body: respelt(terms, spell) })
    assert.equal(made.statusCode, 200, made.body)
    assert.equal('warnings' in made.json(), false, made.body)
    const advice = dataOf(made, 'payment')
    assert.deepEqual(
      [advice.merchantRef, advice.customerFullName, advice.amount],
      [`CASE-${label}`, 'Ada Obi', 6000],
    )

    const url = `${INITIATE}/${advice.adviceReference}`
    const begun = await bench.call({ url, body: respelt({ bankCode: '058' }, spell), token: null })
    assert.equal(begun.json().responseData?.bankCode, '058', begun.body)

    const { bankAccount } = await startPayment(bench)
    const transfer = { virtualAccountNumber: bankAccount, amount: '6000.00' }
    const paid = await bench.call({ url: SIMULATE, body: respelt(transfer, spell) })
    assert.equal(dataOf(paid, 'payment').status, 'Successful')

    const account = await bench.call({ url: ACCOUNTS, body: respelt(accountBody(), spell) })
    assert.equal(account.statusCode, 200, account.body)
  })
}

test('a name in two cases with one value is accepted, with two values refused', async () => {
  const { adviceReference } = await createAdvice(bench)
  const url = `${INITIATE}/${adviceReference}`

  const refused = await bench.call({ url, body: { bankCode: '035', BankCode: '058' } })
  const accepted = await bench.call({ url, body: { bankCode: '058', BankCode: '058' } })

  assertRefused(refused, { code: 'invalid_request' }, 'payment')
  assert.deepEqual(refused.json().errors, [
    {
      field: 'bankCode',
      message: 'Sent more than once, in different cases and with different values.',
    },
  ])
  assert.equal(dataOf(accepted, 'payment').bankCode, '058')
  const nested = adviceBody({
    customer: { customerFirstName: 'Ada', CustomerFirstName: 'Eve', CUSTOMERFIRSTNAME: 'Ngozi' },
  })
  const answer = await bench.call({ url: ADVICE, body: nested })
  assert.deepEqual(
    answer.json().errors.map(({ field }: { field: string }) => field),
    ['customer.customerFirstName'],
  )
})

test('a letter of another alphabet, or an inherited name, is no case of a field', async () => {
  const { adviceReference } = await createAdvice(bench)
  const url = `${INITIATE}/${adviceReference}`
  const body = '{"ban\u212ACode":"058","__proto__":{"bankCode":"058"},"constructor":1}'

  const answer = await bench.call({ url, body })

  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.json().warnings.length, 3)
})

test('our own calls keep their names to the letter', async () => {
  const body = { ReturnUrl: 'x', URL: 'https://shop.example.com/hook' }
  const answer = await bench.call({ url: '/api/v1/webhook-endpoints', body })
  assertRefused(answer, { code: 'invalid_request' })
})

test('a bearer without a token initiates as no token does; a wrong one is refused', async () => {
  const { adviceReference } = await createAdvice(bench)
  const url = `${INITIATE}/${adviceReference}`
  const call = (authorization: string) =>
    bench.call({ url, body: { bankCode: '035' }, token: null, headers: { authorization } })

  for (const authorization of ['', 'Bearer', 'Bearer ', 'bearer   ']) {
    assert.equal((await call(authorization)).statusCode, 200, `"${authorization}"`)
  }
  for (const authorization of ['Bearer x', 'Basic ', 'Bearer null']) {
    assert.equal((await call(authorization)).statusCode, 401, authorization)
  }
  const elsewhere = await bench.call({
    url: `${ADVICE}/${adviceReference}`,
    token: null,
    headers: { authorization: 'Bearer ' },
  })
  assert.equal(elsewhere.statusCode, 401)
})

test('a reference may stand in the query, in any case', async () => {
  const payment = await startPayment(bench)
  const { adviceReference, paymentReference } = payment
  const read = (url: string) => bench.call({ url })

  for (const name of ['adviceReference', 'advicereference', 'AdviceReference']) {
    const advice = await read(`${ADVICE}?${name}=${adviceReference}`)
    assert.deepEqual(dataOf(advice, 'payment'), await readAdvice(bench, adviceReference))
    const verified = await read(`${BY_ADVICE}/?${name}=${adviceReference}`)
    assert.equal(dataOf(verified, 'payment').paymentReference, paymentReference)
  }
  const byPayment = await read(`${BY_PAYMENT}?paymentReference=${paymentReference}&x=1`)
  assert.equal(dataOf(byPayment, 'payment').adviceReference, adviceReference)
  const again = await bench.call({
    url: `${INITIATE}?adviceReference=${adviceReference}`,
    body: { bankCode: '035' },
    token: null,
  })
  assert.equal(dataOf(again, 'payment').bankAccount, payment.bankAccount)
})

test('a reference in the query that names nothing, or two things, is refused', async () => {
  const { adviceReference } = await createAdvice(bench)
  const two = `adviceReference=${adviceReference}&advicereference=${UNKNOWN_REFERENCE}`

  for (const query of ['adviceReference=', `adviceReference=${UNKNOWN_REFERENCE}`, two, 'x=1']) {
    const answer = await bench.call({ url: `${ADVICE}?${query}` })
    assert(answer.statusCode >= 400 && answer.statusCode < 500, `${query}: ${answer.statusCode}`)
    assert.equal(answer.json().requestSuccessful, false)
  }
  // It never changes which advice a path names, nor what creates one.
  const named = await bench.call({
    url: `${ADVICE}/${adviceReference}?adviceReference=${UNKNOWN_REFERENCE}`,
  })
  assert.equal(dataOf(named, 'payment').adviceReference, adviceReference)
  const created = await bench.call({
    url: `${ADVICE}?adviceReference=${adviceReference}`,
    body: adviceBody({ merchantRef: 'NEW-ONE' }),
  })
  assert.notEqual(dataOf(created, 'payment').adviceReference, adviceReference)
})

test('the customer’s id may be a number', async () => {
  for (const [customerId, expected] of [
    [1042, '1042'],
    [0, '0'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['CUST-1', 'CUST-1'],
  ] as const) {
    const customer = { customerId, customerFirstName: 'Ada' }
    assert.equal((await createAdvice(bench, { customer })).customerId, expected)
  }
  for (const customerId of [-1, 1.5, true, [1], 9_007_199_254_740_992]) {
    const customer = { customerId, customerFirstName: 'Ada' }
    const answer = await bench.call({ url: ADVICE, body: adviceBody({ customer }) })
    assertRefused(answer, { code: 'invalid_request' }, 'payment')
  }
})

test('an empty callBackUrl is none: the payer stays, and nothing is posted', async () => {
  const payment = await startPayment(bench, { callBackUrl: '' })
  assert.equal(payment.callBackUrl, '')
  assert.equal((await readAdvice(bench, payment.adviceReference)).callBackUrl, '')

  await simulate(bench, payment.bankAccount, '6000.00')

  assert.equal((await verify(bench, payment.paymentReference)).callBackUrl, '')
  const page = await bench.call({ url: `/pay?adviceReference=${payment.adviceReference}` })
  assert.equal(page.statusCode, 200)
  assert.doesNotMatch(page.body, /class="primary" href/)
  for (const callBackUrl of [null, ' ', undefined]) {
    const answer = await bench.call({ url: ADVICE, body: adviceBody({ callBackUrl }) })
    assertRefused(answer, { code: 'invalid_request' }, 'payment')
  }
})

test('the list of banks is also at /api/Banks', async () => {
  const banks = await bench.call({ url: '/api/Banks', token: null })
  assert.deepEqual(banks.json(), (await bench.call({ url: BANKS, token: null })).json())
  assert(banks.json().responseData.length > 0)
})

test('only verification says that an incomplete amount was received', async () => {
  const { bankAccount, paymentReference, adviceReference } = await startPayment(bench)
  await simulate(bench, bankAccount, '100.00')

  for (const answer of [
    await verify(bench, paymentReference),
    await verify(bench, adviceReference, BY_ADVICE),
  ]) {
    assert.deepEqual(
      [answer.transactionStatus, answer.message],
      ['PartPayment', 'Incomplete Amount Received'],
    )
  }
  const begun = await bench.call({ url: `${INITIATE}/${adviceReference}`, body: {} })
  const { status, message } = dataOf(begun, 'payment')
  assert.deepEqual([status, message], ['PartPayment', 'PartPayment'])
})

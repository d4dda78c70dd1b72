// The checkout page over HTTP: what payers see in each state, and that opening the page changes nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { codeOfId } from '#short-codes.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ADVICE,
  assertRefused,
  BANKS,
  createAdvice,
  databaseText,
  dataOf,
  initiate,
  MINUTE_MS,
  simulate,
  startPayment,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { START, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

// Opens the payer's page.
const look = (adviceReference: string, headers: Record<string, string> = {}) =>
  bench.call({ url: `/pay?adviceReference=${adviceReference}`, token: null, headers })
// The data from which the page shows the payment's state.
const status = async (adviceReference: string) => {
  const url = `/pay/api/status?adviceReference=${adviceReference}`
  return dataOf(await bench.call({ url, token: null }))
}
const choose = (adviceReference: string, bankCode: string, headers: Record<string, string> = {}) =>
  bench.call({
    url: '/pay',
    token: null,
    body: new URLSearchParams({ adviceReference, bankCode }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
const JSON_PLEASE = { accept: 'application/json' }

test('the status is what the page shows and nothing else', async () => {
  const payment = await startPayment(bench, { merchantRef: 'ORD-1' }, '058')

  const { banks, ...rest } = await status(payment.adviceReference)

  assert.deepEqual(rest, {
    now: START.toISOString(),
    isTest: true,
    adviceReference: payment.adviceReference,
    paymentReference: payment.paymentReference,
    shortCode: codeOfId('PAY', payment.paymentReference),
    merchantRef: 'ORD-1',
    merchantName: 'Sandbox Merchant',
    narration: 'A pair of shoes',
    status: 'Processing',
    amountPolicy: 'allow_under',
    amount: 6000,
    fees: null,
    amountPaid: 0,
    amountRemaining: 6000,
    amountRefunded: 0,
    amountHeld: 0,
    accountName: 'Sandbox Merchant/Ada Obi',
    numbers: [
      { bankCode: '058', bankName: 'Guaranty Trust Bank', accountNumber: payment.bankAccount },
    ],
    expiresAt: '2026-11-15T08:30:00.000Z',
    closesAt: '2026-11-15T08:35:00.000Z',
    paidAt: null,
    canRequery: true,
    payerNames: [],
    payerBanks: [],
    sessionIds: [],
    paidInto: [],
    supportEmail: null,
    supportPhone: null,
    supportUrl: null,
    logo: null,
    returnUrl: payment.callBackUrl,
  })
  const supported = dataOf(await bench.call({ url: BANKS, token: null }), 'payment')
  assert.deepEqual(
    banks.map(({ code }: { code: string }) => code).toSorted(),
    supported.map(({ code }: { code: string }) => code).toSorted(),
  )
  const page = await look(payment.adviceReference)
  for (const secret of ['ada@example.com', '08012345678', 'C-1', 'MAN0000001']) {
    assert(!page.body.includes(secret), secret)
    assert(!JSON.stringify(rest).includes(secret), secret)
  }
})

test('looking at the page, however often, issues no number and writes nothing', async () => {
  const { adviceReference } = await createAdvice(bench)
  const before = await databaseText(bench)

  await Promise.all(Array.from({ length: 5 }, () => look(adviceReference)))
  await bench.call({ method: 'GET', url: `/pay?adviceReference=${adviceReference}&bank=058` })
  await status(adviceReference)

  assert.equal(await databaseText(bench), before)
  assert.equal((await status(adviceReference)).status, 'Pending')
})

test('a bank chosen by form leads back to the page, and again to the same number', async () => {
  const { adviceReference } = await createAdvice(bench)

  const answers = await Promise.all([1, 2, 3].map(() => choose(adviceReference, '058')))

  for (const { statusCode, headers } of answers) {
    assert.equal(statusCode, 303)
    assert.equal(headers.location, `/pay?adviceReference=${adviceReference}&bank=058`)
  }
  const { numbers } = await status(adviceReference)
  assert.equal(numbers.length, 1)
  const page = await bench.call({ url: String(answers[0]?.headers.location), token: null })
  assert.match(page.body, new RegExp(`<span>${numbers[0].accountNumber.slice(0, 3)}</span>`))
})

test('a script that chooses a bank is answered with the status', async () => {
  const { adviceReference } = await createAdvice(bench)

  const first = dataOf(await choose(adviceReference, '058', JSON_PLEASE))
  bench.advance(1)
  const further = dataOf(await choose(adviceReference, '035', JSON_PLEASE))

  assert.equal(first.status, 'Processing')
  assert.deepEqual(further.numbers[0], first.numbers[0])
  assert.equal(further.numbers[1].bankCode, '035')
})

test('an unknown bank is reported on the page, and refused to a script', async () => {
  const { adviceReference } = await createAdvice(bench)

  const form = await choose(adviceReference, '999')
  const script = await choose(adviceReference, '999', JSON_PLEASE)
  const page = await bench.call({ url: String(form.headers.location), token: null })

  assert.equal(form.statusCode, 303)
  assert.match(page.body, /This bank isn’t available/)
  assertRefused(script, { status: 400, code: 'bank_not_supported' })
})

test('no number is issued for what is paid, cancelled, expired or unknown', async () => {
  const paid = await startPayment(bench)
  await simulate(bench, paid.bankAccount, '6000')
  const cancelled = await createAdvice(bench)
  await bench.call({ method: 'POST', url: `${ADVICE}/${cancelled.adviceReference}/cancel` })
  const before = await databaseText(bench)

  const cases: [string, number, string][] = [
    [paid.adviceReference, 409, 'advice_paid'],
    [cancelled.adviceReference, 409, 'advice_cancelled'],
    [UNKNOWN_REFERENCE, 404, 'advice_not_found'],
    ['nonsense', 404, 'advice_not_found'],
  ]
  for (const [reference, code, word] of cases) {
    assertRefused(await choose(reference, '101', JSON_PLEASE), {
      status: code,
      code: word,
    })
    assert.equal((await choose(reference, '101')).statusCode, 303)
  }

  assert.equal(await databaseText(bench), before)
  assert.deepEqual((await status(paid.adviceReference)).banks, [])
})

test('a body that is no form, or too large, is refused', async () => {
  const json = await bench.call({ url: '/pay', token: null, body: { bankCode: '058' } })
  const huge = await choose('x'.repeat(2_000), '058')
  const twice = await bench.call({
    url: '/pay',
    token: null,
    body: 'adviceReference=a&adviceReference=b&bankCode=058',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assertRefused(json, { code: 'invalid_request' })
  assertRefused(huge, { status: 413, code: 'body_too_large' })
  assertRefused(twice, { code: 'invalid_request' })
})

test('an unknown, misspelt, missing or doubled reference gets the same kind page, and 404', async () => {
  const queries = [
    `?adviceReference=${UNKNOWN_REFERENCE}`,
    '?adviceReference=1',
    '?adviceReference=%00%ff',
    `?adviceReference=${'9'.repeat(3_000)}`,
    `?adviceReference=${UNKNOWN_REFERENCE}&adviceReference=${UNKNOWN_REFERENCE}`,
    '',
  ]
  const pages = await Promise.all(
    queries.map((query) => bench.call({ url: `/pay${query}`, token: null })),
  )
  for (const { statusCode, headers, body } of pages) {
    assert.equal(statusCode, 404)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(body, /This payment link isn’t valid/)
    assert.equal(body, pages[0]?.body)
  }
  for (const path of ['status', 'stream']) {
    const url = `/pay/api/${path}?adviceReference=${UNKNOWN_REFERENCE}`
    const answer = await bench.call({ url, token: null })
    assertRefused(answer, { status: 404, code: 'advice_not_found' })
  }
})

test('texts of merchants and links are text on the page, never markup', async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&lt;`
  const { adviceReference } = await createAdvice(bench, {
    narration: hostile,
    callBackUrl: 'https://shop.example.com/?a="><script>alert(1)</script>',
  })
  await initiate(bench, adviceReference)

  const query = new URLSearchParams({ adviceReference, bank: hostile, problem: hostile })
  const { body } = await bench.call({ url: `/pay?${query}`, token: null })

  assert.equal(body.match(/<script/g)?.length, 1)
  assert(!body.includes('<img src=x'))
  assert(body.includes('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'))
})

test('an unknown problem in the address is shown like any other', async () => {
  const { adviceReference } = await createAdvice(bench)

  for (const problem of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'x', '']) {
    const query = new URLSearchParams({ adviceReference, problem })
    const page = await bench.call({ url: `/pay?${query}`, token: null })
    assert.equal(page.statusCode, 200, problem)
    assert(page.body.includes('Something went wrong. Try again in a moment.'), problem)
  }
})

test('the page is compressed for clients that accept it, and never cached', async () => {
  const { adviceReference } = await createAdvice(bench)
  const plain = await look(adviceReference)
  const squeezed = await look(adviceReference, { 'accept-encoding': 'gzip, br' })

  assert.equal(squeezed.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(squeezed.rawPayload).toString(), plain.body)
  for (const { headers } of [plain, squeezed]) {
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'/,
    )
  }
})

test('the page tells the payer about money that could not be used', async () => {
  const over = await startPayment(bench)
  await simulate(bench, over.bankAccount, '6500.50')
  const exact = await startPayment(bench, { amountPolicy: 'exact' })
  await simulate(bench, exact.bankAccount, '2000')

  const [paid, waiting] = [await status(over.adviceReference), await status(exact.adviceReference)]

  assert.deepEqual([paid.status, paid.amountPaid, paid.amountHeld], ['Successful', 6000, 500.5])
  assert.equal(paid.paidAt, bench.clock().toISOString())
  assert.deepEqual(
    [waiting.status, waiting.amountPaid, waiting.amountHeld],
    ['Processing', 0, 2000],
  )
})

test('the page shows the expiry to the second, whether or not a worker has run', async () => {
  const payment = await startPayment(bench)
  bench.advance(30 * MINUTE_MS - 1)
  const before = await status(payment.adviceReference)
  bench.advance(1)
  const after = await status(payment.adviceReference)

  assert.deepEqual([before.status, before.banks.length > 0], ['Processing', true])
  assert.deepEqual([after.status, after.banks], ['Expired', []])
  const refused = await choose(payment.adviceReference, '058', JSON_PLEASE)
  assertRefused(refused, { status: 409, code: 'advice_expired' })
})

test('when the state cannot be read the payer gets a friendly page with a link to try again', async () => {
  const { adviceReference } = await createAdvice(bench)
  await bench.db.query('alter table payment_numbers rename to payment_numbers_away')
  const page = await look(adviceReference)
  await bench.db.query('alter table payment_numbers_away rename to payment_numbers')

  assert.equal(page.statusCode, 503)
  assert.match(page.body, /This payment can’t be shown right now/)
  assert(page.body.includes(`href="/pay?adviceReference=${adviceReference}"`))
  assert.doesNotMatch(page.body, /payment_numbers|relation/)
  assert.equal((await look(adviceReference)).statusCode, 200)
})

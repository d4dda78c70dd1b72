// The lists of advices and payments: newest first, page by page, with exact filters on each attribute, and
// never with another client's rows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ADVICE,
  assertAlike,
  assertRefused,
  createAdvice,
  initiate,
  MINUTE_MS,
  simulate,
  startPayment,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, type Row, readList, reverse, walk } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const other = await bench.newClient('OTHER00001')
const ADVICES = '/api/v1/advices'
const PAYMENTS = '/api/v1/payments'
const BOTH = [ADVICES, PAYMENTS]

const customer = (first: string, email: string | null = null) => ({
  customerFirstName: first,
  customerLastName: 'Obi',
  customerEmail: email,
})

// One payment or advice in each state, made a minute apart, by its merchantRef.
const made: Record<string, Row> = {}

// Creates an advice with this merchantRef and, by default, starts its payment.
const make = async (merchantRef: string, changes = {}, { isAdvice = false } = {}) => {
  bench.advance(MINUTE_MS)
  const terms = { merchantRef, expiresInSeconds: 172_800, ...changes }
  made[merchantRef] = isAdvice ? await createAdvice(bench, terms) : await startPayment(bench, terms)
  return made[merchantRef]
}
const expired = await make('expired', { expiresInSeconds: 60, graceSeconds: 0 })
await make('pending', {}, { isAdvice: true })
await make('called-off', {}, { isAdvice: true })
await bench.call({
  method: 'POST',
  url: `${ADVICE}/${made['called-off'].adviceReference}/cancel`,
})
await make('processing', { amount: '10.50', customer: customer('Zoë', 'Zoe@Example.com') })
const midway = bench.clock().toISOString()
const part = await make('part', { amount: 100 })
await simulate(bench, part.bankAccount, '40')
const paid = await make('paid', { amount: 200, customer: customer('100%_sure') })
const { sessionId } = await simulate(bench, paid.bankAccount, '200')
const cancelled = await make('cancelled', { amount: 300 })
await bench.call({ method: 'POST', url: `${ADVICE}/${cancelled.adviceReference}/cancel` })
const reversed = await make('reversed', { amount: 400 })
await reverse(bench, await credit(bench, reversed.bankAccount, '400'), '400')
await make('late', { expiresInSeconds: 60, graceSeconds: 86_400 })
bench.advance(2 * MINUTE_MS)
await closeExpired(bench)
assert.equal(expired.status, 'Processing')
await startPayment(bench, {}) // Without a customer …
const theirs = await createAdvice(bench, { merchantRef: 'theirs' }, { token: other })
made.theirs = await initiate(bench, theirs.adviceReference)
made.theirs.adviceReference = theirs.adviceReference

// The merchantRefs of the listed rows.
const refs = async (url: string, token?: string) => {
  const { data } = await readList(bench, url, token)
  return data.map((row) => row.merchantRef)
}

test('the list has the newest first, each row equal to the object read alone', async () => {
  const advices = (await readList(bench, `${ADVICES}?limit=100`)).data
  const payments = (await readList(bench, `${PAYMENTS}?limit=100`)).data

  const named = [null, 'late', 'reversed', 'cancelled', 'paid', 'part', 'processing']
  const older = ['called-off', 'pending', 'expired']
  assert.deepEqual(
    advices.map((row) => row.merchantRef),
    [...named, ...older],
  )
  assert.deepEqual(
    payments.map((row) => row.merchantRef),
    [...named, 'expired'],
  )
  for (const row of advices) {
    const answer = await bench.call({ url: `${ADVICES}/${row.adviceReference}` })
    assert.deepEqual(answer.json().data, row)
    const published = await bench.call({ url: `${ADVICE}/${row.adviceReference}` })
    for (const [field, value] of Object.entries(published.json().responseData)) {
      assert.deepEqual(row[field], value, field)
    }
  }
  for (const row of payments) {
    const { data } = (await bench.call({ url: `${PAYMENTS}/${row.paymentReference}` })).json()
    const { credits: _, hasMoreCredits: __, amountInSuspense: ___, ...alone } = data
    assert.deepEqual(alone, row)
  }
})

test('filtering by status uses the present status, whether or not a worker has stored it', async () => {
  const expected: [string, string, (string | null)[]][] = [
    [PAYMENTS, 'Processing', [null, 'processing']],
    [PAYMENTS, 'PartPayment', ['part']],
    [PAYMENTS, 'Successful', ['paid']],
    [PAYMENTS, 'Expired', ['late', 'expired']],
    [PAYMENTS, 'Cancelled', ['cancelled']],
    [PAYMENTS, 'Reversed', ['reversed']],
    [ADVICES, 'Pending', [null, 'part', 'processing', 'pending']],
    [ADVICES, 'Paid', ['paid']],
    [ADVICES, 'Expired', ['late', 'expired']],
    [ADVICES, 'Cancelled', ['cancelled', 'called-off']],
    [ADVICES, 'Reversed', ['reversed']],
  ]

  for (const [url, status, found] of expected) {
    assert.deepEqual(await refs(`${url}?status=${status}`), found, `${url} ${status}`)
    const { data } = await readList(bench, `${url}?status=${status}`)
    for (const row of data) assert.equal(row.status, status)
  }
})

test('the list is filtered by amount, by time and by customer', async () => {
  const cases: [string, (string | null)[]][] = [
    ['minAmount=10.5&maxAmount=100', ['part', 'processing']],
    ['maxAmount=10.49', []],
    ['minAmount=400.00&maxAmount=400', ['reversed']],
    [`from=${midway}&to=2100-01-01&maxAmount=300`, ['cancelled', 'paid', 'part', 'processing']],
    ['to=2026-11-01', []],
    ['from=2026-11-14&to=2026-11-15', []],
    ['search=zo%C3%AB', ['processing']],
    ['search=ZO%C3%8B%20OBI', ['processing']],
    ['search=zoe@example', ['processing']],
    ['search=100%25_', ['paid']],
    ['search=%25', ['paid']],
    ['search=nobody', []],
  ]

  for (const url of BOTH) {
    for (const [query, found] of cases) {
      const seen = await refs(`${url}?${query}`)
      assert.deepEqual(seen, found, `${url} ${query}`)
    }
  }
  const [first] = (await readList(bench, `${PAYMENTS}?from=${midway}&limit=1&status=PartPayment`))
    .data
  assert.equal(first.merchantRef, 'part')
})

test('the list is filtered by any reference, however it is written', async () => {
  const { adviceReference, paymentReference, bankAccount } = made.paid
  const spelt = [
    paymentReference,
    paymentReference.replaceAll('-', '').toUpperCase(),
    adviceReference,
    'paid',
    bankAccount,
    sessionId,
  ]

  for (const reference of spelt) {
    for (const url of BOTH) {
      assert.deepEqual(await refs(`${url}?reference=${reference}`), ['paid'], reference)
      assert.equal(
        (await bench.call({ url: `${url}/${reference}` })).json().data.merchantRef,
        'paid',
      )
    }
  }
  assert.deepEqual(await refs(`${ADVICES}?merchantRef=pending`), ['pending'])
  assert.deepEqual(await refs(`${PAYMENTS}?merchantRef=pending`), [])
  assert.deepEqual(await refs(`${ADVICES}?reference=pending`), ['pending'])
  assert.deepEqual(await refs(`${PAYMENTS}?reference=pending`), [])
  assert.deepEqual(await refs(`${ADVICES}?accountNumber=${bankAccount}`), ['paid'])
  assert.deepEqual(await refs(`${PAYMENTS}?accountNumber=${bankAccount}&status=Expired`), [])
})

test('page by page nothing is missed or shown twice, also while more are made', async () => {
  for (const url of BOTH) {
    const all = (await readList(bench, `${url}?limit=100`)).data
    const between = () => createAdvice(bench, { merchantRef: `between-${url}-${Math.random()}` })
    const pages = await walk(bench, url, { limit: 3, between })
    const found = await walk(bench, `${url}?search=ada`, { limit: 2 })

    const rows = pages.flat().filter((row) => !row.merchantRef?.startsWith('between'))
    assert.deepEqual(rows, all)
    assert(found.length > 1)
  }
})

test('no filter finds another client’s rows; the response is that for no match', async () => {
  const { theirs } = made
  const known = [theirs.paymentReference, theirs.adviceReference, 'theirs', theirs.bankAccount]

  for (const url of BOTH) {
    for (const reference of known) {
      assert.deepEqual(await refs(`${url}?reference=${reference}`), [])
      const answer = await bench.call({ url: `${url}/${reference}` })
      assertAlike(answer, await bench.call({ url: `${url}/${UNKNOWN_REFERENCE}` }))
      assert.equal(answer.statusCode, 404)
    }
    assert.deepEqual(await refs(`${url}?merchantRef=theirs`), [])
    assert.deepEqual(await refs(`${url}?accountNumber=${theirs.bankAccount}`), [])
    assert.deepEqual(await refs(url, other), ['theirs'])
    const { nextCursor } = await readList(bench, `${url}?limit=1`)
    const borrowed = await bench.call({ url: `${url}?limit=1&cursor=${nextCursor}`, token: other })
    assertRefused(borrowed, { code: 'invalid_cursor' })
  }
  const { nextCursor } = await readList(bench, `${ADVICES}?limit=1`)
  const elsewhere = await bench.call({ url: `${PAYMENTS}?limit=1&cursor=${nextCursor}` })
  assertRefused(elsewhere, { code: 'invalid_cursor' })
})

test('bad questions are refused, each with its field', async () => {
  const bad: [string, string][] = [
    ['status=Nothing', 'status'],
    ['status=', 'status'],
    ['minAmount=-1', 'minAmount'],
    ['minAmount=1.001', 'minAmount'],
    ['maxAmount=1e3', 'maxAmount'],
    ['minAmount=2&maxAmount=1', 'maxAmount'],
    ['search=', 'search'],
    ['search=%20', 'search'],
    ['search=%00', 'search'],
    [`search=${'x'.repeat(101)}`, 'search'],
    ['accountNumber=123', 'accountNumber'],
    [`reference=${'9'.repeat(101)}`, 'reference'],
    ['reference=%0A', 'reference'],
    ['merchantRef=', 'merchantRef'],
    ['from=yesterday', 'from'],
    ['from=2026-11-16&to=2026-11-15', 'to'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['page=2', 'page'],
    ['status=Expired&status=Paid', 'status'],
  ]

  for (const url of BOTH) {
    for (const [query, field] of bad) {
      const answer = await bench.call({ url: `${url}?${query}` })
      assertRefused(answer, { code: 'invalid_request' })
      const fields = answer.json().errors.map((error: { field: string }) => error.field)
      assert.deepEqual(fields, [field], query)
    }
    for (const cursor of ['x', 'eyJ9', '%00', 'a'.repeat(3000)]) {
      const answer = await bench.call({ url: `${url}?cursor=${cursor}` })
      assertRefused(answer, { code: 'invalid_cursor' })
    }
    assertRefused(await bench.call({ url, token: null }), { status: 401 })
    const odd = await bench.call({ url: `${url}/${encodeURIComponent('\n\u0000')}` })
    assert.equal(odd.statusCode, 404)
  }
})

// The search finds an object by any kind of reference, but never another client's, and nothing outside the
// caller's scopes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp } from '#clock.ts'
import { codeOf, codeOfCredit, codeOfId } from '#short-codes.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertRefused,
  createAccount,
  createAdvice,
  dataOf,
  startPayment,
} from '../support/fixtures.ts'
import { addBankAccount, createPayout, fund } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, type Row, readList } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const SEARCH = '/api/v1/search'

async function search(text: string, token?: string): Promise<Row[]> {
  const url = `${SEARCH}?q=${encodeURIComponent(text)}`
  return dataOf(await bench.call({ url, ...(token ? { token } : {}) }))
}

const namesOf = (hits: readonly Row[]) => hits.map(({ type, reference }) => `${type}/${reference}`)

const account = await createAccount(bench, { accountName: 'Zainab Ọláyínká', email: 'z@o.example' })
const payment = await startPayment(bench, { merchantRef: 'INV-77', amount: 6000 })
const sessionId = await credit(bench, payment.bankAccount, '6000.00', {
  sourceAccountName: 'CHIDI',
})
const { data } = await readList(bench, `/api/v1/credits?sessionId=${sessionId}`)
const creditId = data[0].id as number
const events = await readList(bench, '/api/v1/events?type=payment.successful')
const eventId = events.data[0].id as string

test('every kind of reference finds what it names', async () => {
  const paid = `payment/${payment.paymentReference}`
  const cases: [string, string[]][] = [
    [payment.paymentReference, [paid]],
    [payment.paymentReference.toUpperCase().replaceAll('-', ''), [paid]],
    [payment.adviceReference, [paid]],
    ['INV-77', [paid]],
    [payment.bankAccount, [paid]],
    [sessionId, [paid, `credit/${creditId}`]],
    [`${creditId}`, [`credit/${creditId}`]],
    [account.accountNumber, [`account/${account.accountNumber}`]],
    ['Z@O.example', [`account/${account.accountNumber}`]],
    ['zainab', [`account/${account.accountNumber}`]],
    ['ọláyínká', [`account/${account.accountNumber}`]],
    [eventId, [`event/${eventId}`]],
    ['  INV-77  ', [paid]],
  ]
  for (const [text, expected] of cases)
    assert.deepEqual(namesOf(await search(text)), expected, text)
})

test('a hit says what it is, how much, and where to get it', async () => {
  const [hit] = await search('INV-77')

  assert.deepEqual(hit, {
    type: 'payment',
    reference: payment.paymentReference,
    href: `/api/v1/payments/${payment.paymentReference}`,
    title: 'Ada Obi',
    detail: 'Successful, INV-77',
    amount: 6000,
    currency: 'NGN',
    status: 'Successful',
    at: timestamp(bench.clock()),
    of: null,
  })
  for (const text of ['INV-77', sessionId, account.accountNumber, eventId]) {
    for (const { href } of await search(text)) {
      assert.equal((await bench.call({ url: href })).statusCode, 200, href)
    }
  }
})

test('an advice without a number is found as an advice, and has a timeline', async () => {
  const { adviceReference } = await createAdvice(bench, { merchantRef: 'INV-78' })

  assert.deepEqual(namesOf(await search('INV-78')), [`advice/${adviceReference}`])
  const url = `/api/v1/payments/${adviceReference}/timeline`
  const { entries } = dataOf(await bench.call({ url }))
  assert.deepEqual(
    entries.map(({ kind }: Row) => kind),
    ['advice'],
  )
})

test('a name finds customers of payments too, a few of each', async () => {
  for (let at = 0; at < 7; at++) await createAccount(bench, { accountName: `Ada Many ${at}` })

  const hits = await search('ada')

  assert(hits.length <= 10)
  assert.equal(hits.filter(({ type }) => type === 'account').length, 5)
  assert(hits.some(({ type, title }) => type === 'payment' && title === 'Ada Obi'))
})

test('an object that is found in two ways is one hit, and there are ten at most', async () => {
  const customer = {
    customerId: 'K',
    customerFirstName: 'Kemi',
    customerLastName: 'Bello',
    customerEmail: 'k@b.example',
    customerPhoneNumber: '08012345678',
  }
  const first = await startPayment(bench, { customer, merchantRef: 'Kemi' })
  assert.deepEqual(namesOf(await search('Kemi')), [`payment/${first.paymentReference}`])
  bench.advance(1) // The six payments that follow are later than `first`.
  for (let at = 0; at < 6; at++) {
    await startPayment(bench, { customer })
    await createAccount(bench, { accountName: `Kemi ${at}` })
  }

  const hits = await search('Kemi')

  assert.equal(hits.length, 10)
  assert.equal(new Set(namesOf(hits)).size, 10)
  assert.equal(hits[0].reference, first.paymentReference)
})

test('the wildcards of a database are letters like any other', async () => {
  await createAccount(bench, { accountName: 'Wild 100% Card' })
  await createAccount(bench, { accountName: 'Wild 100 Card' })

  const hits = await search('100% c')

  assert.deepEqual(
    hits.map(({ title }) => title),
    ['Wild 100% Card'],
  )
  for (const text of ['Wild%Card', 'W_ld', 'wild\\\\', 'w*', 'w.ld']) {
    assert.deepEqual(await search(text), [], text)
  }
})

test('no client finds the objects of another', async () => {
  const token = await bench.newClient('SEARCHER01')
  const codes = [codeOfId('PAY', payment.paymentReference), codeOfCredit(creditId)]
  const ids = [payment.paymentReference, sessionId, `${creditId}`, payment.bankAccount]
  const known = ['INV-77', ...ids, ...codes]

  for (const text of [...known, account.accountNumber, eventId, 'zainab', 'ada', 'z@o.example']) {
    assert.deepEqual(await search(text, token), [], text)
  }
})

test('search reads only objects within the caller’s scopes', async () => {
  const token = await bench.newClient('SEARCHER02')
  await createAccount(bench, { accountName: 'Hidden Person' }, { token })
  assert.equal((await search('Hidden Person', token)).length, 1)
  await bench.db.query(
    `update clients set scopes = '{credits:read}' where client_id = 'SEARCHER02'`,
  )
  bench.advance(60_000) // Clients are read again every few seconds.

  assert.deepEqual(await search('Hidden Person', await bench.login('SEARCHER02', 's3cret')), [])
})

test('the beginning of a reference or number finds it, and an exact one comes first', async () => {
  const shorter = await startPayment(bench, { merchantRef: 'PRE-10' })
  const longer = await startPayment(bench, { merchantRef: 'PRE-100' })
  const made = await createAccount(bench, { accountName: 'Number Person' })
  const bySession = await credit(bench, longer.bankAccount, '10.00')
  const [one, other] = [shorter, longer].map(({ paymentReference: id }) => `payment/${id}`)

  assert.deepEqual(namesOf(await search('PRE-10')), [one, other])
  assert.deepEqual(namesOf(await search('PRE-100')), [other])
  assert.deepEqual(namesOf(await search('PRE')).toSorted(), [one, other].toSorted())
  for (const length of [13, 20, 31]) {
    const found = namesOf(await search(longer.paymentReference.slice(0, length)))
    assert(found.includes(other as string), `${length}`)
  }
  const number = namesOf(await search(made.accountNumber.slice(0, 8)))
  assert(number.includes(`account/${made.accountNumber}`))
  const [found] = await search(bySession.slice(0, 29))
  assert.deepEqual([found?.type, found?.detail], ['credit', bySession])
  assert.deepEqual(await search('PRE-10', await bench.newClient('SEARCHER04')), [])
})

test('an amount finds payments and credits, however it is written; a name finds payers', async () => {
  const requested = await startPayment(bench, { amount: 7654.32 })
  const payer = { sourceAccountName: 'NGOZI PAYER' }
  await credit(bench, requested.bankAccount, '7654.32', payer)

  for (const text of ['7654.32', '7,654.32', '₦7,654.32', 'NGN 7654.32', 'ngn7,654.32']) {
    const types = (await search(text)).map(({ type }) => type)
    assert.deepEqual(types.toSorted(), ['credit', 'payment'], text)
  }
  for (const text of ['7654.3', '7654', '76,54.32', '7654.320', '-7654.32']) {
    assert.deepEqual(await search(text), [], text)
  }
  const [hit] = await search('ngozi')
  assert.deepEqual([hit?.type, hit?.title], ['credit', 'NGOZI PAYER'])
})

test('a phone number finds its account, with or without the country code', async () => {
  const { accountNumber } = await createAccount(bench, { phoneNumber: '08031234599' })

  for (const text of ['08031234599', '2348031234599', '+2348031234599']) {
    assert.deepEqual(namesOf(await search(text)), [`account/${accountNumber}`], text)
  }
})

test('a search without hits is an empty list; a malformed search is refused', async () => {
  for (const text of [
    'x',
    '0',
    '9'.repeat(30),
    '%',
    '_',
    "' or 1=1 --",
    '💩',
    '\\',
    '9'.repeat(100),
  ]) {
    assert.deepEqual(await search(text), [], text)
  }
  for (const wrong of [
    '',
    '?q=',
    '?q=%20',
    `?q=${'x'.repeat(101)}`,
    '?q=a%00b',
    '?q=a&limit=3',
    '?q=a&q=b',
  ]) {
    assertRefused(await bench.call({ url: `${SEARCH}${wrong}` }))
  }
  assertRefused(await bench.call({ url: `${SEARCH}?q=a`, token: null }), { status: 401 })
})

test('a payout is found by reference, amount and recipient, by its own client alone', async () => {
  await fund(bench, '9000.00')
  await addBankAccount(bench)
  const { reference, toAccountName } = await createPayout(bench, { amount: 4321.5 })
  const found = `payout/${reference}`
  const other = await bench.newClient('SEARCHER06')

  const texts = [reference, reference.slice(0, 12).toLowerCase(), codeOf(reference)]
  for (const text of [...texts, '4,321.50', toAccountName]) {
    assert(namesOf(await search(text)).includes(found), text)
    assert.deepEqual(await search(text, other), [], text)
  }
  const [hit] = await search(reference)
  assert.equal((await bench.call({ url: hit.href })).statusCode, 200, hit.href)
})

test('a phrase finds what happened on its day, and nothing of another day or client', async () => {
  // Starts a payment that this payer pays in full; returns the name under which the search finds the payment.
  const pay = async (naira: string, sourceAccountName: string) => {
    const { paymentReference, bankAccount } = await startPayment(bench, { amount: naira })
    await credit(bench, bankAccount, naira, { sourceAccountName })
    return `payment/${paymentReference}`
  }
  const before = await pay('12500.00', 'SUNDAY OKORO')
  bench.advance(86_400_000)
  const now = await pay('12500.00', 'HALIMA BELLO')
  const of = async (text: string) => namesOf(await search(text))

  assert.deepEqual(paymentsIn(await of('12,500 yesterday')), [before])
  assert.deepEqual(paymentsIn(await of('₦12,500 today')), [now])
  assert.deepEqual(paymentsIn(await of('12500')), [now, before])
  assert.deepEqual(await of('12,501 yesterday'), [])
  assert.deepEqual(await of('12,500 last month'), [])
  assert((await of('halima today')).some((name) => name.startsWith('credit/')))
  assert.deepEqual(await of('halima yesterday'), [])
  assert(
    (await of('sunday')).some((name) => name.startsWith('credit/')),
    'a name is a name first',
  )
  assert((await of('payments today')).every((name) => name.startsWith('payment/')))
  const token = await bench.newClient('PHRASES01')
  assert.deepEqual(await search('12,500 yesterday', token), [])
})

const paymentsIn = (names: readonly string[]) => names.filter((name) => name.startsWith('payment/'))

test('kinds list the latest of a kind', async () => {
  const [hit] = await search('payouts')
  assert.equal(hit?.type, 'payout')
  assert(hit?.at && hit.status)
  for (const type of ['settlement', 'refunds']) assert(Array.isArray(await search(type)))
})

test('short codes find payments, advices, credits and payouts, however they are typed', async () => {
  const paid = `payment/${payment.paymentReference}`
  const code = codeOfId('PAY', payment.paymentReference)
  const cases: [string, string][] = [
    [code, paid],
    [code.toLowerCase().replaceAll('-', ''), paid],
    [code.slice(4), paid],
    [codeOfId('REQ', payment.adviceReference), paid],
    [codeOfCredit(creditId), `credit/${creditId}`],
  ]
  for (const [text, expected] of cases) {
    assert.deepEqual(namesOf(await search(text)), [expected], text)
  }
  const [hit] = await search(code)
  assert.equal((await bench.call({ url: `/api/v1/payments/${code}` })).statusCode, 200)
  assert.equal(hit.reference, payment.paymentReference)
})

test('a mistyped code is refused as such, unless something else has that name', async () => {
  const code = codeOfId('PAY', payment.paymentReference)
  const wrong = code.slice(0, -1) + (code.endsWith('0') ? '1' : '0')
  const answer = await bench.call({ url: `${SEARCH}?q=${wrong}` })
  assertRefused(answer, { status: 404, code: 'mistyped_code' })

  const named = await startPayment(bench, { merchantRef: wrong })
  assert.deepEqual(namesOf(await search(wrong)), [`payment/${named.paymentReference}`])
})

test('requests that share a code are all found, and none is cancelled by it', async () => {
  const { adviceReference: first } = await createAdvice(bench, { merchantRef: 'TWIN-1' })
  const second = `${first.slice(0, -6)}${first.slice(-6, -4) === '00' ? '11' : '00'}${first.slice(-4)}`
  await bench.db.query(
    `insert into advices
     select (jsonb_populate_record(a, jsonb_build_object('id', $2::uuid, 'merchant_ref', 'TWIN-2'))).*
       from advices a where id = $1`,
    [first, second],
  )
  const code = codeOfId('REQ', first)
  assert.equal(code, codeOfId('REQ', second))

  const twins = [`advice/${first}`, `advice/${second}`]
  assert.deepEqual(namesOf(await search(code)).toSorted(), twins.toSorted())
  const cancelled = await bench.call({ method: 'POST', url: `/api/v1/advices/${code}/cancel` })
  assertRefused(cancelled, { status: 404, code: 'advice_not_found' })
  const one = await bench.call({ method: 'POST', url: `/api/v1/advices/${first}/cancel` })
  assert.equal(one.statusCode, 200)
})

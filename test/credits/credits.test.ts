// One call with a payer's 30-digit session id finds the money, whatever its outcome, and the list finds a
// credit by any known field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfScan } from '#credits/queries.ts'
import type { ClientId } from '#ids.ts'
import { kobo } from '#money.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  createAccount,
  dataOf,
  MINUTE_MS,
  startPayment,
  TIMESTAMP,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { newSessionId } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { CREDITS, credit, openDesk, type Row, readList, reverse } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const desk = await openDesk(bench)

const UNKNOWN_NUMBER = '0123456789'
const sessionIdsOf = (rows: Row[]) => rows.map((row) => row.sessionId)
const readCredit = async (id: string | number) =>
  dataOf(await bench.call({ url: `${CREDITS}/${id}` }))

test('a booked credit shows the bank’s data, its masked payer, and its account', async () => {
  const { accountNumber } = await createAccount(bench)
  const sessionId = await credit(bench, accountNumber, '1500.50', {
    sourceAccountNumber: '0016563228',
    sourceAccountName: 'CHIDI OKEKE',
    sourceBankCode: '033',
    narration: 'School fees',
    transactionTime: '2026-11-15T08:59:00+01:00',
  })

  const { data } = await readList(bench, `${CREDITS}?sessionId=${sessionId}`)

  const { id, receivedAt, transactionTime, ...plain } = data[0]
  assert.deepEqual(plain, {
    sessionId,
    identifiers: [{ kind: 'session_id', value: sessionId }],
    source: 'notification',
    bankCode: '035',
    bankName: 'Wema Bank',
    accountNumber,
    amount: 1500.5,
    charges: { fee: 0, vat: 0, duty: 0 },
    netAmount: 1500.5,
    currency: 'NGN',
    outcome: 'booked',
    reason: null,
    amountBooked: 1500.5,
    merchantFee: 0,
    merchantFeeVat: 0,
    netToMerchant: 1500.5,
    amountSuspended: 0,
    amountReturned: 0,
    amountReversed: 0,
    amountShortfall: 0,
    amountReceivable: 0,
    refundedAmount: 0,
    splits: [],
    sourceAccountName: 'CHIDI OKEKE',
    sourceAccountNumberMasked: '******3228',
    sourceBankCode: '033',
    narration: 'School fees',
    paymentReference: null,
    adviceReference: null,
    merchantRef: null,
    collectionAccountNumber: accountNumber,
    judgedBy: null,
    locations: [
      {
        amount: 1500.5,
        place: 'collection_account',
        reference: accountNumber,
        reason: null,
        description: `In the balance of collection account ${accountNumber}.`,
      },
    ],
  })
  assert(Number.isSafeInteger(id))
  assert.match(receivedAt, TIMESTAMP)
  assert.equal(transactionTime, '2026-11-15T08:59:00.000000+01:00')
  assert(!JSON.stringify(data).includes('0016563228'))
})

test('one call by session id or id returns everything about a credit', async () => {
  const payment = await startPayment(bench, { merchantRef: 'ORDER-1' })
  const sessionId = await credit(bench, payment.bankAccount, '6500.00')
  await desk.giveBack(sessionId)
  bench.advance(MINUTE_MS)
  await desk.confirm(sessionId, 'BANK-77')
  bench.advance(MINUTE_MS)
  const reversal = await reverse(bench, sessionId, '6000.00')

  const story = await readCredit(sessionId)

  assert.deepEqual(await readCredit(story.id), story)
  assert.equal(story.merchantRef, 'ORDER-1')
  assert.equal(story.adviceReference, payment.adviceReference)
  assert.deepEqual(
    story.locations.map(({ description: _, ...where }: Row) => where),
    [
      { amount: 500, place: 'returned', reference: 'BANK-77', reason: 'excess' },
      { amount: 6000, place: 'reversed', reference: reversal, reason: null },
    ],
  )
  assert.deepEqual(
    story.transfers.map((t: Row) => [t.reason, t.amount, t.from.kind, t.to.kind]),
    [
      ['credit', 6000, 'bank', 'available'],
      ['credit', 500, 'bank', 'suspense'],
      ['return', 500, 'suspense', 'returning'],
      ['returned', 500, 'returning', 'bank'],
      ['reversal', 6000, 'available', 'bank'],
    ],
  )
  assert.deepEqual(
    story.events.map((event: Row) => event.type),
    ['payment.successful', 'credit.suspended', 'credit.returned', 'payment.reversed'],
  )
  assert.deepEqual(
    story.suspense.map((item: Row) => [item.state, item.amount, item.bankReference]),
    [['returned', 500, 'BANK-77']],
  )
  assert.deepEqual(
    story.reversals.map((r: Row) => [r.sessionId, r.amount, r.shortfall]),
    [[reversal, 6000, 0]],
  )
})

test('the parts of a credit sum to the whole and say where each is, after any operation', async () => {
  const { accountNumber } = await createAccount(bench)
  const paid = await startPayment(bench)
  const target = await startPayment(bench, { amount: 40 })
  const sessions = {
    excess: await credit(bench, paid.bankAccount, '6100.00'),
    toAccount: await credit(bench, paid.bankAccount, '10.00'),
    toPayment: await credit(bench, paid.bankAccount, '40.00'),
    returning: await credit(bench, paid.bankAccount, '20.00'),
    failed: await credit(bench, paid.bankAccount, '30.00'),
    reversed: await credit(bench, paid.bankAccount, '50.00'),
    partly: await credit(bench, paid.bankAccount, '60.00'),
    booked: await credit(bench, accountNumber, '70.00'),
  }
  await desk.assign(sessions.toAccount, { accountNumber })
  await desk.assign(sessions.toPayment, { paymentId: target.paymentReference })
  await desk.giveBack(sessions.returning)
  await desk.giveBack(sessions.failed)
  await desk.fail(sessions.failed)
  await reverse(bench, sessions.reversed, '50.00')
  await reverse(bench, sessions.partly, '15.00')
  await reverse(bench, sessions.booked, '25.00')

  const results: Record<string, unknown> = {}
  for (const [name, sessionId] of Object.entries(sessions)) {
    const { amount, locations } = await readCredit(sessionId)
    assert.equal(
      locations.reduce((sum: number, where: Row) => sum + where.amount, 0),
      amount,
      name,
    )
    results[name] = locations.map((where: Row) => `${where.amount} ${where.place}`)
  }

  assert.deepEqual(results, {
    excess: ['6000 payment', '100 suspense'],
    toAccount: ['10 collection_account'],
    toPayment: ['40 payment'],
    returning: ['20 returning'],
    failed: ['30 suspense'],
    reversed: ['50 reversed'],
    partly: ['45 suspense', '15 reversed'],
    booked: ['45 collection_account', '25 reversed'],
  })
  const { data } = await readList(bench, `${CREDITS}?accountNumber=${paid.bankAccount}`)
  for (const row of data) {
    const { amountBooked, amountSuspended, amountReturned, amountReversed, amount } = row
    assert.equal(amountBooked + amountSuspended + amountReturned + amountReversed, amount)
  }
})

test('each filter finds its credits, newest first, however references are written', async () => {
  const payment = await startPayment(bench, { merchantRef: 'Größe/№ 7 & co' })
  const { accountNumber } = await createAccount(bench)
  const part = await credit(bench, payment.bankAccount, '1000.00')
  const rest = await credit(bench, payment.bankAccount, '5000.00')
  const late = await credit(bench, payment.bankAccount, '5.00')
  const elsewhere = await credit(bench, accountNumber, '1.00')
  const { paymentReference, adviceReference, bankAccount } = payment
  const withoutDashes = (reference: string) => reference.replaceAll('-', '').toUpperCase()
  const ofPayment = [late, rest, part]

  const cases: [string, string[]][] = [
    [`sessionId=${rest}`, [rest]],
    [`accountNumber=${bankAccount}`, ofPayment],
    [`paymentReference=${paymentReference}`, ofPayment],
    [`paymentReference=${withoutDashes(paymentReference)}`, ofPayment],
    [`adviceReference=${adviceReference}`, ofPayment],
    [`adviceReference=${withoutDashes(adviceReference)}`, ofPayment],
    [`merchantRef=${encodeURIComponent('Größe/№ 7 & co')}`, ofPayment],
    [`merchantRef=${encodeURIComponent('größe/№ 7 & co')}`, []],
    [`paymentReference=${paymentReference}&outcome=suspended`, [late]],
    [`paymentReference=${paymentReference}&outcome=booked`, [rest, part]],
    [`paymentReference=${paymentReference}&sessionId=${elsewhere}`, []],
    [`paymentReference=${paymentReference}&adviceReference=${UNKNOWN_REFERENCE}`, []],
    [`accountNumber=${accountNumber}&outcome=booked`, [elsewhere]],
    [`accountNumber=${accountNumber}&outcome=returned`, []],
    [`sessionId=${newSessionId()}`, []],
    [`paymentReference=${UNKNOWN_REFERENCE}`, []],
  ]
  for (const [filters, expected] of cases) {
    const { data } = await readList(bench, `${CREDITS}?${filters}`)
    assert.deepEqual(sessionIdsOf(data), expected, filters)
  }
  const { data } = await readList(bench, `${CREDITS}?limit=4`)
  assert.deepEqual(sessionIdsOf(data), [elsewhere, late, rest, part])
})

test('money assigned to a payment is found among the credits of that payment', async () => {
  const { accountNumber } = await createAccount(bench)
  const payment = await startPayment(bench, { amount: 80 })
  const stray = await credit(bench, UNKNOWN_NUMBER, '80.00')
  await desk.assign(stray, { paymentId: payment.paymentReference })

  const { data } = await readList(
    bench,
    `${CREDITS}?paymentReference=${payment.paymentReference}&outcome=assigned`,
  )

  assert.deepEqual(sessionIdsOf(data), [stray])
  assert.equal(data[0].locations[0].reference, payment.paymentReference)
  assert.deepEqual((await readList(bench, `${CREDITS}?accountNumber=${accountNumber}`)).data, [])
})

test('from is inclusive and to exclusive, in any offset and with a forgotten plus', async () => {
  bench.advance(48 * 60 * MINUTE_MS)
  const { accountNumber } = await createAccount(bench)
  const day = bench.clock().toISOString().slice(0, 10)
  const first = await credit(bench, accountNumber, '1.00')
  const firstAt = bench.clock()
  bench.advance(MINUTE_MS)
  const second = await credit(bench, accountNumber, '2.00')
  const secondAt = bench.clock()
  bench.advance(MINUTE_MS)
  const third = await credit(bench, accountNumber, '3.00')
  const inLagos = (at: Date) =>
    new Date(at.getTime() + 3_600_000).toISOString().replace('Z', '000 01:00')
  const inUtc = (at: Date) => at.toISOString()

  const cases: [string, string[]][] = [
    [`from=${inUtc(secondAt)}`, [third, second]],
    [`to=${inUtc(secondAt)}&from=${day}`, [first]],
    [`from=${inUtc(firstAt)}&to=${inUtc(secondAt)}`, [first]],
    [`from=${encodeURIComponent(inLagos(secondAt))}`, [third, second]],
    [`from=${inLagos(secondAt).replace(' ', '%2B')}`, [third, second]],
    [`from=${inLagos(secondAt).replace(' ', '+')}`, [third, second]],
    [`from=${day}&to=${inUtc(secondAt)}&accountNumber=${accountNumber}`, [first]],
    ['from=2031-01-01', []],
    ['to=2001-01-01T00:00Z', []],
  ]
  for (const [window, expected] of cases) {
    const { data } = await readList(bench, `${CREDITS}?${window}`)
    assert.deepEqual(sessionIdsOf(data), expected, window)
  }
})

test('a page that an index narrows is read to its end, whatever else it filters by', async () => {
  const viewer = { id: 1n as ClientId, isOperator: false }
  const db = { query: () => Promise.reject(new Error('looked for the end of the scan')) } as never
  for (const key of ['sessionId', 'sessionIdPrefix', 'accountNumber', 'merchantRef']) {
    const filters = { [key]: '0581234567', minKobo: kobo(100n) }
    assert.equal(await endOfScan(db, { viewer, filters }), undefined, key)
  }
  const filters = { minKobo: kobo(100n) }
  await assert.rejects(endOfScan(db, { viewer, filters }), /looked for the end/)
})

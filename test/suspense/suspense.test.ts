// The suspense desk: suspended money is listed with its reason, payer and age, and assigned or returned;
// once, with an audit log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  balanceOf,
  createAccount,
  databaseText,
  dataOf,
  MINUTE_MS,
  startPayment,
  TIMESTAMP,
  UNKNOWN_REFERENCE,
  verify,
} from '../support/fixtures.ts'
import { reportCredit } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { storedId } from '../support/shown-ids.ts'
import {
  assign,
  auditLogFor,
  giveBack,
  listItems,
  NOBODYS_NUMBER,
  readItem,
  SUSPENSE,
  suspend,
} from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const other = await bench.newClient('OTHER00001')

const ids = (items: { id: number }[]) => items.map((item) => item.id)
const newestFirst = (one: number, other: number) =>
  Number(storedId('suspense', other) - storedId('suspense', one))
const refused = (answer: Parameters<typeof assertRefused>[0], status: number, code: string) =>
  assertRefused(answer, { status, code })

test('an item tells why, whose, since when, and its payer masked', async () => {
  const { id, sessionId } = await suspend(bench, NOBODYS_NUMBER, '1500.50', {
    sourceAccountNumber: '2093566866',
    sourceAccountName: 'SEYI OLUFEMI',
    sourceBankCode: '033',
    narration: 'Rent',
  })
  bench.advance(90 * 1000)

  const { creditId, openedAt, ...item } = await readItem(bench, id)

  assert(Number.isSafeInteger(creditId))
  assert.match(openedAt, TIMESTAMP)
  assert.deepEqual(item, {
    id,
    amount: 1500.5,
    currency: 'NGN',
    reason: 'unknown_number',
    state: 'open',
    sessionId,
    bankCode: '035',
    accountNumber: NOBODYS_NUMBER,
    sourceAccountName: 'SEYI OLUFEMI',
    sourceAccountNumberMasked: '******6866',
    sourceBankCode: '033',
    narration: 'Rent',
    paymentReference: null,
    assignedTo: null,
    returnReference: null,
    bankReference: null,
    failureReason: null,
    closedAt: null,
    ageSeconds: 90,
    originalAmount: 1500.5,
    history: [],
  })
})

test('the list is newest first, by state and by reason, page by page', async () => {
  const { bankAccount, paymentReference } = await startPayment(bench, { amount: 10 })
  await reportCredit(bench, { accountNumber: bankAccount, amount: '10' })
  const paidTwice = await suspend(bench, bankAccount, '10')
  const first = await suspend(bench, NOBODYS_NUMBER, '1')
  const second = await suspend(bench, NOBODYS_NUMBER, '2')
  await giveBack(bench, second.id)

  const open = ids(await listItems(bench, '&state=open'))
  const returned = ids(await listItems(bench, '&state=returned'))
  const [twice, ...more] = await listItems(bench, '&reason=already_paid&state=open')

  assert(open.includes(first.id) && open.includes(paidTwice.id) && !open.includes(second.id))
  assert.deepEqual(open, open.toSorted(newestFirst))
  assert(returned.includes(second.id) && !returned.includes(first.id))
  assert.deepEqual([twice.id, twice.paymentReference, more], [paidTwice.id, paymentReference, []])

  const all = ids(await listItems(bench))
  const walked: number[] = []
  for (let cursor = ''; ; ) {
    const url = `${SUSPENSE}?limit=2${cursor && `&cursor=${cursor}`}`
    const { data, hasMore, nextCursor } = (await bench.call({ url })).json()
    walked.push(...ids(data))
    if (!hasMore) break
    cursor = nextCursor
  }
  assert.deepEqual(walked, all)
})

test('a filter that is not known or not right is refused by name', async () => {
  const bad = [
    'state=lost',
    'reason=Drop%20table',
    'limit=0',
    'limit=101',
    'sessionId=1',
    'cursor=x',
  ]

  for (const query of bad) {
    const answer = await bench.call({ url: `${SUSPENSE}?${query}` })
    assert.equal(answer.statusCode, 400, query)
    assertRefused(answer)
  }
})

test('a client sees and moves only its own money; unidentified money only an operator', async () => {
  const nobodys = await suspend(bench, NOBODYS_NUMBER, '5')
  const theirs = await createAccount(bench, {}, { token: other })
  await bench.db.query(
    'update collection_accounts set is_active = false where account_number = $1',
    [theirs.accountNumber],
  )
  const their = await suspend(bench, theirs.accountNumber, '6')
  const mine = await startPayment(bench, { amount: 1 })
  await reportCredit(bench, { accountNumber: mine.bankAccount, amount: '1' })
  const my = await suspend(bench, mine.bankAccount, '7')

  const seen = ids(await listItems(bench, '', other))

  assert.deepEqual(seen, [their.id])
  const missing = await bench.call({ url: `${SUSPENSE}/999999999`, token: other })
  refused(missing, 404, 'suspense_not_found')
  for (const { id } of [nobodys, my]) {
    assertAlike(await bench.call({ url: `${SUSPENSE}/${id}`, token: other }), missing)
    const to = { accountNumber: theirs.accountNumber }
    refused(await assign(bench, id, to, { token: other }), 404, 'suspense_not_found')
    refused(await giveBack(bench, id, {}, { token: other }), 404, 'suspense_not_found')
  }
  assert(!ids(await listItems(bench)).includes(their.id), 'an operator minds its own too')
  refused(await giveBack(bench, their.id), 404, 'suspense_not_found')
  for (const state of [nobodys, my]) assert.equal((await readItem(bench, state.id)).state, 'open')
})

test('unidentified money goes to the collection account it was meant for, with an audit entry', async () => {
  const { accountNumber } = await createAccount(bench)
  const { id } = await suspend(bench, NOBODYS_NUMBER, '250.25')
  const note = 'Payer sent a photo of the transfer'

  const item = dataOf(await assign(bench, id, { accountNumber, note }))

  assert.deepEqual([item.state, item.assignedTo], ['assigned', accountNumber])
  assert.match(item.closedAt, TIMESTAMP)
  assert.equal(await balanceOf(bench, accountNumber), 250.25)
  assert.deepEqual(await auditLogFor(bench, id), [
    { by: 'MAN0000001', action: 'suspense.assign', detail: { accountNumber, note } },
  ])
})

test('suspended money completes a payment, and the payment is Successful', async () => {
  const payment = await startPayment(bench, { amount: 100 })
  await reportCredit(bench, { accountNumber: payment.bankAccount, amount: '40' })
  const { id } = await suspend(bench, NOBODYS_NUMBER, '60')
  const { paymentReference } = payment
  const spelt = paymentReference.replaceAll('-', '').toUpperCase()

  const item = dataOf(await assign(bench, id, { paymentReference: spelt }))

  assert.deepEqual([item.state, item.assignedTo], ['assigned', paymentReference])
  const { transactionStatus, amountCollected } = await verify(bench, paymentReference)
  assert.deepEqual([transactionStatus, amountCollected], ['Successful', 100])
})

test('repeating an assignment changes nothing; to another target it is refused', async () => {
  const [one, two] = [await createAccount(bench), await createAccount(bench)]
  const { id } = await suspend(bench, NOBODYS_NUMBER, '9')
  await assign(bench, id, { accountNumber: one.accountNumber })
  const before = await databaseText(bench)

  const again = await assign(bench, id, { accountNumber: one.accountNumber, note: 'again' })

  assert.equal(dataOf(again).assignedTo, one.accountNumber)
  refused(await assign(bench, id, { accountNumber: two.accountNumber }), 409, 'suspense_closed')
  refused(await giveBack(bench, id), 409, 'suspense_closed')
  assert.equal(await databaseText(bench), before)
})

test('money that does not fit a payment is refused, and stays where it is', async () => {
  const { id } = await suspend(bench, NOBODYS_NUMBER, '60')
  const dollars = await suspend(bench, NOBODYS_NUMBER, '60', { currency: 'USD' })
  const smaller = await startPayment(bench, { amount: 59.99 })
  const exact = await startPayment(bench, { amount: 61, amountPolicy: 'exact' })
  const paid = await startPayment(bench, { amount: 60 })
  await reportCredit(bench, { accountNumber: paid.bankAccount, amount: '60' })
  const cancelled = await startPayment(bench, { amount: 60 })
  const url = `/Payment/advice/${cancelled.adviceReference}/cancel`
  assert.equal((await bench.call({ method: 'POST', url })).statusCode, 200)
  const account = await createAccount(bench)
  const before = await databaseText(bench)

  for (const { paymentReference } of [smaller, exact, paid, cancelled]) {
    refused(await assign(bench, id, { paymentReference }), 409, 'suspense_not_fitting')
  }
  const { accountNumber } = account
  refused(await assign(bench, dollars.id, { accountNumber }), 409, 'suspense_not_fitting')
  assert.equal(await databaseText(bench), before)
})

test('a target that is not there, or another client’s, is not found', async () => {
  const paid = await startPayment(bench, { amount: 1 })
  await reportCredit(bench, { accountNumber: paid.bankAccount, amount: '1' })
  const mine = await suspend(bench, paid.bankAccount, '5')
  const theirs = await createAccount(bench, {}, { token: other })
  const dynamic = await startPayment(bench)
  const before = await databaseText(bench)

  const targets: [object, string][] = [
    [{ accountNumber: theirs.accountNumber }, 'account_not_found'],
    [{ accountNumber: NOBODYS_NUMBER }, 'account_not_found'],
    [{ accountNumber: dynamic.bankAccount }, 'account_not_found'],
    [{ paymentReference: UNKNOWN_REFERENCE }, 'payment_not_found'],
    [{ paymentReference: 'not-a-reference' }, 'payment_not_found'],
    [{ paymentReference: dynamic.adviceReference }, 'payment_not_found'],
  ]
  for (const [target, code] of targets) refused(await assign(bench, mine.id, target), 404, code)
  assert.equal(await databaseText(bench), before)
})

test('a body that is not right is refused with its fields, an id that is none is not found', async () => {
  const { id } = await suspend(bench, NOBODYS_NUMBER, '5')
  const { accountNumber } = await createAccount(bench)
  const paymentReference = UNKNOWN_REFERENCE
  const bodies: object[] = [
    {},
    { accountNumber, paymentReference },
    { accountNumber: '123' },
    { accountNumber: Number(accountNumber) },
    { accountNumber: null },
    { accountNumber, amount: '5' },
    { accountNumber, note: '' },
    { accountNumber, note: 'a\u0000b' },
    { accountNumber, note: 'x'.repeat(501) },
    [],
  ]

  for (const body of bodies) {
    const answer = await assign(bench, id, body)
    assert.equal(answer.statusCode, 400, JSON.stringify(body))
    assertRefused(answer, { code: 'invalid_request' })
  }
  refused(await giveBack(bench, id, { amount: '1' }), 400, 'invalid_request')
  for (const bad of ['0', '-1', '1e3', 'abc', '9'.repeat(30), '1%00', "1'--"]) {
    refused(await assign(bench, bad, { accountNumber }), 404, 'suspense_not_found')
    refused(await giveBack(bench, bad), 404, 'suspense_not_found')
  }
  assert.equal((await readItem(bench, id)).state, 'open')
})

test('money from unicode payers at a time that goes backwards is still listed plainly', async () => {
  const name = 'Ọlọ́runfẹ́mi \u202eEVIL\u202c 🦁'
  const { id } = await suspend(bench, NOBODYS_NUMBER, '5', {
    sourceAccountName: name,
    sourceAccountNumber: '12',
    narration: `\u0000${'🦁'.repeat(300)}\ud800`,
  })
  bench.advance(-10 * MINUTE_MS)

  const item = await readItem(bench, id)

  bench.advance(10 * MINUTE_MS)
  assert.equal(item.sourceAccountName, 'Ọlọ́runfẹ́mi  EVIL  🦁')
  assert.equal(item.sourceAccountNumberMasked, '**')
  assert(item.narration.isWellFormed() && item.narration.length <= 200)
  assert(item.ageSeconds >= 0, `${item.ageSeconds} seconds old`)
})

test('after all tests of this file the books add up', () => assertCleanBooks(bench))

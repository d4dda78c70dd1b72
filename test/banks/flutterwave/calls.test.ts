// Calls to Flutterwave about money and accounts, and how the connector reads its answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../scripted-bank.ts'
import { answering, no, ok } from './scripted-flutterwave.ts'

const REFERENCE = '019a8a3c-0000-7000-8000-000000000001'
const NUMBER = '9930000737'
const ROW = {
  id: 285_959_875,
  tx_ref: REFERENCE,
  amount: 1000,
  charged_amount: 1000,
  app_fee: 14,
  currency: 'NGN',
  status: 'successful',
  payment_type: 'bank_transfer',
  created_at: '2026-01-01T12:00:00.000Z',
}
const META = {
  originatoraccountnumber: '123*******90',
  originatorname: 'ADA OBI',
  bankname: 'UNITED BANK FOR AFRICA',
}
const one = { kind: 'bank_reference', value: String(ROW.id) } as const
const VERIFY = `GET /v3/transactions/${ROW.id}/verify`
const reservations = {
  numberOf: async (reference: string) => (reference === REFERENCE ? NUMBER : undefined),
  referenceOf: async (accountNumber: string) => (accountNumber === NUMBER ? REFERENCE : undefined),
}

// Asks the connector for one transfer, with this answer of Flutterwave.
async function findWith(answer: Answer) {
  await using bank = await answering({ [VERIFY]: answer })
  return await bank.calls.findTransfer(one, { reservations })
}

// Returns the transfer as the connector reads it from a successful answer.
async function findItem(transaction: object) {
  const answer = await findWith(ok(transaction))
  assert(answer.status === 'found' && answer.items[0])
  return answer.items[0]
}

test('a transaction is found by its id, in naira, for the account that its tx_ref names', async () => {
  await using bank = await answering({ [VERIFY]: ok({ ...ROW, meta: META }) })

  const answer = await bank.calls.findTransfer(one, { reservations })

  assert(answer.status === 'found' && answer.items[0]?.ok)
  const { credit } = answer.items[0]
  assert.deepEqual([credit.sessionId, credit.identifiedBy], ['285959875', 'bank_reference'])
  assert.equal(credit.accountNumber, NUMBER)
  assert.equal(credit.amountKobo, 100_000n)
  assert.equal(credit.charges?.feeKobo, 1_400n)
  assert.deepEqual([credit.sourceAccountName, credit.sourceBankCode], ['ADA OBI', '033'])
  assert.equal(credit.sourceAccountNumber, null, 'masked')
  assert.equal(bank.asked[0]?.headers.authorization, 'Bearer FLWSECK_TEST-sample-1')
  const bySession = { kind: 'session_id', value: one.value } as const
  assert.equal((await bank.calls.findTransfer(bySession, {})).status, 'not_found')
  assert.equal(bank.asked.length, 1)
})

test('kobo, a fee that the payer bears, and a fee of more than two decimals are exact', async () => {
  // Returns the amount and the fee that the connector reads from a changed transaction.
  const amounts = async (change: object) => {
    const item = await findItem({ ...ROW, ...change })
    assert(item.ok)
    return [item.credit.amountKobo, item.credit.charges?.feeKobo ?? 0n]
  }
  const odd = { amount: 100.05, charged_amount: 100.05, app_fee: 0.07 }
  assert.deepEqual(await amounts(odd), [10_005n, 7n])
  const borne = { amount: 100, charged_amount: 101.4, app_fee: 1.4, amount_settled: 100 }
  assert.deepEqual(await amounts(borne), [10_140n, 140n])
  const long = { amount: 12345.67, charged_amount: 12345.67, app_fee: 172.83938 }
  assert.deepEqual(await amounts(long), [1_234_567n, 17_284n])
  const settled = { app_fee: 172.839, amount_settled: 827.1606 }
  assert.deepEqual(await amounts(settled), [100_000n, 17_284n])
})

test('the settled amount decides what was withheld, and none means nothing', async () => {
  const item = await findItem({ ...ROW, app_fee: 14, amount_settled: 1000 })
  assert(item.ok && item.credit.charges === undefined)
})

for (const [what, answer, expected] of [
  ['pending', ok({ ...ROW, status: 'pending' }), 'in_progress'],
  ['failed', ok({ ...ROW, status: 'failed' }), 'not_found'],
  ['unknown', no(400, 'No transaction was found for this id'), 'not_found'],
  ['refused', no(400, 'Invalid merchant'), 'no_answer'],
  ['unknown to a gateway', { status: 404, body: {} }, 'no_answer'],
  ['another', ok({ ...ROW, id: 5 }), 'no_answer'],
  ['without a status', ok({ ...ROW, status: undefined }), 'no_answer'],
] as const) {
  test(`a transaction that is ${what} is ${expected}`, async () => {
    assert.equal((await findWith(answer)).status, expected)
  })
}

for (const reference of ['ORDER-17', NUMBER, undefined, 5]) {
  test(`money under the tx_ref ${reference}, which is no reservation, is kept with it`, async () => {
    const item = await findItem({ ...ROW, tx_ref: reference, narration: 'x' })
    assert(!item.ok)
    assert.deepEqual([item.code, item.money?.amount], ['invalid_account_number', '1000'])
    assert.equal(item.sessionId, one.value)
    const text = { id: one.value, tx_ref: reference, amount: 1000, currency: 'NGN' }
    assert.deepEqual(item.money?.text, JSON.stringify(text))
  })
}

test('money whose account cannot be looked up is stored for an operator', async () => {
  await using bank = await answering({ [VERIFY]: ok(ROW) })
  const answer = await bank.calls.findTransfer(one, {})
  assert(answer.status === 'found' && answer.items[0]?.ok === false && answer.items[0].money)
})

test('a card payment is no credit, and another status is kept', async () => {
  const card = await findItem({ ...ROW, payment_type: 'card' })
  assert(!card.ok && card.money === null)
  const odd = await findItem({ ...ROW, status: 'on-hold' })
  assert(!odd.ok && odd.code === 'not_a_credit' && odd.money)
})

const window = {
  from: new Date('2026-01-01T11:45:00Z'),
  to: new Date('2026-01-01T23:30:00Z'),
  accountNumber: null,
  cursor: null,
}
// Returns a transaction of this time of day.
const transactionAt = (time: string, change: object = {}) => ({
  ...ROW,
  id: Number(time.replace(/\D/g, '')),
  created_at: `2026-01-01T${time}.000Z`,
  ...change,
})
// Returns the part of an answer that says how many rows and pages there are.
const pages = (total: number) => ({ meta: { page_info: { total, total_pages: total } } })

// Lists transfers with these rows as Flutterwave's answer. Returns their ids, the cursor and the query that
// was sent.
async function listWith(query: object, rows: object[], more: object = {}) {
  await using bank = await answering({ 'GET /v3/transactions': ok(rows, more) })
  const answer = await bank.calls.listTransfers({ ...window, ...query }, { reservations })
  assert(answer.status === 'listed')
  const parameters = new URLSearchParams(bank.asked[0]?.line.split('?')[1])
  const ids = answer.items.map((item) => (item.ok ? item.credit.sessionId : item.code))
  return { ids, next: answer.nextCursor, query: Object.fromEntries(parameters) }
}

test('a window is listed by days, with a day to spare, and holds what is paid within it', async () => {
  const rows = [
    transactionAt('11:44:59'),
    transactionAt('11:45:00'),
    transactionAt('12:00:01', { status: 'pending' }),
    transactionAt('12:00:02', { status: 'failed' }),
    transactionAt('12:00:03', { tx_ref: 'ORDER-17' }),
    transactionAt('23:30:00'),
    transactionAt('23:30:01'),
  ]
  const { ids, query } = await listWith({}, rows, pages(1))
  assert.deepEqual(ids, ['114500', 'invalid_account_number', '233000'])
  assert.deepEqual(query, { from: '2026-01-01', to: '2026-01-02', page: '1' })
})

test('one account is listed by its tx_ref, and no other’s money with it', async () => {
  const rows = [transactionAt('12:00:00'), transactionAt('12:00:01', { tx_ref: 'ORDER-17' })]
  const { ids, query } = await listWith({ accountNumber: NUMBER, cursor: '3' }, rows, pages(3))
  assert.deepEqual(ids, ['120000'])
  assert.deepEqual([query.tx_ref, query.page], [REFERENCE, '3'])
})

test('pages are read to the last, or until rows in order are past the window', async () => {
  const nextOf = async (rows: object[], more: object = pages(9)) =>
    (await listWith({ cursor: '2' }, rows, more)).next
  const inside = [transactionAt('12:00:00'), transactionAt('12:00:01')]
  assert.equal(await nextOf(inside), '3')
  assert.equal(await nextOf(inside, {}), '3')
  assert.equal(await nextOf(inside, pages(2)), null)
  assert.equal(await nextOf([], {}), null)
  assert.equal(
    await nextOf([transactionAt('12:00:00'), transactionAt('11:44:59')]),
    null,
    'newest first',
  )
  assert.equal(
    await nextOf([transactionAt('12:00:00'), transactionAt('23:30:01')]),
    null,
    'oldest first',
  )
  assert.equal(
    await nextOf([transactionAt('11:40:00'), transactionAt('11:44:59')]),
    '3',
    'not yet there',
  )
  assert.equal(
    await nextOf([transactionAt('12:00:00'), transactionAt('12:30:00'), transactionAt('11:44:59')]),
    '3',
    'in no order',
  )
  assert.equal(
    await nextOf([transactionAt('12:00:00'), { ...ROW, created_at: 'x' }]),
    '3',
    'no time',
  )
})

test('a response without a list does not count as an answer', async () => {
  await using bank = await answering({ 'GET /v3/transactions': ok({}) })
  assert.equal((await bank.calls.listTransfers(window, {})).status, 'no_answer')
})

const customer = { name: 'Ada Ngozi Obi', email: null, phone: null, bvn: '22212345654', nin: null }
const reservation = {
  kind: 'static',
  reference: REFERENCE,
  accountName: 'Shop/Ada Obi',
  customer,
} as const
const ACCOUNT = {
  response_code: '02',
  response_message: 'Transaction in progress',
  order_ref: 'URF_1',
  account_number: NUMBER,
  bank_name: 'WEMA BANK',
}
const RESERVE = 'POST /v3/virtual-account-numbers'

test('an account is reserved for a customer with a BVN, under our reference', async () => {
  await using bank = await answering({ [RESERVE]: ok(ACCOUNT) })
  assert.deepEqual(await bank.calls.reserveAccount(reservation, {}), {
    status: 'reserved',
    accountNumber: NUMBER,
    accountName: 'Shop/Ada Obi',
  })
  const named = { ...customer, name: 'Ada', email: 'ada@example.com', phone: '08012345678' }
  await bank.calls.reserveAccount({ ...reservation, customer: named }, {})
  const plain = { is_permanent: true, bvn: '22212345654', tx_ref: REFERENCE }
  assert.deepEqual(
    bank.asked.map(({ body }) => body),
    [
      {
        ...plain,
        email: `${REFERENCE}@customers.example.com`,
        firstname: 'Ada',
        lastname: 'Ngozi Obi',
        narration: 'Shop/Ada Obi',
      },
      {
        ...plain,
        email: 'ada@example.com',
        phonenumber: '08012345678',
        firstname: 'Ada',
        lastname: 'Ada',
        narration: 'Shop/Ada Obi',
      },
    ],
  )
})

test('an account is refused without a BVN, or where Flutterwave says so', async () => {
  // Reserves an account. Returns the status, the reason for a refusal, and the number of requests.
  const reserve = async (answer: Answer, bvn: string | null = '22212345654') => {
    await using bank = await answering({ [RESERVE]: answer })
    const request = { ...reservation, customer: { ...customer, bvn } }
    const reserved = await bank.calls.reserveAccount(request, {})
    return [reserved.status, 'reason' in reserved && reserved.reason, bank.asked.length]
  }
  const needed = 'Flutterwave needs the BVN of the customer.'
  assert.deepEqual(await reserve(ok(ACCOUNT), null), ['refused', needed, 0])
  const invalid = no(400, 'Invalid BVN')
  assert.deepEqual(await reserve(invalid), ['refused', 'Invalid BVN', 1])
  const failed = { ...ACCOUNT, response_code: 'RR', response_message: 'BVN does not match' }
  assert.deepEqual(await reserve(ok(failed)), ['refused', 'BVN does not match', 1])
  const { account_number: _, ...nameless } = ACCOUNT
  assert.equal((await reserve(ok(nameless)))[0], 'refused')
})

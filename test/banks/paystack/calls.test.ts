// Calls to Paystack about money and accounts, and how the connector reads its answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../../support/running-service.ts'
import type { Answer } from '../scripted-bank.ts'
import { answering, no, ok } from './scripted-paystack.ts'

const ROW = {
  id: 1,
  status: 'success',
  reference: 'zuz8ggd1ro',
  amount: 100_000,
  channel: 'dedicated_nuban',
  currency: 'NGN',
  paid_at: '2026-01-01T12:00:00.000Z',
  fees: 1_500,
}
const AUTHORIZATION = {
  channel: 'dedicated_nuban',
  sender_name: 'ADA OBI',
  receiver_bank_account_number: '9930000737',
}
const one = { kind: 'bank_reference', value: ROW.reference } as const
const VERIFY = `GET /transaction/verify/${ROW.reference}`

test('a transaction is found by its reference', async () => {
  await using bank = await answering({ [VERIFY]: ok({ ...ROW, authorization: AUTHORIZATION }) })

  const answer = await bank.calls.findTransfer(one, {})

  assert(answer.status === 'found' && answer.items[0]?.ok)
  const { credit } = answer.items[0]
  assert.equal(credit.sessionId, ROW.reference)
  assert.equal(credit.identifiedBy, 'bank_reference')
  assert.equal(credit.accountNumber, '9930000737')
  assert.equal(credit.amountKobo, 100_000n)
  assert.equal(credit.charges?.feeKobo, 1_500n)
  assert.equal(bank.asked[0]?.headers.authorization, 'Bearer sk_test_sample-secret-key-1')
  const bySession = { kind: 'session_id', value: ROW.reference } as const
  assert.equal((await bank.calls.findTransfer(bySession, {})).status, 'not_found')
  assert.equal(bank.asked.length, 1)
})

for (const [what, answer, expected] of [
  ['pending', ok({ ...ROW, status: 'pending' }), 'in_progress'],
  ['queued', ok({ ...ROW, status: 'queued' }), 'in_progress'],
  ['abandoned', ok({ ...ROW, status: 'abandoned' }), 'not_found'],
  ['failed', ok({ ...ROW, status: 'failed' }), 'not_found'],
  ['unknown', no(400, 'Transaction reference not found'), 'not_found'],
  ['unknown with 404', no(404, 'Transaction not found'), 'not_found'],
  ['refused', no(400, 'Invalid Merchant Selected'), 'no_answer'],
  ['another', ok({ ...ROW, reference: 'another' }), 'no_answer'],
] as const) {
  test(`a transaction that is ${what} is ${expected}`, async () => {
    await using bank = await answering({ [VERIFY]: answer })
    assert.equal((await bank.calls.findTransfer(one, {})).status, expected)
  })
}

test('money without an account number is stored for an operator', async () => {
  await using bank = await answering({ [VERIFY]: ok(ROW) })
  const answer = await bank.calls.findTransfer(one, {})
  assert(answer.status === 'found' && answer.items[0]?.ok === false)
  assert.deepEqual(
    [answer.items[0].code, answer.items[0].money?.amount],
    ['invalid_account_number', '1000.00'],
  )
})

const window = { from: new Date(START.getTime() - 1_000), to: START }

test('a window is listed by pages, each row with the details of its transaction', async () => {
  await using bank = await answering({
    'GET /transaction': ok(Array.from({ length: 20 }, () => ROW)),
    [VERIFY]: ok({ ...ROW, authorization: AUTHORIZATION }),
  })
  let turns = 0
  const takeTurn = async () => ++turns > 0

  const answer = await bank.calls.listTransfers(
    { ...window, accountNumber: '9930000737', cursor: '3' },
    { takeTurn },
  )

  assert(answer.status === 'listed')
  assert.equal(answer.nextCursor, '4')
  assert.equal(answer.items.filter(({ ok }) => ok).length, 20)
  assert.equal(turns, 20)
  const query = new URLSearchParams(bank.asked[0]?.line.split('?')[1])
  assert.deepEqual(Object.fromEntries(query), {
    perPage: '20',
    page: '3',
    from: '2026-11-15T07:59:59.000Z',
    to: '2026-11-15T08:00:00.000Z',
    status: 'success',
    channel: 'dedicated_nuban',
    virtual_account_number: '9930000737',
  })
})

test('a row with the account number needs no further call, and ends a short page', async () => {
  await using bank = await answering({
    'GET /transaction': ok([{ ...ROW, authorization: AUTHORIZATION }]),
  })
  const answer = await bank.calls.listTransfers(
    { ...window, accountNumber: null, cursor: null },
    {},
  )
  assert(answer.status === 'listed' && answer.nextCursor === null && answer.items[0]?.ok)
  assert.equal(bank.asked.length, 1)
})

test('a row of a list for one account belongs to it, even if its transaction does not say so', async () => {
  const query = { ...window, accountNumber: '9930000737', cursor: null }
  for (const details of [ok(ROW), no(404, 'none')]) {
    await using bank = await answering({ 'GET /transaction': ok([ROW]), [VERIFY]: details })
    const answer = await bank.calls.listTransfers(query, {})
    assert(answer.status === 'listed' && answer.items[0]?.ok)
    assert.equal(answer.items[0].credit.accountNumber, '9930000737')
  }
})

test('a page of which one transaction gives no answer, or has no turn, is none', async () => {
  const query = { ...window, accountNumber: null, cursor: null }
  const list = { 'GET /transaction': ok([ROW]) }
  await using bank = await answering({ ...list, [VERIFY]: { status: 503, body: {} } })
  assert.equal((await bank.calls.listTransfers(query, {})).status, 'no_answer')
  await using busy = await answering({ ...list, [VERIFY]: ok(ROW) })
  const takeTurn = async () => false
  assert.equal((await busy.calls.listTransfers(query, { takeTurn })).status, 'no_answer')
  assert.equal(busy.asked.length, 1)
})

const customer = { name: 'Ada Obi', email: 'ada@example.com', bvn: '22212345654', nin: null }
const reservation = {
  kind: 'static',
  reference: '019a8a3c-0000-7000-8000-000000000001',
  accountName: 'Ada Obi Shop',
  customer: { ...customer, phone: '08012345678' },
} as const
const ACCOUNT = {
  bank: { name: 'Titan', id: 1, slug: 'titan-paystack' },
  account_name: 'SHOP / ADA OBI SHOP',
  account_number: '9930000737',
  assigned: true,
  active: true,
  id: 253,
}

test('an account is reserved for a customer of its own', async () => {
  await using bank = await answering({
    'POST /customer': ok({ customer_code: 'CUS_1' }),
    'POST /dedicated_account': ok(ACCOUNT),
  })
  assert.deepEqual(await bank.calls.reserveAccount(reservation, {}), {
    status: 'reserved',
    accountNumber: '9930000737',
    accountName: 'SHOP / ADA OBI SHOP',
  })
  assert.deepEqual(
    bank.asked.map(({ body }) => body),
    [
      {
        email: '019a8a3c-0000-7000-8000-000000000001@customers.example.com',
        first_name: 'Ada',
        last_name: 'Obi Shop',
        phone: '+2348012345678',
      },
      { customer: 'CUS_1', preferred_bank: 'titan-paystack' },
    ],
  )
})

test('an account is refused without a phone number, or where Paystack says so', async () => {
  // Reserves an account. Returns the status, the reason for a refusal, and the number of requests.
  const reserve = async (answers: Record<string, Answer>, phone: string | null = '08012345678') => {
    await using bank = await answering(answers)
    const answer = await bank.calls.reserveAccount(
      { ...reservation, customer: { ...customer, phone } },
      {},
    )
    return [answer.status, 'reason' in answer && answer.reason, bank.asked.length]
  }
  const made = { 'POST /customer': ok({ customer_code: 'CUS_1' }) }
  const needed = 'Paystack needs the phone number of the customer.'
  assert.deepEqual(await reserve(made, null), ['refused', needed, 0])
  const email = no(400, 'Email is invalid')
  assert.deepEqual(await reserve({ 'POST /customer': email }), ['refused', 'Email is invalid', 1])
  const unchecked = no(400, 'Customer has not been validated')
  const words = 'Customer has not been validated'
  assert.deepEqual(await reserve({ ...made, 'POST /dedicated_account': unchecked }), [
    'refused',
    words,
    2,
  ])
  const idle = { ...made, 'POST /dedicated_account': ok({ ...ACCOUNT, active: false }) }
  assert.equal((await reserve(idle))[0], 'refused')
})

// What Paystack is asked, and how its answers are read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAnswer } from '#banks/connector.ts'
import { kobo } from '#money.ts'
import { START } from '../../support/running-service.ts'
import { connect } from '../connector-bench.ts'
import { type FullCase, fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { PAYSTACK } from './conformance-case.ts'

const FULL = fullCase(PAYSTACK)
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

const ok = (data: unknown): Answer => ({ body: { status: true, message: 'done', data } })
const no = (status: number, message: string): Answer => ({
  status,
  body: { status: false, message },
})

function answering(answers: Record<string, Answer>, each: FullCase = FULL) {
  return startScriptedBank(each, ({ line }) => {
    return answers[line.replace(/\?.*$/, '')] ?? no(404, 'none')
  })
}

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

test('money of which nobody says whose number it is for is kept', async () => {
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

test('a row that names the number is asked for no further, and ends a short page', async () => {
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

test('a row of one account is its money, whatever its transaction fails to say', async () => {
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

const to = { bankCode: '100004', accountNumber: '8012345678', accountName: 'ADA OBI' }
const payout = {
  reference: 'PYT000000000000042',
  amountKobo: kobo(13_753n),
  currency: 'NGN',
  to,
  narration: 'Settlement',
}
const THEIRS = 'manilla-payout-pyt000000000000042'
const FIND = `GET /transfer/verify/${THEIRS}`
const transfer = (status: string, more: object = {}) =>
  ok({ amount: 13_753, reference: THEIRS, status, transfer_code: 'TRF_1', ...more })

async function bothWays(answer: Answer): Promise<[PayoutAnswer, PayoutAnswer]> {
  await using bank = await answering({ 'POST /transfer': answer, [FIND]: answer })
  return [await bank.calls.sendMoney(payout, {}), await bank.calls.findPayout(payout.reference, {})]
}

test('a name is asked for by the code that Paystack has for the bank', async () => {
  await using bank = await answering({ 'GET /bank/resolve': ok({ account_name: 'ADA OBI' }) })
  const found = await bank.calls.enquireName(to, {})
  assert.deepEqual(found, { status: 'found', accountName: 'ADA OBI' })
  assert.match(bank.asked[0]?.line ?? '', /\?account_number=8012345678&bank_code=999992$/)
  await using vague = await answering({
    'GET /bank/resolve': no(422, 'Could not resolve account name'),
  })
  assert.equal((await vague.calls.enquireName(to, {})).status, 'no_answer')
})

test('a payout goes to a recipient that is made first, in kobo, under a reference Paystack takes', async () => {
  await using bank = await answering({ 'POST /transfer': transfer('pending') })
  const answer = await bank.calls.sendMoney(payout, {})
  assert.deepEqual(answer, { status: 'unknown', reason: 'pending', isAccepted: true })
  assert.deepEqual(
    bank.asked.map(({ line, body }) => ({ line, ...body })),
    [
      {
        line: 'POST /transferrecipient',
        type: 'nuban',
        name: 'ADA OBI',
        account_number: '8012345678',
        bank_code: '999992',
        currency: 'NGN',
      },
      {
        line: 'POST /transfer',
        source: 'balance',
        amount: 13_753,
        recipient: 'RCP_1',
        reference: THEIRS,
        reason: 'Settlement',
        currency: 'NGN',
      },
    ],
  )
})

const WAITING = { status: 'unknown', reason: 'otp', isAccepted: true, waitsFor: 'authorization' }

for (const [status, expected] of [
  ['success', { status: 'confirmed', bankReference: 'TRF_1' }],
  ['pending', { status: 'unknown', reason: 'pending', isAccepted: true }],
  ['received', { status: 'unknown', reason: 'received', isAccepted: true }],
  ['otp', WAITING],
  ['paid', { status: 'unknown', reason: 'paid', isAccepted: true }],
  ['failed', { status: 'failed', reason: 'failed' }],
  ['reversed', { status: 'failed', reason: 'reversed' }],
  ['abandoned', { status: 'failed', reason: 'abandoned' }],
  ['blocked', { status: 'failed', reason: 'blocked' }],
  ['rejected', { status: 'failed', reason: 'rejected' }],
] as const) {
  test(`a transfer that is ${status} is ${expected.status}`, async () => {
    assert.deepEqual(await bothWays(transfer(status, { failures: null })), [expected, expected])
  })
}

for (const [what, answer] of [
  ['repeats another reference', transfer('success', { reference: 'manilla-payout-_another' })],
  ['fails under another reference', transfer('failed', { reference: 'manilla-payout-_another' })],
  ['has no code', transfer('success', { transfer_code: null })],
  ['refuses the reference', no(400, 'Reference already exists on a transfer')],
  ['refuses the request', no(400, 'You cannot initiate third party payouts')],
] as const) {
  test(`a payout is unknown when the answer ${what}`, async () => {
    const answers = await bothWays(answer)
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['unknown', 'unknown'],
    )
  })
}

test('a transfer that failed says why, however Paystack writes it', async () => {
  const [text] = await bothWays(transfer('failed', { failures: 'Dormant account' }))
  assert.deepEqual(text, { status: 'failed', reason: 'Dormant account' })
  const [list] = await bothWays(transfer('failed', { failures: { code: 'x' } }))
  assert.deepEqual(list, { status: 'failed', reason: '{"code":"x"}' })
})

test('what the balance does not cover was never taken', async () => {
  const words = 'Your balance is not enough to fulfill this request'
  const [sent, found] = await bothWays(no(400, words))
  assert.deepEqual(sent, { status: 'failed', reason: words })
  assert.equal(found.status, 'unknown')
})

test('a transfer that Paystack does not show may yet come', async () => {
  await using bank = await answering({ [FIND]: no(404, 'Transfer not found') })
  assert.equal((await bank.calls.findPayout(payout.reference, {})).status, 'not_found')
  assert.equal(connect(FULL).connection?.notFoundIsProof, undefined)
})

const { beforeOrder: _, ...api } = FULL.api
const UNPREPARED: FullCase = { ...FULL, api }

for (const [what, answer, reason] of [
  ['is refused', no(400, 'Account number is invalid'), 'Account number is invalid'],
  ['gets no answer', { status: 503, body: {} }, 'Nothing was sent: HTTP 503'],
] as const) {
  test(`a payout whose recipient ${what} has failed: nothing was ordered`, async () => {
    await using bank = await answering({ 'POST /transferrecipient': answer }, UNPREPARED)
    assert.deepEqual(await bank.calls.sendMoney(payout, {}), { status: 'failed', reason })
    assert.equal(bank.asked.length, 1)
  })
}

test('a payout that had its recipient too late is unknown, and not ordered', async () => {
  let isLate = false
  await using bank = await startScriptedBank(UNPREPARED, () => {
    isLate = true
    return { status: 503, body: {} }
  })
  const answer = await bank.calls.sendMoney(payout, { isTooLate: () => isLate })
  assert.equal(answer.status, 'unknown')
  assert.equal(bank.asked.length, 1)
})

test('an order without a turn is not sent, and has failed', async () => {
  await using bank = await answering({ 'POST /transfer': transfer('success') })
  const answer = await bank.calls.sendMoney(payout, { takeTurn: async () => false })
  assert.equal(answer.status, 'failed')
  assert.deepEqual(
    bank.asked.map(({ line }) => line),
    ['POST /transferrecipient'],
  )
})

test('a reference that Paystack cannot take is neither sent nor asked for', async () => {
  await using bank = await answering({})
  const reference = 'PYT|1'
  assert.equal((await bank.calls.sendMoney({ ...payout, reference }, {})).status, 'failed')
  assert.equal((await bank.calls.findPayout(reference, {})).status, 'unknown')
  assert.deepEqual(bank.asked, [])
})

test('without an integration nothing is paid out, and without an email domain nothing reserved', () => {
  const callsWith = (settings: object) =>
    connect({ ...PAYSTACK, settings: { baseUrl: 'http://127.0.0.1:9', ...settings } }).connection
      ?.calls
  const plain = callsWith({})
  assert(plain?.enquireName && plain.listTransfers)
  assert(!plain.sendMoney && !plain.findPayout && !plain.reserveAccount)
  assert(callsWith({ integration: '1' })?.sendMoney)
  assert(callsWith({ emailDomain: 'a.example' })?.reserveAccount)
})

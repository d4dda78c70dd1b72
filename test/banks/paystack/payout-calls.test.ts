// Payout orders to Paystack, and which answers count as paid, failed or unknown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAnswer } from '#banks/connector.ts'
import { kobo } from '#money.ts'
import { connect } from '../connector-bench.ts'
import type { FullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { PAYSTACK } from './conformance-case.ts'
import { answering, FULL, no, ok } from './scripted-paystack.ts'

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
// Returns an answer with a transfer of this status.
const transfer = (status: string, more: object = {}) =>
  ok({ amount: 13_753, reference: THEIRS, status, transfer_code: 'TRF_1', ...more })

// Returns how the connector reads the same answer to an order and to a query.
async function readAsOrderAndQuery(answer: Answer): Promise<[PayoutAnswer, PayoutAnswer]> {
  await using bank = await answering({ 'POST /transfer': answer, [FIND]: answer })
  return [await bank.calls.sendMoney(payout, {}), await bank.calls.findPayout(payout.reference, {})]
}

test('a name enquiry uses Paystack’s code of the bank', async () => {
  await using bank = await answering({ 'GET /bank/resolve': ok({ account_name: 'ADA OBI' }) })
  const found = await bank.calls.enquireName(to, {})
  assert.deepEqual(found, { status: 'found', accountName: 'ADA OBI' })
  assert.match(bank.asked[0]?.line ?? '', /\?account_number=8012345678&bank_code=999992$/)
  await using vague = await answering({
    'GET /bank/resolve': no(422, 'Could not resolve account name'),
  })
  assert.equal((await vague.calls.enquireName(to, {})).status, 'no_answer')
})

test('a payout goes to a recipient that is made first, in kobo, under a valid reference', async () => {
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
  ['reversed', { status: 'failed', reason: 'reversed', isReversed: true }],
  ['abandoned', { status: 'failed', reason: 'abandoned' }],
  ['blocked', { status: 'failed', reason: 'blocked' }],
  ['rejected', { status: 'failed', reason: 'rejected' }],
] as const) {
  test(`a transfer that is ${status} is ${expected.status}`, async () => {
    assert.deepEqual(await readAsOrderAndQuery(transfer(status, { failures: null })), [
      expected,
      expected,
    ])
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
    const answers = await readAsOrderAndQuery(answer)
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['unknown', 'unknown'],
    )
  })
}

test('a failed transfer has a reason, in each way that Paystack writes it', async () => {
  const [text] = await readAsOrderAndQuery(transfer('failed', { failures: 'Dormant account' }))
  assert.deepEqual(text, { status: 'failed', reason: 'Dormant account' })
  const [list] = await readAsOrderAndQuery(transfer('failed', { failures: { code: 'x' } }))
  assert.deepEqual(list, { status: 'failed', reason: '{"code":"x"}' })
})

test('a payout that the balance does not cover was never taken', async () => {
  const words = 'Your balance is not enough to fulfill this request'
  const [sent, found] = await readAsOrderAndQuery(no(400, words))
  assert.deepEqual(sent, { status: 'failed', reason: words })
  assert.equal(found.status, 'unknown')
})

test('a transfer that Paystack does not show may still appear', async () => {
  await using bank = await answering({ [FIND]: no(404, 'Transfer not found') })
  assert.equal((await bank.calls.findPayout(payout.reference, {})).status, 'not_found')
  assert.equal(connect(FULL).connection?.notFoundIsProof, undefined)
})

const { beforeOrder: _, ...api } = FULL.api
const UNPREPARED: FullCase = { ...FULL, api }

for (const [what, answer, status, reason] of [
  [
    'is refused has failed',
    no(400, 'Account number is invalid'),
    'failed',
    'Account number is invalid',
  ],
  ['gets no answer', { status: 503, body: {} }, 'unsent', 'Nothing was sent: HTTP 503'],
] as const) {
  test(`a payout whose recipient ${what}: nothing was ordered`, async () => {
    await using bank = await answering({ 'POST /transferrecipient': answer }, UNPREPARED)
    assert.deepEqual(await bank.calls.sendMoney(payout, {}), { status, reason })
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

test('an order without a turn is not sent', async () => {
  await using bank = await answering({ 'POST /transfer': transfer('success') })
  const answer = await bank.calls.sendMoney(payout, { takeTurn: async () => false })
  assert.equal(answer.status, 'unsent')
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

// Payout orders to Flutterwave, and which answers count as paid, failed or unknown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAnswer } from '#banks/connector.ts'
import { kobo } from '#money.ts'
import { connect } from '../connector-bench.ts'
import type { Answer } from '../scripted-bank.ts'
import { FLUTTERWAVE } from './conformance-case.ts'
import { answering, FULL, no, ok } from './scripted-flutterwave.ts'

const payout = {
  reference: 'PYT000000000000042',
  amountKobo: kobo(13_753n),
  currency: 'NGN',
  to: { bankCode: '058', accountNumber: '0123456789', accountName: 'ADA OBI' },
  narration: 'Settlement',
}
const SEND = 'POST /v3/transfers'
const FIND = 'GET /v3/transfers'
// Returns a transfer as Flutterwave describes it, with this status.
const transfer = (status: string, more: object = {}) => ({
  id: 7,
  amount: 137.53,
  reference: payout.reference,
  status,
  ...more,
})

// Returns how the connector reads the same transfer as the answer to an order and as the answer to a query.
async function readAsOrderAndQuery(answer: object): Promise<[PayoutAnswer, PayoutAnswer]> {
  await using bank = await answering({ [SEND]: ok(answer), [FIND]: ok([answer]) })
  return [await bank.calls.sendMoney(payout, {}), await bank.calls.findPayout(payout.reference, {})]
}

// Returns how the connector reads this answer to a query of the payout.
async function find(answer: Answer): Promise<PayoutAnswer> {
  await using bank = await answering({ [FIND]: answer })
  return await bank.calls.findPayout(payout.reference, {})
}

test('a payout is sent in naira, under our reference', async () => {
  await using bank = await answering({ [SEND]: ok(transfer('NEW')) })
  const answer = await bank.calls.sendMoney(payout, {})
  assert.deepEqual(answer, { status: 'unknown', reason: 'NEW', isAccepted: true })
  assert.deepEqual(
    bank.asked.map(({ line, body }) => ({ line, ...body })),
    [
      {
        line: SEND,
        account_bank: '058',
        account_number: '0123456789',
        amount: 137.53,
        currency: 'NGN',
        narration: 'Settlement',
        reference: 'PYT000000000000042',
        debit_currency: 'NGN',
      },
    ],
  )
})

test('banks go by CBN’s three digits, all other institutions by NIP’s six', async () => {
  await using bank = await answering({
    'POST /v3/accounts/resolve': ok({ account_number: '8012345678', account_name: 'ADA OBI' }),
  })
  // Returns the bank code that the connector sends to Flutterwave for this bank.
  const codeOf = async (bankCode: string) => {
    const found = await bank.calls.enquireName({ bankCode, accountNumber: '8012345678' }, {})
    assert.deepEqual(found, { status: 'found', accountName: 'ADA OBI' })
    return bank.asked.at(-1)?.body.account_bank
  }
  assert.equal(await codeOf('058'), '058')
  assert.equal(await codeOf('000013'), '058', 'a bank named by its NIP code')
  assert.equal(await codeOf('301'), '301', 'Jaiz')
  assert.equal(await codeOf('100004'), '100004', 'OPay')
  assert.equal(await codeOf('50211'), '090267', 'Kuda')
  assert.equal(await codeOf('50515'), '090405', 'Moniepoint')
})

const WAITING = { status: 'unknown', isAccepted: true, waitsFor: 'authorization' }

for (const [what, answer, expected] of [
  ['SUCCESSFUL', transfer('SUCCESSFUL'), { status: 'confirmed', bankReference: '7' }],
  ['NEW', transfer('NEW'), { status: 'unknown', reason: 'NEW', isAccepted: true }],
  ['PENDING', transfer('PENDING'), { status: 'unknown', reason: 'PENDING', isAccepted: true }],
  ['FAILED', transfer('FAILED'), { status: 'failed', reason: 'FAILED' }],
  [
    'FAILED for a reason',
    transfer('FAILED', { complete_message: 'DISBURSE FAILED: Dormant account' }),
    { status: 'failed', reason: 'DISBURSE FAILED: Dormant account' },
  ],
  [
    'to be approved',
    transfer('PENDING', { requires_approval: 1, is_approved: 0 }),
    { ...WAITING, reason: 'PENDING' },
  ],
  [
    'new and to be approved',
    transfer('NEW', { requires_approval: 1, is_approved: 0 }),
    { ...WAITING, reason: 'NEW' },
  ],
  [
    'approved',
    transfer('PENDING', { requires_approval: 1, is_approved: 1 }),
    { status: 'unknown', reason: 'PENDING', isAccepted: true },
  ],
  ['of another word', transfer('DONE'), { status: 'unknown', reason: 'DONE', isAccepted: true }],
] as const) {
  test(`a transfer that is ${what} is ${expected.status}`, async () => {
    assert.deepEqual(await readAsOrderAndQuery(answer), [expected, expected])
  })
}

for (const [what, answer] of [
  ['repeats another reference', transfer('SUCCESSFUL', { reference: 'PYT000000000000043' })],
  ['fails under another reference', transfer('FAILED', { reference: 'PYT000000000000043' })],
  ['has no reference', transfer('SUCCESSFUL', { reference: null })],
  ['has no id', transfer('SUCCESSFUL', { id: null })],
  ['has no status', transfer('', {})],
] as const) {
  test(`a payout is unknown when the transfer ${what}`, async () => {
    const answers = await readAsOrderAndQuery(answer)
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['unknown', 'unknown'],
    )
  })
}

test('only the transfer with our reference counts, at any place in a list', async () => {
  const other = transfer('FAILED', { id: 6, reference: 'PYT000000000000041' })
  const found = await find(ok([other, transfer('SUCCESSFUL')]))
  assert.deepEqual(found, { status: 'confirmed', bankReference: '7' })
  const longer = transfer('FAILED', { reference: `${payout.reference}_1` })
  assert.equal((await find(ok([longer]))).status, 'unknown')
})

test('two transfers with our reference, or a list without it, leave a payout unknown', async () => {
  const twice = await find(ok([transfer('FAILED'), transfer('SUCCESSFUL', { id: 8 })]))
  assert.equal(twice.status, 'unknown')
  assert.equal((await find(ok([5, null, 'x']))).status, 'unknown')
  assert.equal((await find(ok({ ...transfer('SUCCESSFUL') }))).status, 'unknown')
})

test('a refused order is unknown: the reference may be one that it has', async () => {
  for (const words of ['Transfer with reference already exists', 'Insufficient funds']) {
    await using bank = await answering({ [SEND]: no(400, words) })
    const answer = await bank.calls.sendMoney(payout, {})
    assert.deepEqual(answer, { status: 'unknown', reason: words })
  }
})

test('a transfer that Flutterwave does not show may still appear', async () => {
  assert.deepEqual(await find(ok([])), { status: 'not_found' })
  assert.equal((await find(no(400, 'none'))).status, 'unknown')
  assert.equal(connect(FULL).connection?.notFoundIsProof, undefined)
})

test('without a merchant id nothing is paid out, and without an email domain nothing reserved', () => {
  const callsWith = (settings: object) =>
    connect({ ...FLUTTERWAVE, settings: { baseUrl: 'http://127.0.0.1:9', ...settings } }).connection
      ?.calls
  const plain = callsWith({})
  assert(plain?.enquireName && plain.listTransfers && plain.findTransfer)
  assert(!plain.sendMoney && !plain.findPayout && !plain.reserveAccount)
  assert(callsWith({ merchantId: '1' })?.sendMoney)
  assert(callsWith({ emailDomain: 'a.example' })?.reserveAccount)
})

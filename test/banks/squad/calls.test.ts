// Calls to Squad, and how the connector reads its answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BANKS } from '#banks/directory.ts'
import { kobo } from '#money.ts'
import { START } from '../../support/running-service.ts'
import { fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { SQUAD_BODY } from './conformance-case.ts'

// The row that Squad publishes as an example.
const ROW = {
  transaction_reference: 'REF202409181544489320003',
  virtual_account_number: '0915079300',
  principal_amount: '102.00',
  settled_amount: '101.74',
  fee_charged: '0.26',
  transaction_date: '2024-09-18T00:00:00.000Z',
  transaction_indicator: 'C',
  remarks: 'Transfer FROM TEST ACCOUNT | [0915079300] TO UDOUSORO  WILLIAM JOSEPH',
  currency: 'NGN',
  sender_name: 'TEST ACCOUNT',
  session_id: '100004240918144254119476359000',
  frozen_transaction: null,
}
// Returns a successful answer of Squad, or with `no` a refusal.
const ok = (data: unknown): Answer => ({ body: { status: 200, success: true, data } })
const no = (status: number, message: string): Answer => ({
  status,
  body: { status, success: false, message, data: {} },
})
// Starts a fake bank that gives this answer to every request.
const startBank = (answer: Answer) => startScriptedBank(fullCase(SQUAD_BODY), () => answer)
const reference = { kind: 'bank_reference', value: ROW.transaction_reference } as const

test('a transfer is found by its reference or its session id', async () => {
  await using bank = await startBank(ok({ count: 1, rows: [ROW] }))

  const answer = await bank.calls.findTransfer(reference, {})
  await bank.calls.findTransfer({ kind: 'session_id', value: ROW.session_id }, {})

  assert(answer.status === 'found' && answer.items[0]?.ok)
  const { credit } = answer.items[0]
  assert.equal(credit.sessionId, ROW.transaction_reference)
  assert.deepEqual(credit.otherIdentifiers, [{ kind: 'session_id', value: ROW.session_id }])
  assert.equal(credit.amountKobo, 10_200n)
  assert.equal(credit.charges?.feeKobo, 26n)
  assert.equal(credit.transactionDate, '2024-09-18')
  const list = 'GET /virtual-account/merchant/transactions/all'
  assert.deepEqual(
    bank.asked.map(({ line }) => line),
    [`${list}?transactionReference=${reference.value}`, `${list}?session_id=${ROW.session_id}`],
  )
  assert.equal(bank.asked[0]?.headers.authorization, 'Bearer sandbox_sk_sample-secret-key-1')
})

test('no rows are not found, and a refusal says nothing of the transfer', async () => {
  await using none = await startBank(ok({ count: 0, rows: [] }))
  assert.equal((await none.calls.findTransfer(reference, {})).status, 'not_found')
  await using refusing = await startBank(no(400, 'Merchant identifier is required'))
  assert.equal((await refusing.calls.findTransfer(reference, {})).status, 'no_answer')
})

test('a frozen transfer is kept, not booked', async () => {
  const frozen_transaction = { freeze_transaction_ref: 'afbd9b7f', reason: 'no BVN' }
  await using bank = await startBank(ok({ rows: [{ ...ROW, frozen_transaction }] }))
  const answer = await bank.calls.findTransfer(reference, {})
  assert(answer.status === 'found' && answer.items[0]?.ok === false)
  assert.equal(answer.items[0].code, 'not_booked')
  assert.equal(answer.items[0].money?.amount, '102.00')
})

test('a window is listed by pages of whole days', async () => {
  await using bank = await startBank(ok({ rows: Array.from({ length: 100 }, () => ROW) }))
  const query = { accountNumber: '0915079300', from: START, to: START, cursor: '3' }
  const answer = await bank.calls.listTransfers(query, {})
  assert(answer.status === 'listed')
  assert.equal(answer.nextCursor, '4')
  assert.match(
    bank.asked[0]?.line ?? '',
    /\?page=3&perPage=100&startDate=11-15-2026&endDate=11-15-2026&virtualAccount=0915079300&dir=ASC$/,
  )
  await using last = await startBank(ok({ rows: [ROW] }))
  const end = await last.calls.listTransfers(query, {})
  assert(end.status === 'listed' && end.nextCursor === null)
})

test('an account is created for the business', async () => {
  await using bank = await startBank(ok({ virtual_account_number: '0915079300' }))
  const customer = { name: 'ADA OBI', email: null, phone: '+2348098765432', nin: null }
  const bvn = '22212345654'
  const request = {
    kind: 'static',
    reference: 'r-1',
    accountName: 'ADA OBI',
    customer: { ...customer, bvn },
  } as const
  assert.deepEqual(await bank.calls.reserveAccount(request, {}), {
    status: 'reserved',
    accountNumber: '0915079300',
    accountName: 'ADA OBI',
  })
  assert.deepEqual(bank.asked[0]?.body, {
    customer_identifier: 'r-1',
    business_name: 'ADA OBI',
    mobile_num: '08098765432',
    beneficiary_account: '4829023412',
    bvn,
  })
  await using refusing = await startBank(no(400, 'BVN is invalid'))
  const refused = await refusing.calls.reserveAccount(request, {})
  assert.deepEqual(refused, { status: 'refused', reason: 'BVN is invalid' })

  await using unasked = await startBank(ok({ virtual_account_number: '0915079300' }))
  const nobodys = { ...request, customer: null }
  assert.equal((await unasked.calls.reserveAccount(nobodys, {})).status, 'refused')
  assert.deepEqual(unasked.asked, [])
})

const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'JENNY SQUAD' }
const payout = {
  reference: 'p-1',
  amountKobo: kobo(13_753n),
  currency: 'NGN',
  to,
  narration: 'n',
}

test('a name is asked for by the NIP code of the bank', async () => {
  await using bank = await startBank(ok({ account_name: 'JENNY SQUAD' }))
  const found = await bank.calls.enquireName(to, {})
  assert.deepEqual(found, { status: 'found', accountName: 'JENNY SQUAD' })
  assert.equal(bank.asked[0]?.body.bank_code, '000013')
  await using empty = await startBank(no(400, 'Unable to locate account'))
  assert.equal((await empty.calls.enquireName(to, {})).status, 'not_found')
})

test('a bank is named by its NIP code, and one without it is not paid', async () => {
  await using bank = await startBank(ok(PAID))
  for (const { code } of BANKS) {
    await bank.calls.sendMoney({ ...payout, to: { ...to, bankCode: code } }, {})
  }
  const codes = bank.asked.map(({ body }) => body.bank_code)
  assert.deepEqual(
    codes,
    BANKS.flatMap(({ nipCode }) => nipCode ?? []),
  )
  await using unasked = await startBank(ok(PAID))
  const unknown = { ...to, bankCode: '999' }
  const failed = await unasked.calls.sendMoney({ ...payout, to: unknown }, {})
  assert(failed.status === 'failed')
  assert.match(failed.reason, /NIP code.* bank 999 /)
  assert.equal((await unasked.calls.enquireName(unknown, {})).status, 'no_answer')
  assert.deepEqual(unasked.asked, [])
})

test('a payout goes out in kobo, under a reference that starts with our id', async () => {
  await using bank = await startBank(ok(PAID))
  const confirmed = { status: 'confirmed', bankReference: SESSION }
  assert.deepEqual(await bank.calls.sendMoney(payout, {}), confirmed)
  assert.deepEqual(await bank.calls.findPayout('p-1', {}), confirmed)
  const [sent, query] = bank.asked.map(({ body }) => body)
  assert.equal(sent?.amount, '13753')
  assert.equal(sent?.transaction_reference, 'SBABCKDY_p-1')
  assert.equal(query?.transaction_reference, 'SBABCKDY_p-1')
})

const SESSION = '110059260101120000000000000001'
const PAID = {
  transaction_reference: 'SBABCKDY_p-1',
  response_description: 'Transaction Success',
  nip_transaction_reference: SESSION,
}

for (const [what, answer, expected] of [
  ['without a session id', ok({ ...PAID, nip_transaction_reference: undefined }), 'unknown'],
  ['with an empty session id', ok({ ...PAID, nip_transaction_reference: '' }), 'unknown'],
  ['without words', ok({ nip_transaction_reference: SESSION }), 'unknown'],
  ['described otherwise', ok({ ...PAID, response_description: 'Queued' }), 'unknown'],
  ['timed out', no(424, 'Timeout'), 'unknown'],
  ['refused', no(400, 'Duplicate reference'), 'unknown'],
  ['failed', ok({ ...PAID, transaction_status: 'Failed' }), 'failed'],
  ['pending', ok({ ...PAID, transaction_status: 'pending' }), 'unknown'],
] as const) {
  test(`a payout that is ${what} is ${expected}`, async () => {
    await using bank = await startBank(answer)
    assert.equal((await bank.calls.sendMoney(payout, {})).status, expected)
    assert.equal((await bank.calls.findPayout('p-1', {})).status, expected)
  })
}

test('a reversal without a transfer settles the order that it answers, and no query', async () => {
  await using bank = await startBank(no(412, 'Reversed'))
  assert.equal((await bank.calls.sendMoney(payout, {})).status, 'failed')
  assert.equal((await bank.calls.findPayout('p-1', {})).status, 'unknown')
})

test('a payout that Squad never saw is not found', async () => {
  await using bank = await startBank(no(404, 'Not found'))
  assert.equal((await bank.calls.findPayout('p-1', {})).status, 'not_found')
})

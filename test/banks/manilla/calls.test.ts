// Calls to a bank that has Manilla’s own API (docs/bank-api.md), and the calls of the connector template.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kobo } from '#money.ts'
import { START } from '../../support/running-service.ts'
import { readSample } from '../connector-case.ts'
import { type FullCase, fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { TEMPLATE as TEMPLATE_CASE } from '../template/conformance-case.ts'
import { MANILLA as MANILLA_CASE } from './conformance-case.ts'

const MANILLA = fullCase(MANILLA_CASE)
const TEMPLATE = fullCase(TEMPLATE_CASE)

const CREDIT = JSON.parse(String(readSample('manilla', 'credit.json')))
const TRANSFER = JSON.parse(String(readSample('template', 'transfer.json')))
// Starts a bank with Manilla’s API that gives this answer to every request.
const startBank = (answer: Answer, each: FullCase = MANILLA) =>
  startScriptedBank(each, () => answer)
const one = { kind: 'session_id', value: 'a b' } as const
const MISSING: Answer = { status: 404, body: 'Not found' }

for (const [name, each, found, pending] of [
  ['manilla', MANILLA, CREDIT, { status: 202, body: {} }],
  ['template', TEMPLATE, { transfer: TRANSFER }, { body: { state: 'pending' } }],
] as const) {
  test(`${name}: a transfer is found, in progress or not found`, async () => {
    await using bank = await startBank({ body: found }, each)
    const answer = await bank.calls.findTransfer(one, {})
    assert(answer.status === 'found' && answer.items[0]?.ok)
    assert.equal(bank.asked[0]?.line, 'GET /transfers/a%20b')
    assert.equal(bank.asked[0]?.headers.authorization, 'Bearer the-key')
    await using busy = await startBank(pending, each)
    assert.equal((await busy.calls.findTransfer(one, {})).status, 'in_progress')
    await using empty = await startBank(MISSING, each)
    assert.equal((await empty.calls.findTransfer(one, {})).status, 'not_found')
  })
}

test('template: an account is reserved or refused', async () => {
  const request = { kind: 'static', reference: 'r-1', accountName: 'ADA', customer: null } as const
  await using bank = await startBank({ body: { account: '9931234567' } }, TEMPLATE)
  assert.equal((await bank.calls.reserveAccount(request, {})).status, 'reserved')
  await using full = await startBank({ status: 409, body: { message: 'none left' } }, TEMPLATE)
  const refused = await full.calls.reserveAccount(request, {})
  assert.deepEqual(refused, { status: 'refused', reason: 'none left' })
})

test('a window is listed by cursor', async () => {
  await using bank = await startBank({ body: { data: [CREDIT, CREDIT], nextCursor: 'n' } })
  const query = { accountNumber: '9931234567', from: START, to: START, cursor: 'c' }
  const answer = await bank.calls.listTransfers(query, {})
  assert(answer.status === 'listed')
  assert.deepEqual([answer.items.length, answer.nextCursor], [2, 'n'])
  assert.match(bank.asked[0]?.line ?? '', /&accountNumber=9931234567&cursor=c$/)
})

test('a cursor that is no text does not pass for the end of the list', async () => {
  await using bank = await startBank({ body: { data: [CREDIT], nextCursor: 2 } })
  const query = { accountNumber: null, from: START, to: START, cursor: null }
  assert.equal((await bank.calls.listTransfers(query, {})).status, 'no_answer')
})

test('names are found or not; accounts are reserved, renamed and blocked, or refused', async () => {
  const account = {
    bankCode: '058',
    accountNumber: '9931234567',
    accountName: 'ADA',
    reference: 'r-1',
  }
  const request = { kind: 'static', reference: 'r-1', accountName: 'ADA', customer: null } as const
  await using bank = await startBank({ body: account })
  assert.equal((await bank.calls.enquireName(account, {})).status, 'found')
  assert.equal((await bank.calls.reserveAccount(request, {})).status, 'reserved')
  assert.equal((await bank.calls.renameAccount(account, {})).status, 'done')
  assert.equal((await bank.calls.blockAccount(account, {})).status, 'done')
  const bodies = bank.asked.slice(2).map(({ body }) => body)
  assert.deepEqual(bodies, [{ accountName: 'ADA' }, { isActive: false }])

  await using refusing = await startBank({ status: 409, body: { message: 'no' } })
  assert.equal((await refusing.calls.reserveAccount(request, {})).status, 'refused')
  assert.equal((await refusing.calls.blockAccount(account, {})).status, 'refused')
  await using empty = await startBank(MISSING)
  assert.equal((await empty.calls.enquireName(account, {})).status, 'not_found')
})

test('a payout is confirmed, failed, unknown or not found', async () => {
  const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'ADA OBI' }
  const payout = {
    reference: 'p-1',
    amountKobo: kobo(13_753n),
    currency: 'NGN',
    to,
    narration: 'n',
  }
  // Returns the status of the payout as read from the answer to the order, and to a query.
  const readPayoutStatus = async (answer: Answer) => {
    await using bank = await startBank(answer)
    const { status } = await bank.calls.sendMoney(payout, {})
    assert.equal(bank.asked[0]?.body.amount, '137.53')
    return [status, (await bank.calls.findPayout('p-1', {})).status]
  }
  const reference = 'p-1'
  const body = { reference, status: 'confirmed', bankReference: 'b-1' }
  assert.deepEqual(await readPayoutStatus({ body }), ['confirmed', 'confirmed'])
  assert.deepEqual(await readPayoutStatus({ body: { reference, status: 'failed' } }), [
    'failed',
    'failed',
  ])
  assert.deepEqual(await readPayoutStatus({ body: { status: 'pending' } }), ['unknown', 'unknown'])
  assert.deepEqual(await readPayoutStatus({ body: { status: 'confirmed' } }), [
    'unknown',
    'unknown',
  ])
  assert.deepEqual(await readPayoutStatus({ status: 404, body: { status: 'not_found' } }), [
    'unknown',
    'not_found',
  ])
  assert.deepEqual(await readPayoutStatus(MISSING), ['unknown', 'unknown'])
})

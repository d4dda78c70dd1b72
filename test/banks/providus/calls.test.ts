// Calls to Providus, and how the connector reads its published answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample } from '../connector-case.ts'
import { fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { PROVIDUS } from './conformance-case.ts'

const SESSION = '09FG240119090404935XTTGA9'
// Starts a fake bank that gives this answer to every request.
const startBank = (answer: Answer) => startScriptedBank(fullCase(PROVIDUS), () => answer)
const one = { kind: 'session_id', value: SESSION } as const
const EMPTY = {
  sessionId: '',
  accountNumber: '',
  tranRemarks: 'Transaction not found!!!',
  transactionAmount: 0.0,
  settledAmount: 0.0,
  settlementId: '',
}

test('the published answer is the credit that the notification would have been', async () => {
  await using bank = await startBank({ body: String(readSample('providus', 'verified.json')) })

  const answer = await bank.calls.findTransfer(one, {})
  await bank.calls.findTransfer({ kind: 'settlement_id', value: '21' }, {})

  assert(answer.status === 'found' && answer.items[0]?.ok)
  const { credit } = answer.items[0]
  assert.equal(credit.sessionId, SESSION)
  assert.equal(credit.amountKobo, 100_000n)
  assert.equal(credit.charges?.feeKobo, 4_500n)
  assert.equal(credit.sourceAccountName, null)
  assert.equal(credit.sourceBankCode, '701')
  assert.deepEqual(
    bank.asked.map(({ line }) => line),
    [
      `GET /PiPverifyTransaction_sessionid?session_id=${SESSION}`,
      'GET /PiPverifyTransaction_settlementid?settlement_id=21',
    ],
  )
  assert.equal(bank.asked[0]?.headers['client-id'], 'dGVzdF9Qcm92aWR1cw==')
})

for (const [what, answer, status] of [
  ['empty fields', { body: EMPTY }, 'not_found'],
  ['empty fields under 400', { status: 400, body: EMPTY }, 'not_found'],
  ['404', { status: 404, body: {} }, 'not_found'],
  [
    'a failure of its own',
    { body: { responseCode: '03', responseMessage: 'Failed' } },
    'no_answer',
  ],
  ['another complaint', { status: 400, body: { requestSuccessful: false } }, 'no_answer'],
] as const) {
  test(`${what} is ${status}`, async () => {
    await using bank = await startBank(answer)
    assert.equal((await bank.calls.findTransfer(one, {})).status, status)
  })
}

test('a transfer is not queried by a reference that Providus does not know', async () => {
  await using bank = await startBank({ body: EMPTY })
  const answer = await bank.calls.findTransfer({ kind: 'bank_reference', value: 'x' }, {})
  assert.equal(answer.status, 'not_found')
  assert.equal(bank.asked.length, 0)
})

test('an amount that cannot be read is found and kept, not lost', async () => {
  const body = { ...EMPTY, sessionId: SESSION, settlementId: '21', transactionAmount: '1,000' }
  await using bank = await startBank({ body })
  const answer = await bank.calls.findTransfer(one, {})
  assert(answer.status === 'found' && answer.items[0]?.ok === false)
  assert.equal(answer.items[0].money?.amount, '1,000')
})

test('static numbers are reserved and renamed, or refused', async () => {
  const account = { accountNumber: '9977581536', accountName: 'ADA OBI' }
  const named = { ...account, reference: 'r' }
  const customer = null
  const request = { kind: 'static', reference: 'r', accountName: 'ADA OBI', customer } as const
  await using bank = await startBank({ body: { responseCode: '00', account_number: '9977581536' } })
  assert.deepEqual(await bank.calls.reserveAccount(request, {}), { status: 'reserved', ...account })
  assert.equal((await bank.calls.renameAccount(named, {})).status, 'done')

  await using refusing = await startBank({ body: { responseCode: '02', responseMessage: 'no' } })
  const refused = { status: 'refused', reason: 'no' }
  assert.deepEqual(await refusing.calls.reserveAccount(request, {}), refused)
  assert.deepEqual(await refusing.calls.renameAccount(named, {}), refused)

  await using failing = await startBank({ body: { responseCode: '03', responseMessage: 'retry' } })
  assert.equal((await failing.calls.reserveAccount(request, {})).status, 'no_answer')
  assert.equal((await failing.calls.renameAccount(named, {})).status, 'no_answer')
})

test('no number is reserved that the bank gives to another merchant later', async () => {
  await using bank = await startBank({ body: { responseCode: '00', account_number: '9977581536' } })
  const customer = null
  const request = { kind: 'dynamic', reference: 'r', accountName: 'ADA OBI', customer } as const
  const answer = await bank.calls.reserveAccount(request, {})
  assert(answer.status === 'refused')
  assert.match(answer.reason, /after 48 hours/)
  assert.deepEqual(bank.asked, [])
})

test('no number is blacklisted: it would still take money, and we would not be told', async () => {
  await using bank = await startBank({ body: { responseCode: '00' } })
  assert.equal((bank.calls as Partial<typeof bank.calls>).blockAccount, undefined)
})

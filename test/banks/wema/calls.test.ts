// Calls to Wema, and how the connector reads its answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../../support/running-service.ts'
import { readSample } from '../connector-case.ts'
import { fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { BEARER } from './conformance-case.ts'

const TRANSFER = JSON.parse(String(readSample('wema', 'transfer.json')))
// Starts a fake bank that gives this answer to every request.
const startBank = (answer: Answer) => startScriptedBank(fullCase(BEARER), () => answer)
const one = { kind: 'session_id', value: TRANSFER.sessionid } as const

test('a transfer is found by its session id', async () => {
  await using bank = await startBank({ body: { status: '00', transactions: [TRANSFER] } })

  const answer = await bank.calls.findTransfer(one, {})

  assert(answer.status === 'found' && answer.items[0]?.ok)
  assert.equal(answer.items[0].credit.amountKobo, 150_000n)
  assert.equal(bank.asked[0]?.line, 'POST /VirtualAccount/api/v1/Trans/TransQuery')
  assert.equal(bank.asked[0]?.headers['ocp-apim-subscription-key'], 'the-key')
  assert.equal(bank.asked[0]?.body.sessionid, TRANSFER.sessionid)
})

for (const [what, answer, status] of [
  ['an empty list', { body: { status: '00', transactions: [] } }, 'not_found'],
  ['25', { body: { status: '25', status_desc: 'unable to locate record' } }, 'not_found'],
  ['another status', { body: { status: '96', status_desc: 'malfunction' } }, 'no_answer'],
  ['404, as of a wrong path', { status: 404, body: {} }, 'no_answer'],
] as const) {
  test(`${what} is ${status}`, async () => {
    await using bank = await startBank(answer)
    assert.equal((await bank.calls.findTransfer(one, {})).status, status)
  })
}

test('a window is listed a day at a time, by the days of West Africa', async () => {
  await using bank = await startBank({ body: { status: '00', transactions: [TRANSFER] } })
  const from = new Date('2026-11-13T23:30:00Z') // The 14th in Lagos.
  const query = { accountNumber: null, from, to: START, cursor: null }

  const first = await bank.calls.listTransfers(query, {})
  assert(first.status === 'listed')
  assert.equal(first.nextCursor, '2026-11-15')
  const last = await bank.calls.listTransfers({ ...query, cursor: first.nextCursor }, {})

  assert(last.status === 'listed')
  assert.equal(last.nextCursor, null)
  assert.deepEqual(
    bank.asked.map(({ body }) => body.txndate),
    ['2026-11-14', '2026-11-15'],
  )
})

test('a field that is not requested is an empty text, or the number 0', async () => {
  await using bank = await startBank({ body: { status: '00', transactions: [] } })
  await bank.calls.findTransfer(one, {})
  const expected = { sessionid: one.value, craccount: '', amount: 0, txndate: '' }
  assert.deepEqual(bank.asked[0]?.body, expected)
  assert.equal(bank.asked[0]?.headers['x-api-key'], undefined)
})

test('a second key goes into its own header', async () => {
  const full = fullCase(BEARER)
  const secrets = { ...full.secrets, accessKey: 'the-access-key' }
  const script = () => ({ body: { status: '00', transactions: [] } })
  await using bank = await startScriptedBank({ ...full, secrets }, script)
  await bank.calls.findTransfer(one, {})
  assert.equal(bank.asked[0]?.headers['x-api-key'], 'the-access-key')
})

// Returns: the bank is called and reports the result. The sandbox's bank confirms at once; in live mode
// the money is in transit until the bank calls.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertRefused,
  createAccount,
  databaseText,
  dataOf,
  ledgerNaira,
  TIMESTAMP,
} from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { addClient, startTestService } from '../support/running-service.ts'
import { shownId } from '../support/shown-ids.ts'
import {
  assign,
  auditLogFor,
  giveBack,
  NOBODYS_NUMBER,
  SUSPENSE,
  suspend,
} from '../support/suspense-desk.ts'

const sandbox = closeAfterTests(await startTestService())
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 'o').toString('base64')}`
const live = closeAfterTests(await startLiveService({ code: '058', railSecrets: [OTHER_SECRET] }))
await addClient(live.db, live.clock(), { clientId: 'OPERATOR01', isOperator: true })
const operator = { token: await live.login('OPERATOR01', 's3cret') }

const signing = { secrets: [OWN_RAIL_SECRET] }
const ofBank = (path: string, body: unknown) => postRail(live, `035/${path}`, body, signing)

// Receives a credit to an unknown number and starts its return to the payer.
async function startReturn(
  amount = '75',
): Promise<{ id: number; reference: string; sessionId: string }> {
  const sessionId = newSessionId()
  const body = {
    sessionId,
    accountNumber: NOBODYS_NUMBER,
    amount,
    sourceAccountNumber: '2093566866',
  }
  assert.equal((await ofBank('credits', body)).json().responseCode, '00')
  const { rows } = await live.db.query(
    `select i.id from suspense_items i join credits c on c.id = i.credit_id
      where c.session_id = $1`,
    [sessionId],
  )
  const id = shownId('suspense', rows[0].id)
  const item = dataOf(await giveBack(live, id, {}, operator))
  assert.equal(item.state, 'returning')
  assert.match(item.returnReference, /^RTN\d{15}$/)
  return { id, reference: item.returnReference, sessionId }
}

async function stateOf(id: number): Promise<string> {
  return dataOf(await live.call({ url: `${SUSPENSE}/${id}`, ...operator })).state
}
// Reports the result of a return as the bank; returns the response code of the service's acknowledgement.
async function settle(reference: string, status: string, more: object = {}): Promise<string> {
  const answer = await ofBank('returns', { reference, status, ...more })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.json().reference, reference)
  return answer.json().responseCode
}

test('in the sandbox the bank confirms a return at once, and once', async () => {
  const { id } = await suspend(sandbox, NOBODYS_NUMBER, '75')

  const item = dataOf(await giveBack(sandbox, id, { note: 'wrong number' }))
  const before = await databaseText(sandbox)
  const again = dataOf(await giveBack(sandbox, id))

  assert.equal(item.state, 'returned')
  assert.match(item.returnReference, /^RTN\d{15}$/)
  assert.equal(item.bankReference, `SANDBOX-${item.returnReference}`)
  assert.deepEqual(again, item)
  assert.equal(await databaseText(sandbox), before)
  assert.deepEqual(await auditLogFor(sandbox, id), [
    {
      by: 'MAN0000001',
      action: 'suspense.return',
      detail: {
        note: 'wrong number',
        returnReference: item.returnReference,
        amount: '75.00',
        currency: 'NGN',
      },
    },
  ])
})

test('in live a return is on its way until the bank confirms it, and then it is done', async () => {
  const { id, reference, sessionId } = await startReturn('75')
  assert.equal(await ledgerNaira(live, 'returning'), 75)
  const again = dataOf(await giveBack(live, id, {}, operator))
  const credit = await live.call({ url: `/api/v1/credits/${sessionId}`, ...operator })
  const [{ place, reference: label }] = dataOf(credit).locations

  const confirmed = await settle(reference, 'confirmed', { bankReference: 'WEMA/0001' })

  assert.deepEqual([again.state, again.bankReference, confirmed], ['returning', null, '00'])
  assert.equal(again.returnReference, reference)
  assert.deepEqual([place, label], ['returning', reference])
  const item = dataOf(await live.call({ url: `${SUSPENSE}/${id}`, ...operator }))
  assert.deepEqual([item.state, item.bankReference], ['returned', 'WEMA/0001'])
  assert.match(item.closedAt, TIMESTAMP)
  assert.equal(await ledgerNaira(live, 'returning'), 0)
  assert.equal((await auditLogFor(live, id)).length, 1)
})

test('a return is settled once: a second word of the bank is 01, whatever it says', async () => {
  const { id, reference } = await startReturn()
  await settle(reference, 'confirmed')
  const before = await databaseText(live)

  assert.equal(await settle(reference, 'confirmed'), '01')
  assert.equal(await databaseText(live), before)
  assert.equal(await settle(reference, 'failed'), '01')

  assert.equal(await stateOf(id), 'returned')
  assert.equal(await ledgerNaira(live, 'returning'), 0)
  const url = '/api/v1/operator/alerts?kind=payout_contradicted&open=true'
  const { data } = (await live.call({ url, ...operator })).json()
  assert.deepEqual(
    data.map(({ subject }: { subject: string }) => subject),
    [`return/${reference}`],
  )
})

test('a return that failed makes good what the bank took back meanwhile, and no more', async () => {
  const { id, reference, sessionId } = await startReturn('30')
  const reversal = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '20' }
  assert.equal((await ofBank('reversals', reversal)).json().responseCode, '00')
  const owed = await ledgerNaira(live, 'shortfall')

  assert.equal(await settle(reference, 'failed'), '00')

  assert.equal(await ledgerNaira(live, 'shortfall'), owed - 20)
  const item = dataOf(await live.call({ url: `${SUSPENSE}/${id}`, ...operator }))
  assert.deepEqual([item.state, item.amount], ['open', 10])
  await assertCleanBooks(live)
})

test('a return that failed is open again, to be returned under a new reference or assigned', async () => {
  const { id, reference } = await startReturn('30')
  const { accountNumber } = await createAccount(live, {}, operator)

  assert.equal(await settle(reference, 'failed', { reason: 'Account closed' }), '00')
  const failed = dataOf(await live.call({ url: `${SUSPENSE}/${id}`, ...operator }))
  assert.deepEqual([failed.state, failed.failureReason], ['open', 'Account closed'])
  assert.equal(failed.returnReference, reference)
  const second = dataOf(await giveBack(live, id, { note: 'second try' }, operator))
  assert.deepEqual([second.state, second.failureReason], ['returning', null])
  assert.notEqual(second.returnReference, reference)
  assert.equal(await settle(reference, 'confirmed'), '01')
  assert.equal(await stateOf(id), 'returning')
  assert.equal(await settle(second.returnReference, 'failed'), '00')
  const item = dataOf(await assign(live, id, { accountNumber }, operator))

  assert.equal(item.state, 'assigned')
  const actions = (await auditLogFor(live, id)).map(({ action }) => action)
  assert.deepEqual(actions, ['suspense.return', 'suspense.return', 'suspense.assign'])
})

test('money on its way back can be neither assigned nor settled by another bank', async () => {
  const { id, reference } = await startReturn()
  const { accountNumber } = await createAccount(live, {}, operator)

  const assigned = await assign(live, id, { accountNumber }, operator)
  const foreign = await postRail(
    live,
    '058/returns',
    { reference, status: 'confirmed' },
    { secrets: [OTHER_SECRET] },
  )

  assertRefused(assigned, { status: 409, code: 'suspense_closed' })
  assert.equal(foreign.json().responseCode, '01')
  assert.equal(await stateOf(id), 'returning')
})

test('a bank that confirms and fails a return at once, many times, is believed once', async () => {
  const { id, reference } = await startReturn()
  const words = Array.from({ length: 20 }, (_, at) => (at % 2 ? 'confirmed' : 'failed'))

  const answers = await Promise.all(words.map((word) => settle(reference, word)))

  assert.equal(answers.filter((code) => code === '00').length, 1)
  assert(['returned', 'open'].includes(await stateOf(id)))
  await assertCleanBooks(live)
})

test('a malformed answer of a bank is refused by field, and settles nothing', async () => {
  const { id, reference } = await startReturn()
  const bad: [unknown, string[]][] = [
    [{}, ['reference', 'status']],
    [null, ['reference', 'status']],
    [{ reference, status: 'done' }, ['status']],
    [{ reference, status: ['confirmed'] }, ['status']],
    [{ reference: [reference], status: 'confirmed' }, ['reference']],
    [{ reference: reference.toLowerCase(), status: 'confirmed' }, ['reference']],
    [{ reference: `${reference} `, status: 'confirmed' }, ['reference']],
    [{ reference: `RTN${'9'.repeat(40)}`, status: 'confirmed' }, ['reference']],
  ]

  for (const [body, fields] of bad) {
    const answer = await ofBank('returns', body)
    assert.equal(answer.statusCode, 400, `${JSON.stringify(body)} ${answer.body}`)
    const found = answer.json().errors.map((error: { field: string }) => error.field)
    assert.deepEqual([answer.json().responseCode, found], ['02', fields])
  }
  assert.equal(await settle(`RTN${2 ** 48 - 1}`, 'confirmed'), '01')
  assert.equal(await stateOf(id), 'returning')
})

test('any reference that a bank gives its return is stored or cleaned, and never a fault', async () => {
  const values: unknown[] = ['a\u0000b', '\ud800', 'x'.repeat(5000), '', null, 7, { a: 1 }, ['x']]

  for (const bankReference of values) {
    const { id, reference } = await startReturn('1')
    assert.equal(await settle(reference, 'confirmed', { bankReference }), '00')
    const item = dataOf(await live.call({ url: `${SUSPENSE}/${id}`, ...operator }))
    const label = `${JSON.stringify(bankReference)?.slice(0, 20)}: ${item.bankReference}`
    assert.match(item.bankReference, /^[^\p{C}]{1,100}$/u, label)
    assert(!item.bankReference.includes('[object'), label)
  }
})

test('after all returns of this file the books add up', async () => {
  await assertCleanBooks(sandbox)
  await assertCleanBooks(live)
})

// A return is sent as a payout: once, under its own reference, by a connector or, without one, by hand. The
// first result that is reported settles the return and its payout (I59).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { claimPayouts } from '#payouts/send.ts'
import { assertCleanBooks, OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { patientBatchPool } from '../support/database.ts'
import { failPayout } from '../support/failing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { CONFIRMED, FAILED, settleAll } from '../support/money-out.ts'
import { credit, itemOf, recordMovements, resolve } from '../support/movements.ts'
import { SANDBOX_PREFIXES } from '../support/payouts.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { addClient, type Bench, startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { shownId } from '../support/shown-ids.ts'
import { giveBack, NOBODYS_NUMBER, SUSPENSE } from '../support/suspense-desk.ts'

const RETURNS = '/api/v1/operator/returns'
const payer = (accountNumber: string) => ({
  sourceAccountNumber: accountNumber,
  sourceAccountName: 'ADA OBI',
  sourceBankCode: '058',
})

async function payoutsOf(bench: Bench) {
  const { rows } = await bench.db.query(
    `select reference, purpose, status, bank_reference as "bankReference",
            failure_reason as "failureReason", settled_by as "settledBy"
       from payouts order by id`,
  )
  return rows
}

const returnsOf = async (bench: Bench) =>
  (await bench.db.query(`select reference, status from returns order by id`)).rows

test('in the sandbox a return is a payout under its own reference, confirmed at once', async () => {
  await using bench = await startTestService()
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '40', payer('0123456789'))
  const { moves } = await recordMovements(bench)

  assert.equal(await resolve(bench, sessionId, 'return'), 'returned')

  const { returnReference, bankReference } = await itemOf(bench, sessionId)
  const [payout] = await payoutsOf(bench)
  assert.deepEqual(payout, {
    reference: returnReference,
    purpose: 'return',
    status: 'confirmed',
    bankReference,
    failureReason: null,
    settledBy: 'bank:035',
  })
  assert.deepEqual(await moves(), [
    'return: suspense of nobody → returning 035 40.00',
    'returned: returning 035 → bank 035 40.00',
  ])
  await assertCleanBooks(bench)
})

test('the bank is queried about a return of unidentified money as the test clock moves', async () => {
  await using bench = await startTestService()
  const token = await bench.newClient('CLOCKED1')
  const body = { now: '2026-11-16T09:00:00' }
  dataOf(await bench.call({ method: 'PUT', url: '/sandbox/clock', body, token }))
  const { sessionId } = await credit(
    bench,
    NOBODYS_NUMBER,
    '40',
    payer(`${SANDBOX_PREFIXES.losesAnswer}00001`),
  )
  assert.equal(await resolve(bench, sessionId, 'return'), 'returning') // The bank's answer is lost.

  const moving = { url: '/sandbox/clock/advance', body: { seconds: 3_600 } }
  dataOf(await bench.call({ ...moving, token }))

  assert.equal((await itemOf(bench, sessionId)).state, 'returned')
  await assertCleanBooks(bench)
})

test('the money of a refused return is in suspense again; the next has another reference', async () => {
  await using bench = await startTestService()
  const { sessionId } = await credit(
    bench,
    NOBODYS_NUMBER,
    '40',
    payer(`${SANDBOX_PREFIXES.refusesPayouts}00001`),
  )

  assert.equal(await resolve(bench, sessionId, 'return'), 'open')
  assert.equal(await resolve(bench, sessionId, 'return'), 'open')

  const [first, second] = await payoutsOf(bench)
  assert.deepEqual([first.status, second.status], ['failed', 'failed'])
  assert.notEqual(first.reference, second.reference)
  assert.deepEqual(await returnsOf(bench), [
    { reference: first.reference, status: 'failed' },
    { reference: second.reference, status: 'failed' },
  ])
  await assertCleanBooks(bench)
})

test('a return without an answer stays on its way until an operator enters the result', async () => {
  await using bench = await startTestService()
  const { sessionId } = await credit(
    bench,
    NOBODYS_NUMBER,
    '40',
    payer(`${SANDBOX_PREFIXES.neverAnswers}00001`),
  )
  assert.equal(await resolve(bench, sessionId, 'return'), 'returning')
  const { returnReference } = await itemOf(bench, sessionId)
  assert.equal((await payoutsOf(bench))[0].status, 'unknown')
  assert.equal(await resolve(bench, sessionId, 'return'), 'returning') // Nothing is sent again.
  assert.equal((await payoutsOf(bench)).length, 1)

  const url = `/api/v1/operator/payouts/${returnReference}/confirm`
  dataOf(await bench.call({ url, body: { bankReference: 'STATEMENT-7' } }))

  const item = await itemOf(bench, sessionId)
  assert.deepEqual([item.state, item.bankReference], ['returned', 'STATEMENT-7'])
  assert.equal((await returnsOf(bench))[0].status, 'confirmed')
  await assertCleanBooks(bench)
})

test('a return without an answer fails, like a payout, only with evidence and a second person', async () => {
  await using bench = await startTestService()
  const { sessionId } = await credit(
    bench,
    NOBODYS_NUMBER,
    '40',
    payer(`${SANDBOX_PREFIXES.neverAnswers}00001`),
  )
  await resolve(bench, sessionId, 'return')
  const { returnReference } = await itemOf(bench, sessionId)
  const url = `${RETURNS}/${returnReference}/fail`

  const alone = await bench.call({ url, body: { reason: 'The bank said no.' } })

  assertRefused(alone, { status: 409, code: 'return_may_be_paid' })
  assert.equal((await itemOf(bench, sessionId)).state, 'returning')
  assert.equal(dataOf(await failPayout(bench, returnReference)).status, 'failed')
  assert.equal((await itemOf(bench, sessionId)).state, 'open')
  assert.equal((await returnsOf(bench))[0].status, 'failed')
  await assertCleanBooks(bench)
})

const live = closeAfterTests(await startLiveService())
await addClient(live.db, live.clock(), { clientId: 'OPERATOR01', isOperator: true })
const operator = { token: await live.login('OPERATOR01', 's3cret') }
const signing = { secrets: [OWN_RAIL_SECRET] }

// Requests a return in live mode, where this test's bank cannot send payouts.
async function startReturn(from: object): Promise<{ id: number; reference: string }> {
  const sessionId = newSessionId()
  const body = { sessionId, accountNumber: NOBODYS_NUMBER, amount: '75', ...from }
  await postRail(live, '035/credits', body, signing)
  const { rows } = await live.db.query(
    `select i.id::int from suspense_items i join credits c on c.id = i.credit_id
      where c.session_id = $1`,
    [sessionId],
  )
  const id = shownId('suspense', rows[0].id)
  const { returnReference } = dataOf(await giveBack(live, id, {}, operator))
  return { id, reference: returnReference }
}

const payoutOf = async (reference: string) =>
  (await payoutsOf(live)).find((payout) => payout.reference === reference)

const settle = (reference: string, how: 'confirm' | 'fail', body: object) =>
  live.call({ url: `${RETURNS}/${reference}/${how}`, body, ...operator })

const stateOf = async (id: number) =>
  dataOf(await live.call({ url: `${SUSPENSE}/${id}`, ...operator })).state

test('a return that no connector can send is settled by the operator, and no worker sends it', async () => {
  const { id, reference } = await startReturn(payer('0123456789'))
  const other = await startReturn(payer('0123456789'))
  assert.equal((await payoutOf(reference))?.status, 'queued')

  dataOf(await settle(reference, 'confirm', { bankReference: 'WEMA/1' }))
  dataOf(await settle(other.reference, 'fail', { reason: 'Account closed' }))

  const settledBy = 'client:OPERATOR01'
  const done = await payoutOf(reference)
  assert.deepEqual(
    [done?.status, done?.bankReference, done?.settledBy],
    ['confirmed', 'WEMA/1', settledBy],
  )
  const failed = await payoutOf(other.reference)
  assert.deepEqual([failed?.status, failed?.failureReason], ['failed', 'Account closed'])
  assert.equal(await settleAll(live, CONFIRMED), 0)
  assert.deepEqual([await stateOf(id), await stateOf(other.id)], ['returned', 'open'])
  await assertCleanBooks(live)
})

test('a bank that settles it by a signed call settles its payout', async () => {
  const { id, reference } = await startReturn(payer('0123456789'))
  const other = await startReturn(payer('0123456789'))

  const confirmed = { reference, status: 'confirmed', bankReference: 'B-9' }
  await postRail(live, '035/returns', confirmed, signing)
  await postRail(live, '035/returns', { reference: other.reference, status: 'failed' }, signing)

  assert.equal((await payoutOf(reference))?.bankReference, 'B-9')
  assert.equal((await payoutOf(other.reference))?.failureReason, 'No reason given.')
  assert.deepEqual([await stateOf(id), await stateOf(other.id)], ['returned', 'open'])
})

test('a payer whom the bank did not name is left to the operator: no connector can pay', async () => {
  const { id, reference } = await startReturn({})
  assert.equal(await payoutOf(reference), undefined)

  dataOf(await settle(reference, 'confirm', { bankReference: 'WEMA/2' }))

  assert.equal(await stateOf(id), 'returned')
  await assertCleanBooks(live)
})

test('a return is not settled by hand while its bank is queried; the bank’s answer settles it', async () => {
  const { id, reference } = await startReturn(payer('0123456789'))
  const { connectionString } = live.database
  const pool = patientBatchPool(connectionString, 1)
  const claiming = { bankCode: '035', limit: 10, by: 'bank:035' }
  await withTransaction(pool, (tx) =>
    claimPayouts(tx, { ...sealingOf(live), now: live.clock() }, claiming),
  )
  await pool.end()

  const early = await settle(reference, 'fail', { reason: 'x' })

  assertRefused(early, { status: 409, code: 'return_sending' })
  assert.equal(await stateOf(id), 'returning')
  const word = { reference, status: 'confirmed', bankReference: 'B-10' }
  await postRail(live, '035/returns', word, signing)
  assert.equal(await stateOf(id), 'returned')
})

test('the answer to the payout settles the return', async () => {
  const { id, reference } = await startReturn(payer('0123456789'))
  await settleAll(live, FAILED)
  assert.equal(await stateOf(id), 'open')
  const again = dataOf(await giveBack(live, id, {}, operator))
  assert.notEqual(again.returnReference, reference)

  await settleAll(live, CONFIRMED)

  assert.equal(await stateOf(id), 'returned')
  const { rows } = await live.db.query(`select settled_by from returns where reference = $1`, [
    again.returnReference,
  ])
  assert.deepEqual(rows, [{ settledBy: 'bank:035' }])
  await assertCleanBooks(live)
})

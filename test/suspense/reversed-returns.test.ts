// The bank reverses a credit during its return: a queued return is not sent, by a connector or by hand,
// because the payer would be paid twice (I59). Failing it covers the shortfall.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnection } from '#banks/connector.ts'
import { withTransaction } from '#db/transaction.ts'
import { holdPayouts, releasePayouts } from '#payouts/holds.ts'
import { assertCleanBooks, OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { begin, credit, itemOf, recordMovements, resolve, reverse } from '../support/movements.ts'
import { getPayout, OPERATOR_PAYOUTS, PAYOUTS, payoutRounds } from '../support/payouts.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { addClient, startTestService } from '../support/running-service.ts'
import { shownId } from '../support/shown-ids.ts'
import { giveBack, NOBODYS_NUMBER } from '../support/suspense-desk.ts'

const RETURNS = '/api/v1/operator/returns'
const PAYER = {
  sourceAccountNumber: '2093566866',
  sourceAccountName: 'ADA OBI',
  sourceBankCode: '058',
}

const bench = closeAfterTests(await startTestService())
const sent: string[] = []
const calls: BankConnection['calls'] = {
  sendMoney: async ({ reference, amountKobo }) => {
    sent.push(`${reference} ${amountKobo}`)
    return { status: 'confirmed', bankReference: `B-${reference}` }
  },
}
const connection = { calls, limits: { ratePerSecond: 5, concurrency: 4 } } as BankConnection
const connections = new Map([['035', connection]])
const rounds = closeAfterTests(await payoutRounds(bench, { connections }))

const by = 'cli:test'
const hold = () =>
  withTransaction(bench.db, (tx) => holdPayouts(tx, bench.clock(), { reason: 'Drill', by }))
const release = () => withTransaction(bench.db, (tx) => releasePayouts(tx, bench.clock(), by))

// Starts a return while payouts are held, so that it stays queued; returns its reference.
async function queueReturn(sessionId: string): Promise<string> {
  await hold()
  assert.equal(await resolve(bench, sessionId, 'return'), 'returning')
  return (await itemOf(bench, sessionId)).returnReference
}

// Releases the payouts and runs the workers; returns the references that were sent to the bank, and
// the operators' open alerts about blocked payouts.
async function sendAll(): Promise<{ sent: string[]; blocked: string[] }> {
  await release()
  sent.length = 0
  await rounds.send()
  await rounds.query()
  const url = '/api/v1/operator/alerts?kind=payout_blocked&open=true'
  const { data } = (await bench.call({ url })).json()
  const blocked = data.map(
    ({ subject, detail }: { subject: string; detail: { reason: string } }) =>
      `${subject} ${detail.reason}`,
  )
  return { sent: [...sent], blocked }
}

const getReturn = async (reference: string) =>
  dataOf(await bench.call({ url: `${RETURNS}/${reference}` }))
const fail = async (reference: string) =>
  dataOf(await bench.call({ url: `${RETURNS}/${reference}/fail`, body: { reason: 'Reversed' } }))
const blockedOf = (reference: string) => [`payout/${reference} return_credit_reversed`]

test('a return of what the bank reversed is not sent; failing it makes the shortfall good', async () => {
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '100', PAYER)
  const { moves } = await recordMovements(bench)
  const reference = await queueReturn(sessionId)
  assert.equal((await getReturn(reference)).blockedBy, null)
  await reverse(bench, sessionId, '100')

  assert.deepEqual(await sendAll(), { sent: [], blocked: blockedOf(reference) })
  const { status, blockedBy } = await getReturn(reference)
  assert.deepEqual([status, blockedBy], ['pending', 'return_credit_reversed'])
  const detail = await bench.call({ url: `${OPERATOR_PAYOUTS}/${reference}` })
  assert.equal(dataOf(detail).blockedBy, 'return_credit_reversed')

  const failed = await fail(reference)
  assert.deepEqual([failed.status, failed.blockedBy], ['failed', null])
  assert.deepEqual(await moves(), [
    'return: suspense of nobody → returning 035 100.00',
    'reversal: shortfall 035 → bank 035 100.00',
    'reversal: returning 035 → shortfall 035 100.00',
  ])
  assert.equal((await itemOf(bench, sessionId)).state, 'reversed')
  assert.deepEqual(await sendAll(), { sent: [], blocked: [] })
  assert.equal(await resolve(bench, sessionId, 'return'), 'suspense_closed')
  await assertCleanBooks(bench)
})

test('a return of a partly reversed item is not sent; the rest is returned anew', async () => {
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '100', PAYER)
  const reference = await queueReturn(sessionId)
  await reverse(bench, sessionId, '0.01')

  assert.deepEqual(await sendAll(), { sent: [], blocked: blockedOf(reference) })
  await fail(reference)
  const { state, amount } = await itemOf(bench, sessionId)
  assert.deepEqual([state, amount], ['open', 99.99])
  const again = await queueReturn(sessionId)
  assert.deepEqual(await sendAll(), { sent: [`${again} 9999`], blocked: [] })
  assert.equal((await itemOf(bench, sessionId)).state, 'returned')
  await assertCleanBooks(bench)
})

test('a return that a reversal leaves covered is sent; the next kobo blocks it', async () => {
  const covered = await begin(bench)
  const one = await credit(bench, covered.number, '140', PAYER) // 40 are in suspense.
  const reference = await queueReturn(one.sessionId)
  await reverse(bench, one.sessionId, '100')
  assert.deepEqual(await sendAll(), { sent: [`${reference} 4000`], blocked: [] })

  const short = await begin(bench)
  const other = await credit(bench, short.number, '140', PAYER)
  const blocked = await queueReturn(other.sessionId)
  await reverse(bench, other.sessionId, '100')
  await reverse(bench, other.sessionId, '0.01')
  assert.deepEqual(await sendAll(), { sent: [], blocked: blockedOf(blocked) })
  await fail(blocked)
  await assertCleanBooks(bench)
})

test('a return after a reversal covers the rest, and is sent', async () => {
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '100', PAYER)
  await reverse(bench, sessionId, '30')
  const reference = await queueReturn(sessionId)

  assert.deepEqual(await sendAll(), { sent: [`${reference} 7000`], blocked: [] })
  await assertCleanBooks(bench)
})

test('a return sent before the reversal goes on, and is a shortfall', async () => {
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '100', PAYER)
  const { alerts } = await recordMovements(bench)
  const reference = await queueReturn(sessionId)
  assert.deepEqual(await sendAll(), { sent: [`${reference} 10000`], blocked: [] })
  await reverse(bench, sessionId, '100')

  assert.deepEqual(await alerts(), ['payouts_held', 'reversal_shortfall'])
  assert.deepEqual(await sendAll(), { sent: [], blocked: [] })
  await assertCleanBooks(bench)
})

test('a client cancels its own, as anything that is blocked', async () => {
  const { accountNumber } = await createAccount(bench)
  const off = `/api/v1/accounts/static/${accountNumber}/deactivate`
  await bench.call({ method: 'POST', url: off, body: {} })
  const { sessionId } = await credit(bench, accountNumber, '100', PAYER)
  const reference = await queueReturn(sessionId)
  const cancel = () => bench.call({ url: `${PAYOUTS}/${reference}/cancel`, body: {} })
  assertRefused(await cancel(), { status: 409, code: 'payout_not_queued' })
  await reverse(bench, sessionId, '60')
  assert.equal((await getPayout(bench, reference)).blockedBy, 'return_credit_reversed')

  assert.equal(dataOf(await cancel()).status, 'cancelled')

  const { state, amount } = await itemOf(bench, sessionId)
  assert.deepEqual([state, amount], ['open', 40])
  assert.deepEqual(await sendAll(), { sent: [], blocked: [] })
  await assertCleanBooks(bench)
})

for (const [whose, payer] of [
  ['a payer whom a bank named', PAYER],
  ['a payer whom nobody named', { sourceAccountNumber: PAYER.sourceAccountNumber }],
] as const) {
  test(`an operator who sends by hand does not get the account number of ${whose}`, async () => {
    await using live = await startLiveService()
    await addClient(live.db, live.clock(), { clientId: 'OPERATOR01', isOperator: true })
    const operator = { token: await live.login('OPERATOR01', 's3cret') }
    const signing = { secrets: [OWN_RAIL_SECRET] }
    const sessionId = newSessionId()
    const body = { sessionId, accountNumber: NOBODYS_NUMBER, amount: '75', ...payer }
    await postRail(live, '035/credits', body, signing)
    const { rows } = await live.db.query('select id from suspense_items')
    const id = shownId('suspense', rows[0].id)
    const { returnReference } = dataOf(await giveBack(live, id, {}, operator))
    const url = `${RETURNS}/${returnReference}`
    const reveal = () => live.call({ url: `${url}?reveal=true`, ...operator })
    const { payerAccountNumber } = dataOf(await reveal())
    assert.equal(payerAccountNumber, PAYER.sourceAccountNumber)

    const reversal = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '75' }
    await postRail(live, '035/reversals', reversal, signing)

    assertRefused(await reveal(), { status: 409, code: 'return_credit_reversed' })
    const list = (await live.call({ url: `${RETURNS}?reveal=true`, ...operator })).json()
    const [{ blockedBy, payerAccountNumber: listed }] = list.data
    assert.deepEqual([blockedBy, listed], ['return_credit_reversed', null])
    const { rows: logged } = await live.db.query(
      `select count(*)::int as n from audit_log where action = 'return.reveal'`,
    )
    assert.equal(logged[0].n, 1)
    await live.call({ url: `${url}/fail`, body: { reason: 'Reversed' }, ...operator })
    await assertCleanBooks(live)
  })
}

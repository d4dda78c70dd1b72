// The timeline of a payment is complete: it also shows an expiry before the payment was paid, and credits
// that were later moved back to suspense or reversed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '#credits/close.ts'
import { withTransaction } from '#db/transaction.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { closeAfterTests } from '../support/closing.ts'
import { dataOf, MINUTE_MS, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { assign, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { credit, type Row, reverse } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())

// Lets all open payments expire.
async function expire(): Promise<void> {
  bench.advance(60 * MINUTE_MS)
  const deps = { sharedAccounts: new SharedAccounts(bench.db), now: bench.clock() }
  await withTransaction(bench.db, (tx) => closeExpired(tx, deps))
  bench.advance(MINUTE_MS)
}

// Assigns suspended money to a payment; returns the session id of its credit.
async function assignMoney(paymentReference: string, amount: string): Promise<string> {
  const { id, sessionId } = await suspend(bench, NOBODYS_NUMBER, amount)
  bench.advance(MINUTE_MS)
  const answer = await assign(bench, id, { paymentReference })
  assert.equal(answer.statusCode, 200, answer.body)
  bench.advance(MINUTE_MS)
  return sessionId
}

async function readTimeline(reference: string): Promise<{ entries: Row[]; isWhole: boolean }> {
  return dataOf(await bench.call({ url: `/api/v1/payments/${reference}/timeline` }))
}

const eventsOf = (entries: readonly Row[]) =>
  entries.flatMap(({ kind, detail }) => (kind === 'event' ? detail.type : []))

test('a payment that expired and was paid afterwards still tells that it expired', async () => {
  const { paymentReference } = await startPayment(bench, { amount: 500 })
  await expire()
  await assignMoney(paymentReference, '500')

  const { entries } = await readTimeline(paymentReference)

  assert.deepEqual(eventsOf(entries), [
    ...['payment.processing', 'payment.expired'],
    ...['credit.assigned', 'payment.successful'],
  ])
})

test('money that returned to suspense, or to its bank, is in the history', async () => {
  const { paymentReference } = await startPayment(bench, { amount: 500 })
  await assignMoney(paymentReference, '100')
  await expire()
  const sessionId = await assignMoney(paymentReference, '500')
  await reverse(bench, sessionId, '500')

  const { entries } = await readTimeline(paymentReference)

  assert.deepEqual(eventsOf(entries), [
    ...['payment.processing', 'credit.assigned', 'payment.part_paid'],
    ...['payment.expired', 'credit.suspended'],
    ...['credit.assigned', 'payment.successful', 'payment.reversed'],
  ])
  const moved = entries.filter(({ kind }) => kind === 'transfer').map(({ amount }) => amount)
  assert.deepEqual(moved, [100, 100, 100, 500, 500, 500])
})

test('a history of more than a hundred credits shows the latest and says that there are more', async () => {
  const { paymentReference, bankAccount } = await startPayment(bench, { amount: 500 })
  await Promise.all(Array.from({ length: 101 }, () => credit(bench, bankAccount, '1.00')))

  const { entries, isWhole } = await readTimeline(paymentReference)

  assert.equal(isWhole, false)
  assert.equal(entries.filter(({ kind }) => kind === 'credit').length, 100)
})

// Every outcome of a transfer to a payment, over HTTP, with all its effects: the answer to the bank, the
// payment's state, the ledger transfers, the events, and how it is resolved if it is suspended.
// docs/money-flow.md describes the same. All other transfers are in suspended-outcomes.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ADVICE, balanceOf, createAccount, MINUTE_MS } from '../support/fixtures.ts'
import { begin, credit, itemOf, recordMovements, resolve, stateOf } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const GRACE_OVER_MS = 35 * MINUTE_MS // A payment expires after 30 minutes and closes 5 minutes later.
const DAY_MS = 1440 * MINUTE_MS

test('exact: the payment is successful', async () => {
  const { payment, number, movements } = await begin(bench)

  assert.equal((await credit(bench, number, '100.00')).says, '00 booked')

  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.deepEqual(await movements.moves(), ['credit: bank 035 → available 100.00'])
  assert.deepEqual(await movements.events(), ['payment.successful'])
})

test('amount below the due one: part payments wait until the rest has come', async () => {
  const { payment, number, movements } = await begin(bench)

  assert.equal((await credit(bench, number, '40.00')).says, '00 booked')
  assert.equal(await stateOf(bench, payment), 'PartPayment 40')
  await credit(bench, number, '25.00')
  await credit(bench, number, '35.00')

  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → pending 40.00',
    'credit: bank 035 → pending 25.00',
    'credit: bank 035 → available 35.00',
    'settle: pending → available 40.00',
    'settle: pending → available 25.00',
  ])
  assert.deepEqual(await movements.events(), [
    'payment.part_paid',
    'payment.part_paid',
    'payment.successful',
  ])
})

test('under until expiry: what was paid is suspended, and can be returned', async () => {
  const { payment, number, movements } = await begin(bench)
  const { sessionId } = await credit(bench, number, '40.00')
  bench.advance(GRACE_OVER_MS)

  assert.equal(await stateOf(bench, payment), 'Expired 40') // The state shows it before any worker runs.
  await closeExpired(bench)

  assert.equal(await stateOf(bench, payment), 'Expired 0')
  assert.equal((await itemOf(bench, sessionId)).reason, 'underpaid')
  assert.equal(await resolve(bench, sessionId, 'return'), 'returned')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → pending 40.00',
    'suspend: pending → suspense 40.00',
    'return: suspense → returning 035 40.00',
    'returned: returning 035 → bank 035 40.00',
  ])
  assert.deepEqual(await movements.events(), [
    'payment.part_paid',
    'payment.expired',
    'credit.suspended',
    'credit.returned',
  ])
})

test('over: what was due is booked, the excess is suspended and can be returned', async () => {
  const { payment, number, movements } = await begin(bench)

  const { sessionId, says } = await credit(bench, number, '130.00')

  assert.equal(says, '00 booked excess')
  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.equal(await resolve(bench, sessionId, 'return'), 'returned')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → available 100.00',
    'credit: bank 035 → suspense 30.00',
    'return: suspense → returning 035 30.00',
    'returned: returning 035 → bank 035 30.00',
  ])
  assert.deepEqual(await movements.events(), [
    'payment.successful',
    'credit.suspended',
    'credit.returned',
  ])
})

test('again after it was paid: all of it is suspended, and can go to another payment', async () => {
  const { number } = await begin(bench)
  await credit(bench, number, '100.00')
  const { payment: other, movements } = await begin(bench)

  const { sessionId, says } = await credit(bench, number, '100.00')

  assert.equal(says, '00 suspended already_paid')
  const to = { paymentReference: other.paymentReference }
  assert.equal(await resolve(bench, sessionId, 'assign', to), 'assigned')
  assert.equal(await stateOf(bench, other), 'Successful 100')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense 100.00',
    'assign: suspense → available 100.00',
  ])
  assert.deepEqual(await movements.events(), [
    'credit.suspended',
    'credit.assigned',
    'payment.successful',
  ])
})

test('late within grace: it counts, although the payment reads Expired', async () => {
  const { payment, number, movements } = await begin(bench)
  bench.advance(30 * MINUTE_MS)
  assert.equal(await stateOf(bench, payment), 'Expired 0')

  assert.equal((await credit(bench, number, '100.00')).says, '00 booked')

  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.deepEqual(await movements.moves(), ['credit: bank 035 → available 100.00'])
  assert.deepEqual(await movements.events(), ['payment.successful'])
})

test('late after grace: it is suspended, and can still be given to the payment', async () => {
  const { payment, number, movements } = await begin(bench)
  bench.advance(GRACE_OVER_MS)

  const { sessionId, says } = await credit(bench, number, '100.00')

  assert.equal(says, '00 suspended late')
  assert.equal(await stateOf(bench, payment), 'Expired 0')
  await closeExpired(bench)
  const to = { paymentReference: payment.paymentReference }
  assert.equal(await resolve(bench, sessionId, 'assign', to), 'assigned')
  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense 100.00',
    'assign: suspense → available 100.00',
  ])
  assert.deepEqual(await movements.events(), [
    'credit.suspended',
    'payment.expired',
    'credit.assigned',
    'payment.successful',
  ])
})

test('to a number in quarantine: it is kept for the payment that had the number', async () => {
  const { payment, number, movements } = await begin(bench)
  bench.advance(29 * DAY_MS)

  const { sessionId, says } = await credit(bench, number, '40.00')

  assert.equal(says, '00 suspended late')
  assert.equal((await itemOf(bench, sessionId)).paymentReference, payment.paymentReference)
  await closeExpired(bench)
  const to = { paymentReference: payment.paymentReference }
  assert.equal(await resolve(bench, sessionId, 'assign', to), 'assigned')
  // The payment is open again, and waits for the rest.
  assert.equal(await stateOf(bench, payment), 'PartPayment 40')
  await credit(bench, number, '60.00')
  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense 40.00',
    'assign: suspense → pending 40.00',
    'credit: bank 035 → available 60.00',
    'settle: pending → available 40.00',
  ])
})

test('after cancel: what was paid, and what comes later, is suspended', async () => {
  const { payment, number, movements } = await begin(bench)
  await credit(bench, number, '40.00')

  await bench.call({ url: `${ADVICE}/${payment.adviceReference}/cancel`, body: {} })
  const { sessionId, says } = await credit(bench, number, '60.00')

  assert.equal(says, '00 suspended cancelled')
  assert.equal(await stateOf(bench, payment), 'Cancelled 0')
  const to = { paymentReference: payment.paymentReference }
  assert.equal(await resolve(bench, sessionId, 'assign', to), 'suspense_not_fitting')
  assert.equal(await resolve(bench, sessionId, 'return'), 'returned')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → pending 40.00',
    'suspend: pending → suspense 40.00',
    'credit: bank 035 → suspense 60.00',
    'return: suspense → returning 035 60.00',
    'returned: returning 035 → bank 035 60.00',
  ])
  assert.deepEqual(await movements.events(), [
    'payment.part_paid',
    'payment.cancelled',
    'credit.suspended',
    'credit.suspended',
    'credit.returned',
  ])
})

test('another amount than an exact one: it is suspended, and the payment waits on', async () => {
  const { payment, number, movements } = await begin(bench, { amountPolicy: 'exact' })

  assert.equal((await credit(bench, number, '99.99')).says, '00 suspended amount_mismatch')
  assert.equal((await credit(bench, number, '100.00')).says, '00 booked')

  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense 99.99',
    'credit: bank 035 → available 100.00',
  ])
  assert.deepEqual(await movements.events(), ['credit.suspended', 'payment.successful'])
})

test('any amount: the first transfer settles it, whatever its size', async () => {
  const { payment, number, movements } = await begin(bench, { amountPolicy: 'any' })

  assert.equal((await credit(bench, number, '70.00')).says, '00 booked')

  assert.equal(await stateOf(bench, payment), 'Successful 70')
  assert.deepEqual(await movements.moves(), ['credit: bank 035 → available 70.00'])
  assert.deepEqual(await movements.events(), ['payment.successful'])
})

test('to a collection account: it is booked there', async () => {
  const { accountNumber } = await createAccount(bench)
  const movements = await recordMovements(bench)

  assert.equal((await credit(bench, accountNumber, '15.50')).says, '00 booked')

  assert.equal(await balanceOf(bench, accountNumber), 15.5)
  assert.deepEqual(await movements.moves(), ['credit: bank 035 → collection 15.50'])
  assert.deepEqual(await movements.events(), ['collection.received'])
})

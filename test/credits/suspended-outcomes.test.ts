// Every outcome of transfers that are not to a payment: to an unissued number, from the wrong payer, in
// another currency, repeated; and reversals. Transfers to payments are in outcomes.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { switchAccount } from '../support/account-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, MINUTE_MS } from '../support/fixtures.ts'
import {
  begin,
  credit,
  itemOf,
  recordMovements,
  resolve,
  reverse,
  stateOf,
} from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const NOBODYS = '0000000001'

test('to an inactive collection account: it is suspended, and can go to another', async () => {
  const inactive = await createAccount(bench)
  const other = await createAccount(bench)
  await switchAccount(bench, inactive.accountNumber, 'deactivate')
  const movements = await recordMovements(bench)

  const { sessionId, says } = await credit(bench, inactive.accountNumber, '20.00')

  assert.equal(says, '00 suspended account_inactive')
  const to = { accountNumber: other.accountNumber }
  assert.equal(await resolve(bench, sessionId, 'assign', to), 'assigned')
  assert.equal(await balanceOf(bench, other.accountNumber), 20)
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense 20.00',
    'assign: suspense → collection 20.00',
  ])
  assert.deepEqual(await movements.events(), [
    'credit.suspended',
    'credit.assigned',
    'collection.received',
  ])
})

test('to an unknown number: it has no owner, and the operator can assign it to any client', async () => {
  const { accountNumber } = await createAccount(bench)
  const movements = await recordMovements(bench)

  const { sessionId, says } = await credit(bench, NOBODYS, '75.00')

  assert.equal(says, '00 suspended unknown_number')
  assert.deepEqual(await movements.events(), []) // The credit has no client that could be notified.
  assert.equal(await resolve(bench, sessionId, 'assign', { accountNumber }), 'assigned')
  assert.equal(await balanceOf(bench, accountNumber), 75)
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense of nobody 75.00',
    'assign: suspense of nobody → collection 75.00',
  ])
  assert.deepEqual(await movements.events(), ['credit.assigned', 'collection.received'])
})

test('money without an owner that goes to a payment that expires is resolved by its client', async () => {
  const { payment, movements } = await begin(bench)
  const { sessionId } = await credit(bench, NOBODYS, '40.00')
  const to = { paymentReference: payment.paymentReference }
  await resolve(bench, sessionId, 'assign', to)

  bench.advance(35 * MINUTE_MS)
  await recordMovements(bench) // Closes expired payments.

  assert.equal(await stateOf(bench, payment), 'Expired 0')
  assert.equal((await itemOf(bench, sessionId)).reason, 'underpaid')
  assert.equal(await resolve(bench, sessionId, 'return'), 'returned')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense of nobody 40.00',
    'assign: suspense of nobody → pending 40.00',
    'suspend: pending → suspense 40.00',
    'return: suspense → returning 035 40.00',
    'returned: returning 035 → bank 035 40.00',
  ])
})

test('in another currency: it is suspended, and can only be returned', async () => {
  const { payment, number, movements } = await begin(bench)

  const { sessionId, says } = await credit(bench, number, '100.00', { currency: 'USD' })

  assert.equal(says, '00 suspended wrong_currency')
  assert.equal(await stateOf(bench, payment), 'Processing 0')
  const to = { paymentReference: payment.paymentReference }
  assert.equal(await resolve(bench, sessionId, 'assign', to), 'suspense_not_fitting')
  assert.equal(await resolve(bench, sessionId, 'return'), 'returning') // No connector pays dollars.
  const { returnReference } = await itemOf(bench, sessionId)
  const url = `/api/v1/operator/returns/${returnReference}/confirm`
  assert.equal((await bench.call({ url, body: {} })).statusCode, 200)
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 USD → suspense USD 100.00',
    'return: suspense USD → returning 035 USD 100.00',
    'returned: returning 035 USD → bank 035 USD 100.00',
  ])
  assert.deepEqual(await movements.events(), ['credit.suspended', 'credit.returned'])
})

test('from a payer who is not allowed, too little or too much: it is suspended', async () => {
  const payerRules = { minAmount: '10.00', maxAmount: '90.00', names: ['Ada Obi'] }
  const { accountNumber } = await createAccount(bench, { payerRules })
  const movements = await recordMovements(bench)
  const payerNamed = (sourceAccountName: string) => ({ sourceAccountName })

  const stranger = await credit(bench, accountNumber, '50.00', payerNamed('Chidi Obi'))
  const little = await credit(bench, accountNumber, '9.99', payerNamed('Ada Obi'))
  const much = await credit(bench, accountNumber, '90.01', payerNamed('Ada Obi'))
  const right = await credit(bench, accountNumber, '50.00', payerNamed('OBI, ADA NGOZI'))

  assert.equal(stranger.says, '00 suspended payer_not_allowed')
  assert.equal(little.says, '00 suspended below_minimum')
  assert.equal(much.says, '00 suspended above_maximum')
  assert.equal(right.says, '00 booked')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense 50.00',
    'credit: bank 035 → suspense 9.99',
    'credit: bank 035 → suspense 90.01',
    'credit: bank 035 → collection 50.00',
  ])
  assert.equal(await resolve(bench, stranger.sessionId, 'assign', { accountNumber }), 'assigned')
})

test('the same session id again: the first result is told, and nothing moves', async () => {
  const { payment, number, movements } = await begin(bench)
  const { sessionId } = await credit(bench, number, '40.00')

  assert.equal((await credit(bench, number, '40.00', { sessionId })).says, '01 duplicate')

  assert.equal(await stateOf(bench, payment), 'PartPayment 40')
  assert.deepEqual(await movements.moves(), ['credit: bank 035 → pending 40.00'])
  assert.deepEqual(await movements.events(), ['payment.part_paid'])
})

test('the same session id on other terms: refused, and the operator is alerted', async () => {
  const { number, movements } = await begin(bench)
  const { sessionId } = await credit(bench, number, '40.00')

  const { says } = await credit(bench, number, '60.00', { sessionId })

  assert.equal(says, '02 rejected session_reused')
  assert.deepEqual(await movements.moves(), ['credit: bank 035 → pending 40.00'])
  assert.deepEqual(await movements.events(), ['payment.part_paid', 'alert.raised'])
  assert.deepEqual(await movements.alerts(), ['session_reused'])
})

test('a reversal before success: the payment goes on waiting', async () => {
  const { payment, number, movements } = await begin(bench)
  const { sessionId } = await credit(bench, number, '40.00')

  assert.equal(await reverse(bench, sessionId, '10.00'), '00 reversed')
  assert.equal(await stateOf(bench, payment), 'PartPayment 30')
  assert.equal(await reverse(bench, sessionId, '30.00'), '00 reversed')
  assert.equal(await stateOf(bench, payment), 'Processing 0')
  await credit(bench, number, '100.00')

  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → pending 40.00',
    'reversal: pending → bank 035 10.00',
    'reversal: pending → bank 035 30.00',
    'credit: bank 035 → available 100.00',
  ])
  assert.deepEqual(await movements.events(), [
    'payment.part_paid',
    'payment.reversed',
    'payment.reversed',
    'payment.successful',
  ])
})

test('a reversal after success: the payment is Reversed, and takes no more money', async () => {
  const { payment, number, movements } = await begin(bench)
  const { sessionId } = await credit(bench, number, '60.00')
  await credit(bench, number, '40.00')

  assert.equal(await reverse(bench, sessionId, '60.00'), '00 reversed')

  assert.equal(await stateOf(bench, payment), 'Reversed 40')
  assert.equal((await credit(bench, number, '60.00')).says, '00 suspended payment_reversed')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → pending 60.00',
    'credit: bank 035 → available 40.00',
    'settle: pending → available 60.00',
    'reversal: available → bank 035 60.00',
    'credit: bank 035 → suspense 60.00',
  ])
  assert.deepEqual(await movements.events(), [
    'payment.part_paid',
    'payment.successful',
    'payment.reversed',
    'credit.suspended',
  ])
})

test('a reversal takes from suspense first, then from what was booked', async () => {
  const { payment, number, movements } = await begin(bench)
  const { sessionId } = await credit(bench, number, '130.00')

  assert.equal(await reverse(bench, sessionId, '30.00'), '00 reversed')
  assert.equal(await stateOf(bench, payment), 'Successful 100')
  assert.equal(await reverse(bench, sessionId, '100.00'), '00 reversed')

  assert.equal(await stateOf(bench, payment), 'Reversed 0')
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → available 100.00',
    'credit: bank 035 → suspense 30.00',
    'reversal: suspense → bank 035 30.00',
    'reversal: available → bank 035 100.00',
  ])
  assert.deepEqual(await movements.events(), [
    'payment.successful',
    'credit.suspended',
    'credit.reversed',
    'payment.reversed',
  ])
})

test('a reversal of what went to a collection account lowers its balance', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '50.00')
  const movements = await recordMovements(bench)

  assert.equal(await reverse(bench, sessionId, '20.00'), '00 reversed')
  assert.equal(await reverse(bench, sessionId, '30.01'), '02 rejected amount_exceeds_original')

  assert.equal(await balanceOf(bench, accountNumber), 30)
  assert.deepEqual(await movements.moves(), ['reversal: collection → bank 035 20.00'])
  assert.deepEqual(await movements.events(), ['collection.reversed', 'alert.raised'])
  assert.deepEqual(await movements.alerts(), ['rail_item_rejected'])
})

test('a reversal of what was returned already: a shortfall, and the operator is alerted', async () => {
  const movements = await recordMovements(bench)
  const { sessionId } = await credit(bench, NOBODYS, '80.00')
  await resolve(bench, sessionId, 'return')

  assert.equal(await reverse(bench, sessionId, '80.00'), '00 reversed')

  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense of nobody 80.00',
    'return: suspense of nobody → returning 035 80.00',
    'returned: returning 035 → bank 035 80.00',
    'reversal: shortfall 035 → bank 035 80.00',
  ])
  assert.deepEqual(await movements.alerts(), ['reversal_shortfall'])
})

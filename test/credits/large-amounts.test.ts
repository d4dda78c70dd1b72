// Credits as large as RTGS carries: up to ₦10,000,000,000,000.00 they are taken, exact to the kobo in the
// books and in JSON. Those above the suspicious amount stay in suspense until a user assigns them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, createAdvice, dataOf } from '../support/fixtures.ts'
import { credit, itemOf, resolve } from '../support/movements.ts'
import { addBankAccount, createPayout, makeDefault } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { closeSettlement } from '../support/settlements.ts'

const bench = closeAfterTests(await startTestService())
const trusting = closeAfterTests(
  await startTestService({ env: { MANILLA_SUSPICIOUS_AMOUNT: '10000000000000.00' } }),
)

test('a credit of the suspicious amount is booked, one kobo more is suspended', async () => {
  const { accountNumber } = await createAccount(bench)
  assert.equal((await credit(bench, accountNumber, '1000000000.00')).says, '00 booked')

  const { sessionId, says } = await credit(bench, accountNumber, '1000000000.01')

  assert.equal(says, '00 suspended amount_suspicious')
  assert.equal((await itemOf(bench, sessionId)).amount, 1_000_000_000.01)
  assert.equal(await resolve(bench, sessionId, 'assign', { accountNumber }), 'assigned')
  assert.equal(await balanceOf(bench, accountNumber), 2_000_000_000.01)
  await assertCleanBooks(bench)
})

test('the largest credit is exact to the kobo, in the account, its event and its settlement', async () => {
  const { accountNumber } = await createAccount(trusting)
  const { says, sessionId } = await credit(trusting, accountNumber, '9999999999999.99')
  assert.equal(says, '00 booked')

  const answer = await trusting.call({ url: `/api/v1/credits/${sessionId}` })
  assert.match(answer.body, /"amount":9999999999999\.99,/)
  assert.equal(await balanceOf(trusting, accountNumber), 9_999_999_999_999.99)
  const events = (await trusting.call({ url: '/api/v1/events?type=collection.received' })).body
  assert.match(events, /9999999999999\.99/)
  const { reference } = await addBankAccount(trusting)
  await makeDefault(trusting, reference)
  await createPayout(trusting, { amount: 5_000_000_000_000, bankAccount: reference })
  assert.equal((await closeSettlement(trusting)).net, 4_999_999_999_999.99)
  await assertCleanBooks(trusting)
})

test('an amount above the largest is stored for an operator', async () => {
  const { accountNumber } = await createAccount(trusting)
  const { says } = await credit(trusting, accountNumber, '10000000000000.01')
  assert.equal(says, '00 kept invalid_amount')
})

test('an advice may be as large as a credit', async () => {
  const { adviceReference } = await createAdvice(trusting, { amount: '9999999999999.99' })
  const url = `/Payment/advice/${adviceReference}`
  assert.equal(dataOf(await trusting.call({ url }), 'payment').amount, 9_999_999_999_999.99)
})

// Refunds are allowed only to the client that owns the money, with the scope refunds:write. Invalid requests
// are refused and change nothing. Maker-checker and limits are those of payouts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  createAccount,
  databaseText,
  dataOf,
} from '../support/fixtures.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { begin, recordMovements } from '../support/movements.ts'
import { askRefund, pay, paymentOf, refund, refundsOf, tryRefund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const NOBODYS = { paymentReference: '00000000-0000-7000-8000-000000000000' }

test('another client’s payment, credit or refund is not there', async () => {
  const token = await bench.newClient('OTHER')
  const { payment, number } = await begin(bench)
  const { sessionId } = await pay(bench, number, '100')
  const { reference } = await refund(bench, payment, '10')

  const answer = await askRefund(bench, payment, { amount: '1', token })
  assertRefused(answer, { status: 404, code: 'payment_not_found' })
  assertAlike(answer, await askRefund(bench, NOBODYS, { amount: '1', token }))
  const credit = await askRefund(bench, sessionId, { amount: '1', token })
  assertRefused(credit, { status: 404, code: 'credit_not_found' })
  const url = `/api/v1/refunds/${reference}`
  const read = await bench.call({ url, token })
  assertRefused(read, { status: 404, code: 'refund_not_found' })
  assertAlike(read, await bench.call({ url: '/api/v1/refunds/RFD000000000000000', token }))
  const cancel = { url: `${url}/cancel`, body: { reason: 'x' }, token }
  assertRefused(await bench.call(cancel), { status: 404, code: 'refund_not_found' })
  const { data } = (await bench.call({ url: '/api/v1/refunds', token })).json()
  assert.deepEqual(data, [])
})

test('a refund requires the scope refunds:write and a client of all merchant codes', async () => {
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const register = registerOf(bench)
  const scopes = ['payments:read', 'payments:write', 'payouts:write', 'credits:read']
  const without = await register.make({ scopes })
  const restricted = await register.make({ merchantCodes: ['BR-1'] })
  const [first, second] = [
    await bench.login(without.clientId, without.secret),
    await bench.login(restricted.clientId, restricted.secret),
  ]

  const code = async (token: string) =>
    (await askRefund(bench, payment, { amount: '1', token })).json().code

  assert.equal(await code(first), 'scope_missing')
  assert.equal(await code(second), 'merchants_restricted')
})

test('every bad amount and reason is named, and changes nothing', async () => {
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const before = await databaseText(bench)
  const bad: [string, unknown[]][] = [
    ['amount', ['0', '-1', '1.001', '1e3', 0.005, 1e21, '', null, ['1'], '1,0', undefined]],
    ['reason', ['', ' ', 5, null, 'x'.repeat(201), 'a\u0000b', undefined]],
  ]

  for (const [field, values] of bad) {
    for (const value of values) {
      const body = { amount: '1', reason: 'Wrong size', [field]: value }
      const answer = await bench.call({ url: refundsOf(payment), body })
      assertRefused(answer, { code: 'invalid_request' })
      assert.deepEqual(
        answer.json().errors.map((error: { field: string }) => error.field),
        [field],
      )
    }
  }
  const extra = { amount: '1', reason: 'x', to: '0123456789' }
  assertRefused(await bench.call({ url: refundsOf(payment), body: extra }))
  assert.equal(await databaseText(bench), before)
})

test('a refund is cancelled while it is queued, and free to be refunded again', async () => {
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')
  const { reference } = await refund(bench, payment, '100')
  const { moves, events } = await recordMovements(bench)
  const cancel = () =>
    bench.call({ url: `/api/v1/refunds/${reference}/cancel`, body: { reason: 'Mistake' } })

  assert.equal(dataOf(await cancel()).status, 'cancelled')
  assert.equal(dataOf(await cancel()).status, 'cancelled')

  assert.deepEqual(await moves(), ['refund_failed: refunding → available 100.00'])
  assert.deepEqual(await events(), [])
  const again = await refund(bench, payment, '100')
  await settleAll(bench, CONFIRMED)
  const late = await bench.call({
    url: `/api/v1/refunds/${again.reference}/cancel`,
    body: { reason: 'Mistake' },
  })
  assertRefused(late, { status: 409, code: 'refund_not_queued' })
  assert.equal((await paymentOf(bench, payment)).refundedAmount, 100)
})

test('above the client’s threshold a refund waits for approval, and its money with it', async () => {
  await using own = await startTestService()
  const { payment, number } = await begin(own)
  await pay(own, number, '100')
  const settings = { payoutApproval: 'above', approvalAbove: 50 }
  const url = '/api/v1/operator/clients/MAN0000001/payout-settings'
  dataOf(await own.call({ method: 'PATCH', url, body: settings }))

  const waiting = await refund(own, payment, '50.01')
  const free = await refund(own, payment, '49.99')

  assert.equal(waiting.payouts[0].approval, 'needed')
  assert.equal(free.payouts[0].approval, 'not_needed')
  assert.equal(await settleAll(own, CONFIRMED), 1)
  assert.equal((await paymentOf(own, payment)).refundedAmount, 49.99)
})

test('the client’s limits count refunds', async () => {
  await using own = await startTestService()
  const { payment, number } = await begin(own)
  await pay(own, number, '100')
  const url = '/api/v1/operator/clients/MAN0000001/payout-settings'
  const limits = { perPayoutLimit: 40, dailyLimit: 70 }
  dataOf(await own.call({ method: 'PATCH', url, body: limits }))

  assert.equal(await tryRefund(own, payment, '40.01'), 'payout_limit')
  assert.equal(await tryRefund(own, payment, '40'), 'queued')
  assert.equal(await tryRefund(own, payment, '30.01'), 'daily_payout_limit')
  assert.equal(await tryRefund(own, payment, '30'), 'queued')
})

test('money assigned to a collection account of another client is that client’s to refund', async () => {
  const token = await bench.newClient('THIRD')
  const { accountNumber } = await createAccount(bench, {}, { token })
  const { sessionId } = await pay(bench, accountNumber, '20')

  const own = await askRefund(bench, sessionId, { amount: '5', token })

  assert.equal(dataOf(own).status, 'queued')
  const foreign = await askRefund(bench, sessionId, { amount: '5' })
  assertRefused(foreign, { status: 404, code: 'credit_not_found' })
})

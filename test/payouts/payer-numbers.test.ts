// Nobody can read a payer's full account number in a refund, in a return, or in the payout that pays them. A
// client sees its own bank accounts in full.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { payOut } from '../support/money-out.ts'
import { begin } from '../support/movements.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { PAYER, pay, refund } from '../support/refunding.ts'
import { addClient, type Bench, type Call, startTestService } from '../support/running-service.ts'
import { giveBack } from '../support/suspense-desk.ts'

const NUMBER = PAYER.sourceAccountNumber
const MASKED = '******6789'

// Asserts that none of the responses shows the payer's full number.
async function assertMasked(bench: Bench, calls: readonly Partial<Call>[]): Promise<void> {
  for (const call of calls) {
    const { statusCode, body } = await bench.call(call as Call)
    assert.equal(statusCode, 200, `${call.url} ${body}`)
    assert(!body.includes(NUMBER), `${call.url} shows the payer’s number: ${body}`)
  }
}

test('a refund, cancelled or not, shows its payer’s number masked by every route', async () => {
  await using bench = await startTestService()
  await addClient(bench.db, bench.clock(), { clientId: 'OPERATOR01', isOperator: true })
  const operator = { token: await bench.login('OPERATOR01', 's3cret') }
  const { payment, number } = await begin(bench)
  await pay(bench, number, '100')

  const answer = await refund(bench, payment, '0.01')

  const [{ reference }] = answer.payouts
  const refundUrl = `/api/v1/refunds/${answer.reference}`
  const seen = [
    { url: `/api/v1/payouts/${reference}` },
    { url: '/api/v1/payouts' },
    { url: refundUrl },
    { url: '/api/v1/refunds' },
    { url: `/api/v1/operator/payouts/${reference}`, ...operator },
    { url: '/api/v1/operator/payouts', ...operator },
    { url: '/api/v1/events' },
    { url: '/api/v1/audit-log' },
  ]
  await assertMasked(bench, seen)
  await assertMasked(bench, [{ url: `${refundUrl}/cancel`, body: { reason: 'A mistake' } }])
  await assertMasked(bench, seen)
  const payout = dataOf(await bench.call({ url: `/api/v1/payouts/${reference}` }))
  assert.equal(payout.status, 'cancelled')
  assert.deepEqual([payout.toAccountNumber, payout.toAccountNumberMasked], [null, MASKED])
})

test('a return shows its payer’s number only where it is revealed, on the record', async () => {
  await using live = await startLiveService()
  const addClientAndLogIn = async (clientId: string, isOperator: boolean) => {
    await addClient(live.db, live.clock(), { clientId, isOperator })
    return { token: await live.login(clientId, 's3cret') }
  }
  const operator = await addClientAndLogIn('OPERATOR01', true)
  const merchant = await addClientAndLogIn('MERCHANT01', false)
  const { accountNumber } = await createAccount(live, {}, merchant)
  const deactivate = `/api/v1/accounts/static/${accountNumber}/deactivate`
  await live.call({ method: 'POST', url: deactivate, body: {}, ...merchant })
  const sessionId = newSessionId()
  const credit = { sessionId, accountNumber, amount: '75', ...PAYER }
  await postRail(live, '035/credits', credit, { secrets: [OWN_RAIL_SECRET] })
  const { data } = (await live.call({ url: '/api/v1/suspense', ...merchant })).json()
  const returned = dataOf(await giveBack(live, data[0].id, {}, merchant))

  const reference = returned.returnReference
  await assertMasked(live, [
    { url: `/api/v1/payouts/${reference}`, ...merchant },
    { url: '/api/v1/payouts', ...merchant },
    { url: `/api/v1/operator/payouts/${reference}`, ...operator },
    { url: '/api/v1/operator/payouts', ...operator },
    { url: `/api/v1/operator/returns/${reference}`, ...operator },
  ])
  const url = `/api/v1/operator/returns/${reference}?reveal=true`
  const revealed = dataOf(await live.call({ url, ...operator }))
  assert.equal(revealed.payerAccountNumber, NUMBER)
})

test('a payout to the client’s own bank account shows its number to those who may pay out', async () => {
  await using bench = await startTestService()
  await pay(bench, (await createAccount(bench)).accountNumber, '500')
  await payOut(bench, 100)

  const { data } = (await bench.call({ url: '/api/v1/payouts' })).json()

  assert.match(data[0].toAccountNumber, /^[0-9]{10}$/)
})

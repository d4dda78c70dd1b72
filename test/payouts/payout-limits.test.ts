// A client's payouts never exceed its limit per payout and its limit per day, even if they are requested at
// the same time (I50).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { kobo } from '#money.ts'
import type { NewPayout } from '#payouts/payout.ts'
import { createPayouts } from '#payouts/request.ts'
import { startTwin, tally } from '../support/bank-calls.ts'
import { CLIENTS } from '../support/clients.ts'
import { createPayout, fund, PAYOUTS, payoutBody, payoutRounds } from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { closeSettlement } from '../support/settlements.ts'

const LIMITS = `${CLIENTS}/MAN0000001/payout-settings`
const HOUR_MS = 3_600_000

// Starts a service with money and these payout limits.
async function startLimited(limits: object) {
  const bench = await startTestService()
  await fund(bench, '10000')
  const answer = await bench.call({ method: 'PATCH', url: LIMITS, body: limits })
  assert.equal(answer.statusCode, 200, answer.body)
  return bench
}

const codeOf = async (bench: Bench, amount: number) =>
  (await bench.call({ url: PAYOUTS, body: payoutBody({ amount }) })).json().code ?? 'paid'

test('no payout exceeds the limit per payout', async () => {
  await using bench = await startLimited({ perPayoutLimit: 100 })

  assert.equal(await codeOf(bench, 100.01), 'payout_limit')
  assert.equal(await codeOf(bench, 100), 'paid')
  const { data } = (await bench.call({ url: '/api/v1/payout-settings' })).json()
  assert.deepEqual(data, {
    payoutApproval: 'none',
    approvalAbove: null,
    twoApproversAbove: null,
    perPayoutLimit: 100,
    dailyLimit: null,
    reserveFloorPercent: 0,
    reserveFloorDays: 0,
    strictApprovers: false,
  })
})

test('a day’s payouts do not exceed the limit per day, which begins at midnight in Lagos', async () => {
  await using bench = await startLimited({ dailyLimit: 100 })

  assert.equal(await codeOf(bench, 60), 'paid')
  assert.equal(await codeOf(bench, 40.01), 'daily_payout_limit')
  bench.advance(14 * HOUR_MS) // 23:00 in Lagos.
  assert.equal(await codeOf(bench, 40.01), 'daily_payout_limit')
  bench.advance(HOUR_MS)
  assert.equal(await codeOf(bench, 100), 'paid')
})

test('cancelled and failed payouts do not count', async () => {
  await using bench = await startLimited({ dailyLimit: 100 })
  const { reference } = await createPayout(bench, { amount: 100 })
  assert.equal(await codeOf(bench, 1), 'daily_payout_limit')

  await bench.call({ url: `${PAYOUTS}/${reference}/cancel`, body: {} })

  assert.equal(await codeOf(bench, 100), 'paid')
})

test('payouts at once, at two processes, do not exceed the limit per day', async () => {
  await using bench = await startLimited({ dailyLimit: 100 })
  await using twin = await startTwin(bench)
  const call = { url: PAYOUTS, body: payoutBody({ amount: 30 }), token: await bench.login() }

  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => (at % 2 ? twin : bench).call(call)),
  )

  assert.deepEqual(tally(answers.map((answer) => answer.json().code ?? 'paid')), {
    paid: 3,
    daily_payout_limit: 9,
  })
})

test('refunds are limited likewise; settlements count, and are never refused', async () => {
  await using bench = await startLimited({ dailyLimit: 100 })
  await using rounds = await payoutRounds(bench)
  const make = (purpose: NewPayout['purpose'], naira: bigint) =>
    withTransaction(bench.db, async (tx) => {
      const made = await createPayouts(tx, { sealer: rounds.sealer, now: bench.clock() }, [
        {
          clientId: 1n as ClientId,
          purpose,
          bankCode: '035',
          amountKobo: kobo(naira * 100n),
          currency: 'NGN',
          to: { bankCode: '058', accountNumber: '0123456789', accountName: 'Ada Obi' },
          narration: 'Back',
          requestedBy: 'client:MAN0000001',
          requestedByUser: null,
          approversNeeded: 0,
        },
      ])
      return made.length
    })

  await assert.rejects(make('refund', 101n), { code: 'daily_payout_limit' })
  assert.equal(await make('return', 101n), 1)
  const { net, payouts } = await closeSettlement(bench)
  assert.deepEqual([net, payouts.length], [10_000, 1])
  await assert.rejects(make('refund', 1n), { code: 'daily_payout_limit' })
  await fund(bench, '10000')
  assert.equal(await codeOf(bench, 1), 'daily_payout_limit')
})

test('only operators set limits, in their audit log', async () => {
  await using bench = await startLimited({ perPayoutLimit: '100', dailyLimit: 500 })
  const token = await bench.newClient('NO-OPERATOR')
  const patch = (body: object, by = {}) => bench.call({ method: 'PATCH', url: LIMITS, body, ...by })

  assert.equal((await patch({ dailyLimit: 1 }, { token })).json().code, 'scope_missing')
  for (const body of [{}, { dailyLimit: 0 }, { dailyLimit: -1 }, { dailyLimit: 'x' }, { all: 1 }]) {
    assert.equal((await patch(body)).json().code, 'invalid_request', JSON.stringify(body))
  }
  const lifted = (await patch({ perPayoutLimit: null })).json().data
  assert.deepEqual([lifted.perPayoutLimit, lifted.dailyLimit], [null, 500])
  const { data } = (await bench.call({ url: '/api/v1/audit-log?action=payout.settings' })).json()
  assert.deepEqual(data[0].detail, {
    approvalAbove: null,
    twoApproversAbove: null,
    perPayoutLimit: null,
    dailyLimit: '500.00',
    reserveFloorBps: 0,
    reserveFloorDays: 0,
    strictApprovers: false,
  })
  const owner = await newBrowser(bench, 'owner')
  const refused = await owner.call({ method: 'PATCH', url: LIMITS, body: { dailyLimit: 1 } })
  assert.equal(refused.json().code, 'role_not_allowed')
})

// In the sandbox a client chooses the results of its next payouts, for any destination or for one. Each
// choice counts for one payout, and never for another client's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, databaseText } from '../support/fixtures.ts'
import { addBankAccount, createPayout, fund, getPayout, payoutRounds } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'

const OUTCOME = '/sandbox/payout-outcome'
const bench = closeAfterTests(await startTestService())
const rounds = closeAfterTests(await payoutRounds(bench))
await fund(bench, '100000')

// Chooses the result of the client's next payout.
async function choose(body: object, token?: string) {
  const by = token === undefined ? {} : { token }
  const answer = await bench.call({ method: 'PUT', url: OUTCOME, body, ...by })
  assert.equal(answer.statusCode, 200, answer.body)
}
async function statusesOf(payouts: { reference: string }[]): Promise<string[]> {
  return Promise.all(
    payouts.map(async ({ reference }) => (await getPayout(bench, reference)).status),
  )
}

test('each choice decides one payout, in turn, and then payouts are ordinary again', async () => {
  const payouts = []
  for (const outcome of ['failed', 'slow', 'never', 'answer_lost', 'ok']) {
    await choose({ outcome })
    payouts.push(await createPayout(bench))
    await rounds.send()
  }
  payouts.push(await createPayout(bench))
  await rounds.send()

  const confirmed = 'confirmed'
  const unknown = ['unknown', 'unknown', 'unknown']
  assert.deepEqual(await statusesOf(payouts), ['failed', ...unknown, confirmed, confirmed])
  bench.advance(10_000)
  await rounds.query()
  const later = ['failed', confirmed, 'unknown', confirmed, confirmed, confirmed]
  assert.deepEqual(await statusesOf(payouts), later)
})

test('a choice for one destination waits for it; the last word counts; two at once use two', async () => {
  const { accountNumber, reference: bankAccount } = await addBankAccount(bench)
  await choose({ outcome: 'never', accountNumber, times: 5 })
  await choose({ outcome: 'failed', accountNumber, times: 2 })

  const elsewhere = await createPayout(bench)
  const there = await Promise.all([1, 2, 3].map(() => createPayout(bench, { bankAccount })))
  await Promise.all([rounds.send(), rounds.send()])

  assert.deepEqual(await statusesOf([elsewhere]), ['confirmed'])
  assert.deepEqual((await statusesOf(there)).sort(), ['confirmed', 'failed', 'failed'])
})

test('another client’s choice is not ours, and bad ones are refused', async () => {
  const token = await bench.newClient('PAYER1')
  await choose({ outcome: 'failed' }, token)
  const payout = await createPayout(bench)
  await rounds.send()
  assert.deepEqual(await statusesOf([payout]), ['confirmed'])

  const before = await databaseText(bench)
  const bad = [{}, { outcome: 'gone' }, { outcome: 'ok', times: 0 }, { outcome: 'ok', times: 101 }]
  for (const body of [...bad, { outcome: 'ok', accountNumber: '12' }, { outcome: 'ok', more: 1 }]) {
    const answer = await bench.call({ method: 'PUT', url: OUTCOME, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
  assert.equal(await databaseText(bench), before)
})

test('live has neither choices nor chaos', async () => {
  await using live = await startLiveService()
  const token = await live.newClient('LIVE1')
  const chaos = '/sandbox/webhook-endpoints/01a1de38-6400-7cd4-8f3c-54b2b3eb3b52/chaos'

  const answers = await Promise.all([
    live.call({ method: 'PUT', url: OUTCOME, body: { outcome: 'ok' }, token }),
    live.call({ method: 'PUT', url: chaos, body: { dropNext: 1 }, token }),
    live.call({ url: chaos, token }),
    live.call({ method: 'DELETE', url: chaos, token }),
  ])

  for (const answer of answers) {
    assertRefused(answer, { status: 400, code: 'sandbox_only' })
  }
})

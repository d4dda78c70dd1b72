// A payout is sent at most once (I47). If the bank does not respond, the payout is `unknown`: the service
// queries the bank and never sends the payout again. The payout fails only when the bank says so.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ALERT_AFTER_MS,
  canKnowPayout,
  outcomeOf,
  queryAfterMs,
  STALE_MS,
} from '#payouts/unknown.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { requestFailure } from '../support/failing.ts'
import {
  addBankAccount,
  askUntilAbsent,
  createPayout,
  fund,
  getPayout,
  ledger,
  OPERATOR_PAYOUTS,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { scripted, UNKNOWN } from '../support/scripted-bank.ts'

const SECOND_MS = 1_000

test('no answer is unknown: the money stays on its way, and nothing is sent again', async () => {
  await using world = await scripted({ send: UNKNOWN, find: UNKNOWN })
  const { bench, rounds, sent, reference } = world

  for (let minutes = 0; minutes < 180; minutes += 5) {
    await rounds.send()
    await rounds.query()
    bench.advance(5 * 60 * SECOND_MS)
  }

  assert.deepEqual(sent, [reference])
  assert.equal(await world.status(), 'unknown')
  assert.equal((await ledger(bench))['paying client:1'], 100_000)
  await assertCleanBooks(bench)
})

test('an unknown payout that the bank confirms is paid', async () => {
  await using world = await scripted({ send: UNKNOWN, find: UNKNOWN })
  const { bench, rounds, answers, sent } = world
  await rounds.send()
  answers.find = { status: 'confirmed', bankReference: 'B-1' }

  await rounds.query() // Not due yet.
  assert.equal(await world.status(), 'unknown')
  bench.advance(queryAfterMs(0))
  await rounds.query()

  assert.equal(await world.status(), 'confirmed')
  assert.equal(sent.length, 1)
  await assertCleanBooks(bench)
})

test('an unknown payout fails only by an answer over the connection that it was sent over', async () => {
  await using world = await scripted({ send: UNKNOWN, find: { status: 'not_found' } })
  const { bench, rounds, reference } = world
  // The rounds of workers whose connection to the bank has this fingerprint (provider and merchant account).
  const roundsOver = (fingerprint: string) => {
    const banks = [...rounds.bankConnections]
    const connections = new Map(banks.map(([code, bank]) => [code, { ...bank, fingerprint }]))
    return payoutRounds(bench, { connections })
  }
  await using first = await roundsOver('squad, merchant A')
  await using second = await roundsOver('squad, merchant B')
  await first.send()

  for (const _ of [1, 2, 3]) {
    bench.advance(ALERT_AFTER_MS + 1)
    await second.query()
  }
  assert.equal(await world.status(), 'unknown')
  assert.equal((await ledger(bench))['paying client:1'], 100_000)
  const alerts = await bench.call({ url: '/api/v1/operator/alerts?kind=payout_unknown&open=true' })
  assert.deepEqual(
    alerts.json().data.map(({ subject }: { subject: string }) => subject),
    [`payout/${reference}`],
  )

  await askUntilAbsent(bench, first)
  assert.equal(await world.status(), 'failed')
  await assertCleanBooks(bench)
})

test('a payout without a stored connection counts as sent over the bank’s own, in naira', () => {
  const unsaid = { sentOver: null, currency: 'NGN' }
  assert.equal(canKnowPayout({ fingerprint: 'a' }, unsaid), true)
  assert.equal(canKnowPayout({ fingerprint: 'a', takesFiles: true }, unsaid), false)
  assert.equal(canKnowPayout({ fingerprint: 'a' }, { ...unsaid, currency: 'USD' }), false)
  assert.equal(
    canKnowPayout({ fingerprint: 'a', takesFiles: true }, { ...unsaid, sentOver: 'a' }),
    true,
  )
})

test('a payout being sent when its worker died is unknown, and queried', async () => {
  await using world = await scripted({ send: UNKNOWN, find: UNKNOWN })
  const { bench, rounds, reference, answers, sent } = world
  await bench.db.query(
    `update payouts set status = 'sending', sending_at = $2 where reference = $1`,
    [reference, bench.clock()],
  )
  await bench.db.query(
    `insert into payout_changes (payout_id, change, changed_by, changed_at)
     select id, 'sending', 'bank:035', $1 from payouts`,
    [bench.clock()],
  )
  answers.find = { status: 'confirmed', bankReference: 'B-1' }

  bench.advance(STALE_MS)
  await rounds.send()
  await rounds.query()
  assert.equal(await world.status(), 'sending') // Its answer may still come.
  bench.advance(1)
  await rounds.query()

  assert.equal(await world.status(), 'confirmed')
  assert.deepEqual(sent, [])
  await assertCleanBooks(bench)
})

test('only a definite answer decides, and intervals grow', () => {
  const reason = 'timeout'
  assert.equal(outcomeOf({ status: 'unknown', reason }), undefined)
  assert.equal(outcomeOf({ status: 'unknown', reason, isAccepted: true }), undefined)
  assert.equal(outcomeOf({ status: 'not_found' }), undefined)
  assert.equal(outcomeOf({ status: 'failed', reason })?.status, 'failed')
  const seconds = [0, 1, 2, 3, 9, 10, 99].map((queries) => queryAfterMs(queries) / SECOND_MS)
  assert.deepEqual(seconds, [5, 10, 20, 40, 2560, 3600, 3600])
})

test('the database lets no payout be sent twice, nor change what was asked for', async () => {
  await using world = await scripted({ send: UNKNOWN })
  const { bench, rounds } = world
  await rounds.send()

  for (const [change, constraint] of [
    [`status = 'sending', next_query_at = null`, 'payouts_follow_transitions'],
    [`status = 'queued', sending_at = null, next_query_at = null`, 'payouts_follow_transitions'],
    [`amount_kobo = 1`, 'payouts_keep_what_was_asked'],
    [`reference = 'PYT000000000000009'`, 'payouts_keep_what_was_asked'],
  ]) {
    const update = bench.db.query(`update payouts set ${change}`)
    await assert.rejects(update, { constraint }, change)
  }
})

test('operators get an alert about a payout that stays unknown, and settle it by hand', async () => {
  await using world = await scripted({ send: UNKNOWN })
  const { bench, rounds, reference } = world
  await rounds.send()
  bench.advance(ALERT_AFTER_MS + 1)
  await rounds.query()
  await rounds.query()
  const alerts = async () =>
    (await bench.call({ url: '/api/v1/operator/alerts?kind=payout_unknown&open=true' })).json()
  assert.equal((await alerts()).data.length, 1)
  assert.equal((await alerts()).data[0].subject, `payout/${reference}`)

  const url = `${OPERATOR_PAYOUTS}/${reference}`
  const confirm = (bankReference: string) =>
    bench.call({ url: `${url}/confirm`, body: { bankReference } })
  const confirmed = await confirm('B-9')

  assert.equal(confirmed.json().data.status, 'confirmed')
  assert.equal((await confirm('B-9')).statusCode, 200)
  assert.equal((await confirm('B-8')).json().code, 'payout_settled')
  const failed = await requestFailure(bench, reference)
  assert.equal(failed.json().code, 'payout_settled')
  assert.equal((await alerts()).data.length, 0)
  assert.deepEqual(await audited(bench, `payout/${reference}`), ['payout.confirm', 'payout.create'])
  await assertCleanBooks(bench)
})

test('only what is unknown is settled by hand', async () => {
  await using world = await scripted({ send: UNKNOWN })
  const { bench, reference } = world
  const url = `${OPERATOR_PAYOUTS}/${reference}`
  const fail = () => requestFailure(bench, reference)

  // The payout is still queued, so it must be cancelled instead.
  assert.equal((await fail()).json().code, 'payout_settled')
  const token = await bench.newClient('NOT-AN-OPERATOR')
  const refused = await bench.call({ url, token })
  assert.equal(refused.json().code, 'scope_missing')
  const missing = await bench.call({ url: `${OPERATOR_PAYOUTS}/PYT000000000000001` })
  assert.equal(missing.json().code, 'payout_not_found')
})

// The actions in the audit log about a payout, each of which must be recorded with the payout's amount.
async function audited(bench: Bench, subject: string): Promise<string[]> {
  const { data } = (await bench.call({ url: `/api/v1/audit-log?subject=${subject}` })).json()
  for (const { detail } of data) assert.equal(detail.amount, '1000.00')
  return data.map(({ action }: { action: string }) => action)
}

const SCENARIOS = [
  [SANDBOX_PREFIXES.paysSlowly, 'unknown', 'confirmed'],
  [SANDBOX_PREFIXES.neverAnswers, 'unknown', 'unknown'],
  [SANDBOX_PREFIXES.losesAnswer, 'unknown', 'confirmed'],
] as const

for (const [prefix, first, last] of SCENARIOS) {
  test(`the sandbox’s bank: accounts from ${prefix} are ${first}, then ${last}`, async () => {
    await using bench = await startTestService()
    await using rounds = await payoutRounds(bench)
    await fund(bench, '100')
    const { reference: bankAccount } = await addBankAccount(bench, { prefix })
    const { reference } = await createPayout(bench, { amount: 100, bankAccount })

    await rounds.send()
    assert.equal((await getPayout(bench, reference)).status, first)
    for (let seconds = 0; seconds < 60; seconds += 5) {
      bench.advance(5 * SECOND_MS)
      await rounds.query()
    }

    assert.equal((await getPayout(bench, reference)).status, last)
    await assertCleanBooks(bench)
  })
}

test('a worker whose clock is wrong sends nothing', async () => {
  await using world = await scripted({ send: UNKNOWN })
  const { bench, rounds, sent, status } = world
  await using wrong = await payoutRounds(bench, {
    connections: rounds.bankConnections,
    isClockRight: async () => false,
  })

  await wrong.send()
  assert.deepEqual([sent.length, await status()], [0, 'queued'])
  await rounds.send()
  assert.deepEqual([sent.length, await status()], [1, 'unknown'])
})

// A payout fails because its bank does not know it only under three conditions (I88): for this bank that is
// proof, the bank never said that it has the payout, and the service has measured the required time itself,
// so that changed clocks do not count.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAnswer } from '#banks/connector.ts'
import {
  type Absence,
  ALERT_AFTER_MS,
  ANSWERS_NEEDED,
  addAnswer,
  isAbsent,
  OBSERVED_MS_NEEDED,
} from '#payouts/unknown.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { askUntilAbsent, ledger, payoutRounds } from '../support/payouts.ts'
import { scripted, UNKNOWN } from '../support/scripted-bank.ts'

const HOUR_MS = 3_600_000
const NOT_FOUND: PayoutAnswer = { status: 'not_found' }
const ACCEPTED: PayoutAnswer = { status: 'unknown', reason: 'Pending', isAccepted: true }

test('a payout that the bank never saw has failed after several answers over a while', async () => {
  await using world = await scripted({ send: UNKNOWN, find: NOT_FOUND })
  const { bench, rounds } = world
  await rounds.send()

  bench.advance(OBSERVED_MS_NEEDED)
  await rounds.query()
  bench.advance(OBSERVED_MS_NEEDED)
  await rounds.query()
  assert.equal(await world.status(), 'unknown')
  bench.advance(OBSERVED_MS_NEEDED)
  await rounds.query()

  assert.equal(await world.status(), 'failed')
  assert.equal((await ledger(bench))['available client:1'], 100_000)
  await assertCleanBooks(bench)
})

test('clocks that are stepped, of the service and the database together, fail nothing', async () => {
  await using world = await scripted({ send: UNKNOWN, find: NOT_FOUND })
  const { bench, rounds, answers } = world
  let elapsedMs = 0
  const monotonic = () => elapsedMs
  await using stepped = await payoutRounds(bench, {
    connections: rounds.bankConnections,
    monotonic,
  })
  await stepped.send()

  for (let steps = 0; steps < 10; steps++) {
    bench.advance(2 * HOUR_MS)
    elapsedMs += 5_000
    await stepped.query()
  }
  assert.equal(await world.status(), 'unknown')

  answers.find = { status: 'confirmed', bankReference: 'B-1' }
  bench.advance(2 * HOUR_MS)
  await stepped.query()
  assert.equal(await world.status(), 'confirmed')
})

test('time counts only between two answers of one process: not across restarts', async () => {
  await using world = await scripted({ send: UNKNOWN, find: NOT_FOUND })
  const { bench, rounds } = world
  const { bankConnections: connections } = rounds
  await rounds.send()

  for (let restarts = 0; restarts < 6; restarts++) {
    bench.advance(2 * HOUR_MS)
    await using restarted = await payoutRounds(bench, { connections })
    await restarted.query()
  }
  assert.equal(await world.status(), 'unknown')
  await using last = await payoutRounds(bench, { connections })
  bench.advance(2 * HOUR_MS)
  await last.query()
  assert.equal(await world.status(), 'unknown')
  bench.advance(2 * HOUR_MS)
  await last.query()

  assert.equal(await world.status(), 'failed')
})

for (const step of ['send', 'find'] as const) {
  test(`a payout that the bank once had (${step}) is never failed as unknown later`, async () => {
    await using world = await scripted({
      send: step === 'send' ? ACCEPTED : UNKNOWN,
      find: ACCEPTED,
    })
    const { bench, rounds, answers } = world
    await rounds.send()
    if (step === 'find') {
      bench.advance(OBSERVED_MS_NEEDED)
      await rounds.query()
    }
    answers.find = NOT_FOUND

    for (const _ of [1, 2, 3]) await askUntilAbsent(bench, rounds)

    assert.equal(await world.status(), 'unknown')
  })
}

test('where “not found” is no proof the payout stays unknown, and operators get an alert', async () => {
  await using world = await scripted({ send: UNKNOWN, find: NOT_FOUND })
  const { bench, rounds, reference } = world
  const banks = [...rounds.bankConnections].map(([code, { notFoundIsProof: _, ...bank }]) => {
    return [code, bank] as const
  })
  await using hearsay = await payoutRounds(bench, { connections: new Map(banks) })
  await hearsay.send()

  for (const _ of [1, 2, 3]) await askUntilAbsent(bench, hearsay)
  bench.advance(ALERT_AFTER_MS)
  await hearsay.query()

  assert.equal(await world.status(), 'unknown')
  assert.equal((await ledger(bench))['paying client:1'], 100_000)
  const url = '/api/v1/operator/alerts?kind=payout_unknown&open=true'
  const [alert] = (await bench.call({ url })).json().data
  assert.equal(alert.subject, `payout/${reference}`)
  assert(alert.detail.notFoundAnswers > 0, JSON.stringify(alert.detail))
  assert.match(alert.remedy, /“not found” is no proof/)
})

test('every condition has to hold', () => {
  const absence: Absence = {
    isProof: true,
    isAccepted: false,
    isHeld: false,
    answers: ANSWERS_NEEDED,
    observedMs: OBSERVED_MS_NEEDED,
  }
  assert(isAbsent(absence))
  for (const change of [
    { isProof: false },
    { isAccepted: true },
    { isHeld: true },
    { answers: ANSWERS_NEEDED - 1 },
    { observedMs: OBSERVED_MS_NEEDED - 1 },
  ]) {
    assert(!isAbsent({ ...absence, ...change }), JSON.stringify(change))
  }
})

test('no time counts between processes, nor when a clock goes back', () => {
  const first = { by: 'a', queriedAtMs: 90, answeredAtMs: 100 }
  const none = { answers: 0, observedMs: 0, by: null, atMs: null }
  const one = addAnswer(none, first)
  assert.deepEqual(one, { answers: 1, observedMs: 0, by: 'a', atMs: 100 })
  assert.equal(addAnswer(one, { by: 'a', queriedAtMs: 150, answeredAtMs: 160 }).observedMs, 50)
  assert.equal(addAnswer(one, { by: 'b', queriedAtMs: 150, answeredAtMs: 160 }).observedMs, 0)
  assert.equal(addAnswer(one, { by: 'a', queriedAtMs: 50, answeredAtMs: 60 }).observedMs, 0)
})

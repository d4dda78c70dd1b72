// If a payout order certainly never reached the bank, for example because the connection was refused, the
// payout stays queued and is sent later (I105). A long outage raises an alert.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAnswer } from '#banks/connector.ts'
import { withTransaction } from '#db/transaction.ts'
import { kobo } from '#money.ts'
import { recordPayoutReport } from '#payouts/review.ts'
import { queueAgain, sendAgainAfterMs } from '#payouts/send.ts'
import { STALE_MS } from '#payouts/unknown.ts'
import { alertOverdue } from '#payouts/workers.ts'
import { assertCleanBooks, startWithBanks } from '../support/bank-calls.ts'
import { startLoneBank } from '../support/fake-bank.ts'
import { createPayout, fund, getPayout, PAYOUTS, payoutRounds } from '../support/payouts.ts'
import type { Bench } from '../support/running-service.ts'
import { scripted, UNKNOWN } from '../support/scripted-bank.ts'

const MINUTE_MS = 60_000
const UNSENT: PayoutAnswer = { status: 'unsent', reason: 'Nothing was sent: ECONNREFUSED' }
const PAID: PayoutAnswer = { status: 'confirmed', bankReference: 'BANK-1' }

const changesOf = async (bench: Bench, reference: string): Promise<string[]> =>
  (await getPayout(bench, reference)).history.map(({ change }: { change: string }) => change)

// The alerts about payouts that wait.
async function waiting(bench: Bench): Promise<{ reason: string; payouts: number }[]> {
  const today = { now: bench.clock(), lastBusinessDay: '2026-11-13' }
  await withTransaction(bench.db, (tx) => alertOverdue(tx, today))
  const url = '/api/v1/operator/alerts?kind=payouts_waiting&open=true'
  const { data } = (await bench.call({ url })).json()
  return data.map(({ detail }: { detail: { reason: string; payouts: number } }) => detail)
}

test('an unsent payout is tried again after 5 seconds, then at doubling intervals up to 5 minutes', () => {
  assert.deepEqual(
    [0, 1, 2, 6, 7, 1_000].map((times) => sendAgainAfterMs(times, 0)),
    [5_000, 10_000, 20_000, 300_000, 300_000, 300_000],
  )
  assert.deepEqual([sendAgainAfterMs(0, 0.5), sendAgainAfterMs(7, 1)], [3_750, 150_000])
})

test('an order that never reached the bank is queued again, and sent once the bank is back', async () => {
  await using world = await scripted({ send: UNSENT, find: UNKNOWN })
  const { bench, rounds, reference, sent, answers } = world
  await rounds.send()
  const { status, history } = await getPayout(bench, reference)
  assert.deepEqual([status, history.at(-1).change], ['queued', 'unsent'])
  assert.equal(history.at(-1).detail, 'Nothing was sent: ECONNREFUSED')
  await assertCleanBooks(bench)
  await rounds.send()
  assert.equal(sent.length, 1) // Not before it is due.
  bench.advance(5_000)
  await rounds.send()
  assert.equal(sent.length, 2)

  answers.send = PAID
  bench.advance(10_000)
  await rounds.send()
  await rounds.send()

  assert.equal(await world.status(), 'confirmed')
  assert.equal(sent.length, 3)
  assert.deepEqual(await changesOf(bench, reference), [
    'queued',
    'routed',
    'sending',
    'unsent',
    'sending',
    'unsent',
    'sending',
    'confirmed',
  ])
  await assertCleanBooks(bench)
})

test('an order that may have been sent is unknown, and never sent again', async () => {
  await using world = await scripted({ send: UNKNOWN, find: UNKNOWN })
  const { bench, rounds, sent } = world
  await rounds.send()
  bench.advance(MINUTE_MS)
  await rounds.send()
  assert.equal(await world.status(), 'unknown')
  assert.equal(sent.length, 1)
})

test('a sender that others gave up on queues nothing again', async () => {
  await using world = await scripted({ send: UNSENT, find: UNKNOWN })
  const { bench, rounds, sent } = world
  world.during.call = async () => {
    delete world.during.call
    bench.advance(STALE_MS + 1)
    await rounds.query()
    assert.equal(await world.status(), 'unknown')
  }
  await rounds.send()
  assert.equal(await world.status(), 'unknown')
  bench.advance(MINUTE_MS)
  await rounds.send()
  assert.equal(sent.length, 1)
})

test('a waiting payout can be cancelled, and is then not sent', async () => {
  await using world = await scripted({ send: UNSENT, find: UNKNOWN })
  const { bench, rounds, reference, sent, answers } = world
  await rounds.send()
  const url = `${PAYOUTS}/${reference}/cancel`
  assert.equal((await bench.call({ url, body: {} })).statusCode, 200)
  answers.send = PAID
  bench.advance(60 * MINUTE_MS)
  await rounds.send()
  assert.equal(await world.status(), 'cancelled')
  assert.equal(sent.length, 1)
  await assertCleanBooks(bench)
})

test('operators have an alert from half an hour on, until the payout is sent', async () => {
  await using world = await scripted({ send: UNSENT, find: UNKNOWN })
  const { bench, rounds, answers } = world
  await rounds.send()
  bench.advance(29 * MINUTE_MS)
  await rounds.send()
  assert.deepEqual(await waiting(bench), [])
  bench.advance(MINUTE_MS)
  const [alert, ...others] = await waiting(bench)
  assert.deepEqual([alert?.reason, alert?.payouts, others], ['bank_unreachable', 1, []])
  answers.send = PAID
  bench.advance(5 * MINUTE_MS)
  await rounds.send()
  assert.deepEqual(await waiting(bench), [])
})

// Reports the payout as the bank would if it had received the order after all.
async function report(bench: Bench, reference: string, bankCode: string): Promise<void> {
  const event = { reference, says: 'confirmed' } as const
  const isOurs = await withTransaction(bench.db, (tx) =>
    recordPayoutReport(tx, bench.clock(), { bankCode, event }),
  )
  assert.equal(isOurs, true)
}

async function bankOf({ db }: Bench): Promise<string> {
  return (await db.query('select bank_code from payouts')).rows[0].bankCode
}

// How many open alerts say that a bank reported another result for a payout than the books have.
async function contradictions({ call }: Bench): Promise<number> {
  const url = '/api/v1/operator/alerts?kind=payout_contradicted&open=true'
  return (await call({ url })).json().data.length
}

for (const isMoved of [false, true]) {
  const where = isMoved ? ', at another bank by now,' : ''
  test(`a queued payout${where} that the bank reports after all is not sent again`, async () => {
    await using world = await scripted({ send: UNSENT, find: UNKNOWN })
    const { bench, rounds, reference, sent, answers } = world
    await rounds.send()
    const first = await bankOf(bench)
    const other = bench.config.banks.find(({ code }) => code !== first)?.code
    assert(other)
    if (isMoved) await bench.db.query('update payouts set bank_code = $1', [other])

    await report(bench, reference, first)
    bench.advance(60 * MINUTE_MS)
    await rounds.send()

    assert.deepEqual([await world.status(), await bankOf(bench)], ['unknown', first])
    assert.deepEqual([sent.length, await contradictions(bench)], [1, 1])
    answers.find = PAID
    await rounds.query()
    assert.equal(await world.status(), 'confirmed')
    await assertCleanBooks(bench)
  })
}

test('a payout that another bank paid, and the first reports after all, alerts operators', async () => {
  await using world = await scripted({ send: UNSENT, find: UNKNOWN })
  const { bench, rounds, reference, answers } = world
  await rounds.send()
  const first = await bankOf(bench)
  const other = bench.config.banks.find(({ code }) => code !== first)?.code
  await bench.db.query('update payouts set bank_code = $1', [other])
  answers.send = PAID
  bench.advance(MINUTE_MS)
  await rounds.send()
  assert.deepEqual([await world.status(), await contradictions(bench)], ['confirmed', 0])
  await report(bench, reference, first)
  assert.deepEqual([await world.status(), await contradictions(bench)], ['confirmed', 1])
  await assertCleanBooks(bench)
})

test('a cancelled payout that the bank reports after all alerts operators', async () => {
  await using world = await scripted({ send: UNSENT, find: PAID })
  const { bench, rounds, reference, sent } = world
  await rounds.send()
  await bench.call({ url: `${PAYOUTS}/${reference}/cancel`, body: {} })
  await report(bench, reference, await bankOf(bench))
  await rounds.query()
  assert.deepEqual([await world.status(), sent.length], ['cancelled', 1])
  assert.equal(await contradictions(bench), 1)
})

test('only the claim that it is in queues a payout again', async () => {
  await using world = await scripted({ send: UNSENT, find: UNKNOWN })
  const { bench, rounds } = world
  world.during.call = async () => {
    const { rows } = await bench.db.query('select id, sending_at from payouts')
    const { id, sendingAt } = rows[0]
    const claimedAt = new Date(sendingAt.getTime() - 1)
    const unsent = { id, claimedAt, reason: 'x', by: 'bank:1', chance: 0 }
    const isQueued = await withTransaction(bench.db, (tx) => queueAgain(tx, bench.clock(), unsent))
    assert.equal(isQueued, false)
    assert.equal(await world.status(), 'sending')
  }
  await rounds.send()
  assert.equal(await world.status(), 'queued')
})

for (const connector of ['manilla', 'paystack', 'monnify']) {
  test(`${connector}: a payout survives that its bank is down, and is ordered once`, async () => {
    let bench: Bench | undefined
    const clock = () => bench?.clock() ?? new Date('2026-11-15T08:00:00Z')
    const options = { connector, clock, openingKobo: kobo(100_000_000n) }
    const first = await startLoneBank(options)
    const { entry, env } = first.banksFile
    bench = await startWithBanks([{ ...entry, railSecrets: undefined }], env)
    try {
      await using rounds = await payoutRounds(bench)
      await fund(bench, '5000')
      const { reference } = await createPayout(bench, { amount: 1000 })
      await first[Symbol.asyncDispose]()
      await rounds.send()
      assert.equal((await getPayout(bench, reference)).status, 'queued')
      bench.advance(MINUTE_MS)
      await rounds.send()
      assert.equal((await getPayout(bench, reference)).status, 'queued')

      await using back = await startLoneBank({ ...options, port: Number(new URL(first.url).port) })
      bench.advance(5 * MINUTE_MS)
      await rounds.send()
      bench.advance(MINUTE_MS)
      await rounds.query()

      assert.equal((await getPayout(bench, reference)).status, 'confirmed')
      assert.equal(back.bank.payouts.all().length, 1)
      await assertCleanBooks(bench)
    } finally {
      await bench[Symbol.asyncDispose]()
    }
  })
}

// A bank gives back a payout that it had confirmed (I104). The service does not book this by the bank's
// report alone, but by answers to its queries that stay the same for a while; or by a line of the bank's
// statement, which is the same money.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAnswer } from '#banks/connector.ts'
import type { PayoutEvent } from '#banks/notifications.ts'
import { withTransaction } from '#db/transaction.ts'
import { kobo } from '#money.ts'
import { holdPayouts, releasePayouts } from '#payouts/holds.ts'
import { recordPayoutReport } from '#payouts/review.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { resolve } from '../support/differences.ts'
import { control, startWithFakeBank } from '../support/fake-bank.ts'
import { recordMovements } from '../support/movements.ts'
import {
  assertGreen,
  balances,
  debit,
  found,
  givenBack,
  KOBO,
  PAID,
  rematch,
  settled,
  statement,
} from '../support/payout-lines.ts'
import { createPayout, fund, getPayout, ledger, payoutRounds } from '../support/payouts.ts'
import type { Bench } from '../support/running-service.ts'
import { scripted, UNKNOWN } from '../support/scripted-bank.ts'

const MINUTE_MS = 60_000
const REVERSED: PayoutAnswer = { status: 'failed', reason: 'REVERSED', isReversed: true }
const FAILED: PayoutAnswer = { status: 'failed', reason: 'FAILED' }

type World = Awaited<ReturnType<typeof settled>>

// Records the bank's report about the payout.
async function report({ bench, reference }: World, says: PayoutEvent['says']): Promise<void> {
  const { rows } = await bench.db.query('select bank_code as "bankCode" from payouts')
  const event = { reference, says }
  const { bankCode } = rows[0] as { bankCode: string }
  await withTransaction(bench.db, (tx) =>
    recordPayoutReport(tx, bench.clock(), { bankCode, event }),
  )
}

// Queries the bank that many times. An hour passes after each, because no wait between two queries is longer.
async function ask({ bench, rounds }: Pick<World, 'bench' | 'rounds'>, times: number) {
  for (let round = 0; round < times; round++) {
    await rounds.query()
    bench.advance(60 * MINUTE_MS)
  }
}

// The open alerts about payouts, each as "kind status".
async function alerts(bench: Bench): Promise<string[]> {
  const { data } = (await bench.call({ url: '/api/v1/operator/alerts?open=true' })).json()
  return data
    .filter(({ subject }: { subject: string }) => subject.startsWith('payout/'))
    .map(({ kind, detail }: { kind: string; detail: { status?: string } }) =>
      [kind, detail.status].filter(Boolean).join(' '),
    )
    .sort()
}

const isReturned = async ({ bench, reference }: World) =>
  (await getPayout(bench, reference)).history.filter(
    ({ change }: { change: string }) => change === 'returned_by_bank',
  ).length

// Starts a service with a payout that the bank confirmed. From now on the bank answers queries with
// "reversed": it gave the money back.
async function confirmed(): Promise<World> {
  const world = await settled(PAID)
  world.answers.find = REVERSED
  return world
}

// The statement line of the payout, which includes the bank's charge.
const paid = (reference: string) => debit(reference, { kobo: -KOBO - 1_075n })

const BALANCES = { gross: 5000, net: 5000, available: 4000, paidOut: 1000, receivable: 0 }
const WITH_IT_BACK = { ...BALANCES, available: 5000, paidOut: 0 }

test('answers that keep saying so book the return once, and tell the client and a person', async () => {
  await using world = await confirmed()
  const { bench, rounds, reference } = world
  const { moves, events } = await recordMovements(bench)
  await report(world, 'reversed')
  assert.deepEqual(await alerts(bench), ['payout_contradicted reversed'])
  await ask(world, 2)
  assert.deepEqual(await moves(), [])

  await ask(world, 1)

  assert.match((await moves()).join(), /^paid: bank \d+ → available 1000.00$/)
  assert.deepEqual(await balances(bench), WITH_IT_BACK)
  assert.deepEqual(await alerts(bench), ['payout_returned'])
  assert.deepEqual(await events(), ['alert.raised', 'alert.raised', 'payout.returned'])
  const { rows } = await bench.db.query(`select facts from events where type = 'payout.returned'`)
  assert.deepEqual(
    [rows[0].facts.reference, rows[0].facts.status, rows[0].facts.purpose],
    [reference, 'confirmed', 'payout'],
  )
  const { status, history } = await getPayout(bench, reference)
  assert.deepEqual([status, history.at(-1).change], ['confirmed', 'returned_by_bank'])

  await report(world, 'confirmed') // A report that comes late changes nothing.
  await Promise.all([1, 2, 3].map(() => report(world, 'reversed')))
  await ask(world, 5)
  await rounds.query()
  assert.equal(await isReturned(world), 1)
  assert.deepEqual(await balances(bench), WITH_IT_BACK)
  assert.deepEqual(await alerts(bench), ['payout_returned'])
  await assertCleanBooks(bench)
})

test('a report alone books nothing, however often it comes', async () => {
  await using world = await confirmed()
  const { bench, answers } = world
  answers.find = PAID
  const before = await ledger(bench)
  for (let again = 0; again < 5; again++) await report(world, 'reversed')
  await ask(world, 40)
  assert.deepEqual(await ledger(bench), before)
  assert.deepEqual(await alerts(bench), ['payout_contradicted reversed'])
  const { rows } = await bench.db.query('select next_query_at from payout_reviews')
  assert.deepEqual(rows, [{ nextQueryAt: null }]) // The service plans no further query.
})

test('three answers within minutes are not enough', async () => {
  await using world = await confirmed()
  const { bench, rounds } = world
  await report(world, 'reversed')
  for (let round = 0; round < 6; round++) {
    await rounds.query()
    bench.advance(2 * MINUTE_MS)
  }
  assert.equal(await isReturned(world), 0)
  bench.advance(15 * MINUTE_MS)
  await rounds.query()
  assert.equal(await isReturned(world), 1)
})

for (const [name, answer] of [
  ['confirmed', PAID],
  ['failed', FAILED],
  ['pending', { status: 'unknown', reason: 'PENDING', isAccepted: true }],
  ['not found', { status: 'not_found' }],
] as const) {
  test(`a bank that says reversed, then ${name}, is not believed until it keeps to it`, async () => {
    await using world = await confirmed()
    await report(world, 'reversed')
    await ask(world, 2)
    world.answers.find = answer
    await ask(world, 1)
    world.answers.find = REVERSED
    await ask(world, 2)
    assert.equal(await isReturned(world), 0)
    await ask(world, 1)
    assert.equal(await isReturned(world), 1)
    await assertCleanBooks(world.bench)
  })
}

test('silence takes nothing away', async () => {
  await using world = await confirmed()
  await report(world, 'reversed')
  await ask(world, 2)
  world.answers.find = UNKNOWN
  await ask(world, 3)
  assert.equal(await isReturned(world), 0)
  world.answers.find = REVERSED
  await ask(world, 1)
  assert.equal(await isReturned(world), 1)
})

test('a bank that only says failed of what it confirmed is contradicted, and nothing is booked', async () => {
  await using world = await confirmed()
  world.answers.find = FAILED
  await report(world, 'failed')
  await ask(world, 40)
  assert.equal(await isReturned(world), 0)
  assert.deepEqual(await alerts(world.bench), ['payout_contradicted failed'])
})

test('after the return was booked, an answer that the payout was paid is a contradiction', async () => {
  await using world = await confirmed()
  await report(world, 'reversed')
  await ask(world, 3)
  world.answers.find = PAID
  await report(world, 'confirmed')
  await ask(world, 1)
  assert.deepEqual(await alerts(world.bench), ['payout_contradicted confirmed', 'payout_returned'])
  assert.deepEqual(await balances(world.bench), WITH_IT_BACK)
})

test('nothing is booked while payouts are held', async () => {
  await using world = await confirmed()
  const { bench } = world
  const by = 'operator'
  await withTransaction(bench.db, (tx) => holdPayouts(tx, bench.clock(), { reason: 'Drill', by }))
  await report(world, 'reversed')
  await ask(world, 5)
  assert.equal(await isReturned(world), 0)
  await withTransaction(bench.db, (tx) => releasePayouts(tx, bench.clock(), by))
  await ask(world, 1)
  assert.equal(await isReturned(world), 1)
})

test('two processes that query the bank at once book the return once', async () => {
  await using world = await confirmed()
  const { bench, rounds } = world
  await using other = await payoutRounds(bench, { connections: rounds.bankConnections })
  for (let round = 0; round < 12; round++) {
    await Promise.all([report(world, 'reversed'), rounds.query(), other.query()])
    bench.advance(60 * MINUTE_MS)
  }
  assert.equal(await isReturned(world), 1)
  await assertCleanBooks(bench)
})

test('a hundred reports in a minute have the bank asked a few times', async () => {
  await using world = await confirmed()
  const { bench, rounds, answers, during } = world
  answers.find = PAID
  let questions = 0
  during.call = async () => ++questions
  for (let again = 0; again < 100; again++) {
    await report(world, 'reversed')
    await rounds.query()
    bench.advance(500)
  }
  assert(questions <= 6, `${questions} questions`)
})

test('a clock that is set back delays no question about a reported payout', async () => {
  await using world = await confirmed()
  const { bench, rounds, during } = world
  let questions = 0
  during.call = async () => ++questions
  await report(world, 'reversed')
  await rounds.query()
  bench.advance(-24 * 60 * MINUTE_MS)
  await rounds.query()
  assert.equal(questions, 2)
  await rounds.query() // The next one is planned by the clock as it is now.
  assert.equal(questions, 2)
})

for (const status of ['sending', 'unknown'] as const) {
  test(`a return that is reported while the payout is ${status} is not forgotten`, async () => {
    await using world = await scripted({ send: status === 'sending' ? PAID : UNKNOWN, find: PAID })
    const { bench, rounds, answers, during } = world
    if (status === 'sending') during.call = () => report(world, 'reversed')
    await rounds.send()
    delete during.call
    if (status === 'unknown') await report(world, 'reversed')
    await rounds.query() // The bank's status lags behind its report.
    assert.equal(await world.status(), 'confirmed')
    assert.equal(await isReturned(world), 0)
    answers.find = REVERSED
    bench.advance(60 * MINUTE_MS)
    await ask(world, 3)
    assert.equal(await isReturned(world), 1)
    await assertCleanBooks(bench)
  })
}

test('a payout that was sent over other settings is not queried for ever', async () => {
  await using world = await confirmed()
  const { bench } = world
  await bench.db.query(`update payouts set sent_over = 'another'`)
  await report(world, 'reversed')
  await ask(world, 40)
  assert.equal(await isReturned(world), 0)
  const { rows } = await bench.db.query('select next_query_at from payout_reviews')
  assert.deepEqual(rows, [{ nextQueryAt: null }])
})

test('the statement’s line is the return that was booked, and is not booked again', async () => {
  await using world = await confirmed()
  const { bench, reference } = world
  await report(world, 'reversed')
  await ask(world, 3)
  assert.equal(await isReturned(world), 1)
  await assertCleanBooks(bench) // The books are right even before the statement comes.
  const { moves } = await recordMovements(bench)

  const bankCode = await statement(bench, [paid(reference), givenBack(reference)])

  assert.deepEqual(await found(bench), [])
  const { rows } = await bench.db.query(
    `select rule, amount_kobo from statement_matches where item_kind = 'payout_return'`,
  )
  assert.deepEqual(rows, [{ rule: 'our_reference', amountKobo: KOBO }])
  assert.deepEqual(await moves(), [])
  await assertGreen(bench, bankCode)
})

test('a second line for the same return is a duplicate, and cannot be booked', async () => {
  await using world = await confirmed()
  const { bench, reference } = world
  await report(world, 'reversed')
  await ask(world, 3)
  const lines = [
    paid(reference),
    givenBack(reference),
    givenBack(reference, { bankReference: 'FT3' }),
  ]
  await statement(bench, lines)
  const [second, ...others] = await found(bench)
  assert.deepEqual([second.kind, second.actions, others], ['duplicate_at_bank', ['note'], []])
})

test('a line that came first is explained by the return, and refuses to be booked meanwhile', async () => {
  await using world = await confirmed()
  const { bench, reference } = world
  const bankCode = await statement(bench, [paid(reference), givenBack(reference)])
  const [line] = await found(bench)
  assert.equal(line.kind, 'payout_returned')
  await report(world, 'reversed')
  await ask(world, 3)
  assert.equal(await isReturned(world), 1)

  const again = await resolve(bench, line.id, 'book')
  assert.equal(again.json().code, 'action_not_allowed')
  await rematch(bench, bankCode)

  assert.deepEqual(await found(bench), [])
  assert.deepEqual(await balances(bench), WITH_IT_BACK)
  await assertCleanBooks(bench)
})

test('a return booked from a statement is not booked again from the bank’s answers', async () => {
  await using world = await confirmed()
  const { bench, reference } = world
  const bankCode = await statement(bench, [paid(reference), givenBack(reference)])
  const [line] = await found(bench)
  assert.equal((await resolve(bench, line.id, 'book')).statusCode, 200)

  await report(world, 'reversed')
  await ask(world, 5)

  assert.equal(await isReturned(world), 1)
  assert.deepEqual(await alerts(bench), ['payout_contradicted reversed'])
  assert.deepEqual(await balances(bench), WITH_IT_BACK)
  await assertGreen(bench, bankCode)
})

test('a statement line and the bank’s answers at the same moment book the return once', async () => {
  await using world = await confirmed()
  const { bench, reference } = world
  await statement(bench, [paid(reference), givenBack(reference)])
  const [line] = await found(bench)
  await report(world, 'reversed')
  await ask(world, 2)
  await Promise.all([resolve(bench, line.id, 'book'), ask(world, 1)])
  assert.equal(await isReturned(world), 1)
  assert.deepEqual(await balances(bench), WITH_IT_BACK)
  await assertCleanBooks(bench)
})

const OPENING_KOBO = kobo(100_000_000n)

for (const { connector, isBooked } of [
  { connector: 'monnify', isBooked: true },
  { connector: 'paystack', isBooked: true },
  { connector: 'nomba', isBooked: false },
]) {
  test(`${connector}: a reversal is reported, asked about and ${isBooked ? 'booked' : 'told'}`, async () => {
    await using world = await startWithFakeBank({ connector, openingKobo: OPENING_KOBO })
    const { bench, bank } = world
    await using rounds = await payoutRounds(bench)
    await fund(bench, '5000')
    const { reference } = await createPayout(bench, { amount: 1000 })
    await rounds.send()
    await bank.sendDue() // Reports its success.
    await rounds.query()
    assert.equal((await getPayout(bench, reference)).status, 'confirmed')
    await ask({ bench, rounds }, 1)
    assert.deepEqual(await alerts(bench), [])

    const [paid] = (await control(bank, 'payouts')).body
    const reversal = await control(bank, 'payout-reversals', { reference: paid.reference })
    assert.deepEqual([reversal.status, reversal.body.status], [200, 'reversed'])
    await bank.sendDue()
    assert.deepEqual(await alerts(bench), ['payout_contradicted reversed'])
    await ask({ bench, rounds }, 3)

    const { available } = await balances(bench)
    assert.deepEqual(
      [available, await alerts(bench)],
      isBooked ? [5000, ['payout_returned']] : [4000, ['payout_contradicted reversed']],
    )
    const { rows } = await bench.db.query('select * from rail_items')
    assert.deepEqual(rows, [])
    await assertCleanBooks(bench)
  })

  test(`${connector}: a failure is reported, and asked about`, async () => {
    await using world = await startWithFakeBank({ connector, openingKobo: OPENING_KOBO })
    const { bench, bank } = world
    await using rounds = await payoutRounds(bench)
    await fund(bench, '5000')
    await control(bank, 'payout-behaviour', { behaviour: 'reject' })
    const { reference } = await createPayout(bench, { amount: 1000 })
    await rounds.send()
    await bank.sendDue()
    await rounds.query()
    assert.equal((await getPayout(bench, reference)).status, 'failed')
    assert.deepEqual(await alerts(bench), [])
    assert.equal((await balances(bench)).available, 5000)
  })
}

// The overview of the day: its sums are right at any moment, however many events the worker has counted, and
// its hours and days are those of Lagos.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '#credits/close.ts'
import { withTransaction } from '#db/transaction.ts'
import { timeOrderedId } from '#ids.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { countEvents, readTotals } from '#reports/hourly-totals.ts'
import { countTotalsRound } from '#reports/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertRefused,
  createAccount,
  dataOf,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { type Bench, START, startTestService } from '../support/running-service.ts'
import { credit, openDesk, type Row, reverse } from '../support/tracing.ts'
import { untilBlocked } from '../support/waiting-locks.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const OVERVIEW = '/api/v1/overview'
const HOUR_MS = 60 * MINUTE_MS
const NEVER = new AbortController().signal

const bench = closeAfterTests(await startTestService())

async function overview(target: Bench, token?: string): Promise<Row> {
  return dataOf(await target.call({ url: OVERVIEW, ...(token ? { token } : {}) }))
}

// Lets everything happen to money that can happen on one day; returns the sums that the overview must show.
async function aDay(target: Bench) {
  const desk = await openDesk(target)
  const account = await createAccount(target)
  const [paid, part, over, late] = [
    await startPayment(target),
    await startPayment(target),
    await startPayment(target, { amount: 1000 }),
    await startPayment(target, { amount: 700 }),
  ]
  await credit(target, account.accountNumber, '1000.50')
  await credit(target, paid.bankAccount, '6000.00')
  await credit(target, part.bankAccount, '2000.00')
  const excess = await credit(target, over.bankAccount, '1300.00') // 300 too much.
  const booked = await credit(target, account.accountNumber, '40.00')
  target.advance(HOUR_MS)
  await withTransaction(target.db, (tx) =>
    closeExpired(tx, { sharedAccounts: new SharedAccounts(target.db), now: target.clock() }),
  )
  const forNobody = await credit(target, late.bankAccount, '700.00')
  await desk.assign(excess, { accountNumber: account.accountNumber })
  await desk.assign(forNobody, { paymentId: late.paymentReference })
  await reverse(target, booked, '40.00')
  return {
    credits: 6, // Each credit once, however often it moved.
    gross: 1000.5 + 6000 + 2000 + 1300 + 40 + 700,
    reversed: 40,
    fees: 0,
    refunded: 0,
    returned: 0,
    suspended: 2000, // The amount of the expired payment.
    net: 1000.5 + 6000 + 1300 + 700,
    // `paid`, `over` and, since the desk assigned the late money, `late`.
    successful: 3,
    // `part` and `late`.
    expired: 2,
    cancelled: 0,
    successRate: 0.6,
  }
}

test('a client with nothing has a day of nothing', async () => {
  const token = await bench.newClient('NOTHING001')

  const { today, yesterday, comparison, hours, days, ...rest } = await overview(bench, token)

  const nothing = { gross: 0, net: 0, credits: 0, successful: 0 }
  const less = { reversed: 0, returned: 0, refunded: 0, suspended: 0, fees: 0 }
  const none = { ...nothing, ...less, expired: 0, cancelled: 0, successRate: null }
  assert.deepEqual(today, { from: '2026-11-15T00:00:00.000000+01:00', ...none })
  assert.deepEqual(yesterday, { from: '2026-11-14T00:00:00.000000+01:00', ...none })
  assert.deepEqual(comparison, {
    until: '2026-11-15T09:00:00.000000+01:00',
    today: { from: '2026-11-15T00:00:00.000000+01:00', ...nothing },
    lastWeek: { from: '2026-11-08T00:00:00.000000+01:00', ...nothing },
  })
  assert.deepEqual([hours.length, days.length], [24, 30])
  assert.deepEqual(hours.at(-1), { from: '2026-11-15T09:00:00.000000+01:00', ...nothing })
  assert.deepEqual(days[0], { from: '2026-10-17T00:00:00.000000+01:00', ...nothing })
  assert.deepEqual(rest, {
    now: '2026-11-15T09:00:00.000000+01:00',
    currency: 'NGN',
    inSuspense: { amount: 0, items: 0 },
    failingWebhooks: 0,
    isComplete: true,
  })
})

test('the sums follow every operation, counted or not', async () => {
  await using own = await startTestService()
  const expected = await aDay(own)

  const before = await overview(own)
  await countTotalsRound(own)(NEVER)
  const after = await overview(own)

  const { from, ...today } = before.today
  assert.equal(from, '2026-11-15T00:00:00.000000+01:00')
  assert.deepEqual(today, expected)
  assert.deepEqual(after, before)
  assert.deepEqual(before.inSuspense, { amount: 2000, items: 1 })
  const [hourBefore, hour] = before.hours.slice(-2)
  assert.deepEqual([hourBefore.gross, hourBefore.net, hourBefore.credits], [10_340.5, 10_040.5, 5])
  assert.deepEqual([hour.gross, hour.net, hour.credits], [700, -1040, 1])
  assert.equal(before.days.at(-1).net, expected.net)
  assert.equal((await own.db.query('select from hourly_totals')).rowCount, 2)
})

test('however the counting is cut into rounds, the sums are the same', async () => {
  await using own = await startTestService()
  const { gross } = await aDay(own)
  const { rows } = await own.db.query(
    'select client_id as id, sequence as events from event_counters',
  )
  const [{ id, events }] = rows

  let rounds = 0n
  while (await withTransaction(own.db, (tx) => countEvents(tx, id, 1))) {
    rounds++
    const { hours, isComplete } = await readTotals(own.db, id, { since: START })
    const sumKobo = hours.reduce((sum, hour) => sum + hour.grossKobo, 0n)
    assert.deepEqual([isComplete, sumKobo], [true, BigInt(gross * 100)])
  }
  assert.equal(rounds, events)
})

test('counting stops at a number that is missing, and goes on when it is there', async () => {
  await using own = await startTestService()
  await aDay(own)
  const { rows } = await own.db.query(
    'select client_id as id, sequence as events from event_counters',
  )
  const [{ id, events }] = rows
  // Inserts an event whose number is `ahead` of the last one.
  const write = (ahead: number) =>
    own.db.query(
      `insert into events (id, client_id, sequence, type, facts, created_at)
       values ($1, $2, $3, 'payment.expired', '{}', $4)`,
      [timeOrderedId(START), id, events + BigInt(ahead), START],
    )
  // Runs the worker that counts events. `counted` is how many of the test's own events it has counted so far.
  const count = async () => {
    await withTransaction(own.db, (tx) => countEvents(tx, id))
    const { rows: cursors } = await own.db.query('select sequence from totals_cursors')
    const { hours, isComplete } = await readTotals(own.db, id, { since: START })
    const expired = hours.reduce((sum, hour) => sum + hour.expired, 0n)
    return { isComplete, expired, counted: cursors[0].sequence - events }
  }

  const { expired } = await count()
  await write(2)
  await own.db.query('update event_counters set sequence = sequence + 2')
  assert.deepEqual(await count(), { isComplete: false, expired, counted: 0n })
  await write(1)
  assert.deepEqual(await count(), { isComplete: true, expired: expired + 2n, counted: 2n })
})

test('two workers that count at once count each event once', async () => {
  await using own = await startTestService()
  const { net, credits } = await aDay(own)
  const { rows } = await own.db.query('select id from clients')
  const [{ id }] = rows
  await withTransaction(own.db, (tx) => countEvents(tx, id, 3))

  // The second count begins when the first one has counted but not committed.
  let second: Promise<unknown> | undefined
  await withTransaction(own.db, async (tx) => {
    await countEvents(tx, id)
    second = withTransaction(own.db, (other) => countEvents(other, id))
    // The second count must end at once, without waiting for the first one's lock. If it waits by a fault,
    // the test goes on and fails below.
    await Promise.race([second, untilBlocked(own.db, 1).catch(() => {})])
  })
  await second

  const { today } = await overview(own)
  assert.deepEqual([today.net, today.credits], [net, credits])
})

test('a history that is not counted yet is said to be incomplete, not passed off as all', async () => {
  await using own = await startTestService()
  await aDay(own)
  const { rows } = await own.db.query('select id from clients')

  assert.equal((await readTotals(own.db, rows[0].id, { since: START, limit: 3 })).isComplete, false)
  assert.equal((await readTotals(own.db, rows[0].id, { since: START })).isComplete, true)
})

test('a day begins at midnight in Lagos, which is 23:00 in London', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  await credit(own, accountNumber, '1.00')
  own.advance(15 * HOUR_MS - 1) // 23:59:59.999 WAT
  await credit(own, accountNumber, '20.00')
  own.advance(1)
  await credit(own, accountNumber, '300.00')

  const { today, yesterday, days } = await overview(own)

  assert.equal(today.from, '2026-11-16T00:00:00.000000+01:00')
  assert.deepEqual([today.net, yesterday.net], [300, 21])
  assert.deepEqual(
    days.slice(-2).map((day: Row) => day.credits),
    [2, 1],
  )
})

test('the overview covers thirty days', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  await credit(own, accountNumber, '5.00')
  own.advance(29 * 24 * HOUR_MS)
  assert.equal((await overview(own)).days[0].gross, 5)
  own.advance(24 * HOUR_MS)

  const { days } = await overview(own)

  assert.equal(
    days.reduce((sum: number, day: Row) => sum + day.gross, 0),
    0,
  )
})

test('how payments ended, and what banks took back, is in it', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own, { payerRules: { minAmount: 100 } })
  const [paid, cancelled] = [await startPayment(own), await startPayment(own)]
  const session = await credit(own, paid.bankAccount, '6000')
  const cancel = `/Payment/advice/${cancelled.adviceReference}/cancel`
  assert.equal((await own.call({ method: 'POST', url: cancel })).statusCode, 200)
  const suspended = await credit(own, accountNumber, '10')
  await reverse(own, session, '6000')
  await reverse(own, suspended, '10')

  for (const counts of [false, true]) {
    if (counts) await countTotalsRound(own)(NEVER)
    const { today, inSuspense } = await overview(own)
    const { gross, reversed, suspended: held, net } = today
    assert.deepEqual([gross, reversed, held, net], [6010, 6010, 0, 0])
    assert.deepEqual([today.successful, today.cancelled, today.successRate], [1, 1, 0.5])
    assert.deepEqual(inSuspense, { amount: 0, items: 0 })
  }
})

test('webhooks that fail are counted, not those switched off, nor another client’s', async () => {
  await using own = await startWebhookBench()
  await using deaf = await listener((response) => response.writeHead(500).end())
  const failing = async (token?: string) => (await overview(own, token)).failingWebhooks
  const endpoint = await own.addEndpoint(`${deaf.url}/one`)
  await own.addEndpoint(`${deaf.url}/two`)
  await startPayment(own, { callBackUrl: 'https://shop.example.com/done' })
  assert.equal(await failing(), 0)
  await own.run()

  assert.equal(await failing(), 2)
  assert.equal(await failing(await own.newClient('NOTHING003')), 0)
  const url = `/api/v1/webhook-endpoints/${endpoint.id}`
  const off = await own.call({ method: 'PATCH', url, body: { isActive: false } })
  assert.equal(off.statusCode, 200, off.body)
  assert.equal(await failing(), 1)
})

test('sums beyond the caller’s scopes are absent', async () => {
  await bench.newClient('NOTHING004')
  await bench.db.query(
    `update clients set scopes = '{credits:read}' where client_id = 'NOTHING004'`,
  )
  bench.advance(MINUTE_MS) // Clients are read again every few seconds.

  const view = await overview(bench, await bench.login('NOTHING004', 's3cret'))

  assert.deepEqual([view.inSuspense, view.failingWebhooks], [null, null])
})

test("another client's money is not in the overview", async () => {
  const token = await bench.newClient('NOTHING002')
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5.00')

  const { today } = await overview(bench, token)

  assert.deepEqual([today.gross, today.credits], [0, 0])
})

test('the overview requires a token, and refuses parameters', async () => {
  assertRefused(await bench.call({ url: OVERVIEW, token: null }), { status: 401 })
  assertRefused(await bench.call({ url: `${OVERVIEW}?clientId=1` }), { status: 400 })
})

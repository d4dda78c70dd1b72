// The test clock of a sandbox: when a client moves it, expiries, grace periods, quarantines, webhook retries
// and settlement cut-offs of all clients happen at their time, in order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIntegrity } from '#integrity/checks.ts'
import { closeDay, FIRST_DAY, OPERATOR, pass } from '../support/accounting.ts'
import { startLiveService, startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertRefused,
  createAccount,
  createAdvice,
  dataOf,
  INITIATE,
  MINUTE_MS,
  simulate,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import type { Bench, Call } from '../support/running-service.ts'
import { linesOf, SETTLEMENTS, setSettings, settlementOf } from '../support/settlements.ts'
import { listener, verifies } from '../support/webhook-bench.ts'

const CLOCK = '/sandbox/clock'
const ENDPOINTS = '/api/v1/webhook-endpoints'
const RETRIES = 5

// The bank has only two dynamic numbers, so the third payment needs one whose quarantine is over.
const BANK = {
  code: '035',
  static: { from: 100_000_000, to: 100_000_099 },
  dynamic: { from: 200_000_000, to: 200_000_001 },
}
const bench = closeAfterTests(await startWithBanks([BANK]))

type Step = { at: string; kind: string; count: number }
type Moved = { now: string; isFrozen: boolean; isComplete: boolean; ran: Step[] }

const readClock = async (of: Pick<Bench, 'call'> = bench) => dataOf(await of.call({ url: CLOCK }))
const trySet = (now: unknown, of: Pick<Bench, 'call'> = bench) =>
  of.call({ method: 'PUT', url: CLOCK, body: { now } })
const tryAdvance = (body: object, more: object = {}) =>
  bench.call({ url: `${CLOCK}/advance`, body, ...more })
const set = async (now: string): Promise<Moved> => dataOf(await trySet(now))
const advance = async (body: object): Promise<Moved> => dataOf(await tryAdvance(body))

// The steps that moving the clock ran, such as `16T09:35:05 deliver_webhooks 1` (a time of November 2026 in
// Lagos).
const summary = ({ ran }: Moved) =>
  ran.map(({ at, kind, count }) => `${at.slice(8, 19)} ${kind} ${count}`)

test('expiry, grace, five retries, a settlement cut-off and quarantine, to the second', async () => {
  let failures = 0
  await using shop = await listener((response) => {
    response.statusCode = failures++ < RETRIES ? 500 : 200
    response.end()
  })
  await using quiet = await listener() // Answers 200 to everything else.
  const here = { callBackUrl: quiet.url }
  const frozen = await set('2026-11-16T09:00:00') // A Monday.
  assert.deepEqual([frozen.isFrozen, frozen.isComplete, frozen.ran], [true, true, []])
  assert.equal(frozen.now, '2026-11-16T09:00:00.000000+01:00')

  const endpoint = { url: shop.url, eventTypes: ['payment.expired'] }
  const { secret } = dataOf(await bench.call({ url: ENDPOINTS, body: endpoint }))
  assert.equal((await setSettings(bench, { schedule: 'T+1@10:00' })).statusCode, 200)
  const { accountNumber } = await createAccount(bench, { notificationUrl: quiet.url })
  await simulate(bench, accountNumber, '1000.00')
  const payment = await startPayment(bench, here)
  await simulate(bench, payment.bankAccount, '100.00')
  assert.equal((await verify(bench, payment.paymentReference)).transactionStatus, 'PartPayment')
  await advance({ seconds: 30 * 60 - 1 })
  assert.equal((await verify(bench, payment.paymentReference)).transactionStatus, 'PartPayment')
  await advance({ seconds: 1 })
  assert.equal((await verify(bench, payment.paymentReference)).transactionStatus, 'Expired')
  await simulate(bench, payment.bankAccount, '50.00') // Within the grace.

  const night = await advance({ to: '2026-11-17T00:30:00+01:00' })
  assert.deepEqual(summary(night), [
    '16T09:30:00 dispatch_events 1',
    '16T09:34:30 requery_transfers 1', // Before it closes, the service queries the bank.
    '16T09:35:00 expire_payments 1',
    '16T09:35:00 requery_transfers 1',
    '16T09:35:00 dispatch_events 3',
    '16T09:35:00 deliver_webhooks 2', // Includes the callback.
    '16T09:35:05 deliver_webhooks 1',
    '16T09:36:00 requery_transfers 1',
    '16T09:38:00 requery_transfers 1',
    '16T09:40:05 deliver_webhooks 1',
    '16T10:00:00 close_settlements 1', // Nothing came the day before: skipped.
    '16T10:10:05 deliver_webhooks 1',
    '16T12:10:05 deliver_webhooks 1',
    '16T17:10:05 deliver_webhooks 1',
  ])
  assert.equal(shop.received.length, 1 + RETRIES)
  assert.equal(new Set(shop.received.map(({ json }) => json.id)).size, 1)
  for (const webhook of shop.received) {
    assert(verifies(secret, webhook))
    // Webhooks are signed with the real time, because a receiver compares it with its own clock.
    assert.equal(Number(webhook.headers['webhook-timestamp']) * 1000, bench.clock().getTime())
  }

  await simulate(bench, accountNumber, '500.00') // After midnight, before ten: the next settlement's.
  const morning = await advance({ to: '2026-11-17T10:00:00+01:00' })
  const ten = summary(morning).filter(
    (step) => !/dispatch_events|deliver_webhooks|requery/.test(step),
  )
  assert.deepEqual(ten, ['17T10:00:00 close_settlements 1', '17T10:00:00 send_payouts 1'])
  const [closed] = (await bench.call({ url: SETTLEMENTS })).json().data
  const { status, gross } = await settlementOf(bench, closed.reference)
  assert.deepEqual([status, gross], ['paid', 1000])
  assert.equal((await linesOf(bench, closed.reference)).length, 1)
  await outOfQuarantine(payment, here)
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

// Asserts that a payment's number is leased again as soon as its quarantine is over, and not a second
// earlier.
async function outOfQuarantine(payment: { bankAccount: string }, here: Record<string, unknown>) {
  const late = await bench.call({
    url: '/sandbox/transfers',
    body: { accountNumber: payment.bankAccount, kind: 'late' },
  })
  assert.equal(late.json().data.steps[0].reason, 'late')
  // Starts another payment, which needs a number of the bank.
  const initiated = async () => {
    const { adviceReference } = await createAdvice(bench, here)
    return bench.call({ url: `${INITIATE}/${adviceReference}`, body: { bankCode: '035' } })
  }
  // A second before the end of the number's quarantine. The bank has two numbers for payments.
  await advance({ to: '2026-12-16T09:34:59+01:00' })
  dataOf(await initiated(), 'payment') // The second number, which was never given out.
  assertRefused(await initiated(), { status: 503, code: 'numbers_exhausted' }, 'payment')
  await advance({ seconds: 1 })
  assert.equal(dataOf(await initiated(), 'payment').bankAccount, payment.bankAccount)
}

test('the clock is everybody’s, and sessions and tokens stay in real time', async () => {
  const token = await bench.newClient('OTHER1')
  const other = { ...bench, call: (call: Call) => bench.call({ ...call, token }) } as Bench
  assert.deepEqual(await readClock(other), await readClock())
  assert.equal((await readClock(other)).now.slice(0, 10), '2026-12-16')
  const theirs = await startPayment(other, { bankCode: '035' }).catch(() => undefined)
  assert.equal(theirs, undefined) // Both numbers are in use.
  const before = await readClock()
  bench.advance(3 * 60 * MINUTE_MS)
  assert.equal((await readClock()).now, before.now) // The test clock stands still.
})

test('days close, and reports reach as far as the clock', async () => {
  await closeDay(bench, FIRST_DAY)
  const { accountNumber } = await createAccount(bench)
  await simulate(bench, accountNumber, '7.00')
  for (const path of [
    'trial-balance',
    'balances',
    'suspense-ageing',
    'vat?month=2026-11',
    'days?from=2026-11-15&to=2026-11-16',
  ]) {
    const answer = await bench.call({ url: `${OPERATOR}/${path}` })
    assert.equal(answer.statusCode, 200, `${path} ${answer.body}`)
  }
  const early = await bench.call({ url: `${OPERATOR}/days/2026-12-16/close`, body: {} })
  assertRefused(early, { status: 409, code: 'day_not_over' })
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('released, time is real again, once no closed day is ahead of it', async () => {
  const early = await bench.call({ method: 'DELETE', url: CLOCK })
  assertRefused(early, { status: 409, code: 'clock_days_closed' })
  assert.equal((await readClock()).isFrozen, true)
  pass(bench, FIRST_DAY)
  const released = dataOf(await bench.call({ method: 'DELETE', url: CLOCK }))
  assert.deepEqual([released.isFrozen, released.now], [false, (await readClock()).now])
  assert.equal((await readClock()).now.slice(0, 10), '2026-11-16')
  dataOf(await bench.call({ method: 'DELETE', url: CLOCK }))

  await advance({ seconds: 60 }) // Sets the released clock again, from the real time on.
  pass(bench, '2026-11-16')
  assert.equal((await readClock()).now, '2026-11-17T00:00:00.000000+01:00') // Never a day that is over.
  await advance({ seconds: 300 })
  await closeDay(bench, '2026-11-16')
  const { accountNumber } = await createAccount(bench)
  await simulate(bench, accountNumber, '8.00')
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('only forward, at most 400 days ahead, by seconds or to a time; a retry moves it once', async () => {
  const { now } = await readClock()
  const wrong = [
    [await trySet('2026-11-16T00:00:00'), 409, 'clock_backwards'],
    [await tryAdvance({ to: '2026-11-16T00:00:00' }), 409, 'clock_backwards'],
    [await trySet('2028-01-01T00:00:00'), 409, 'clock_too_far'],
    [await tryAdvance({ to: '2028-01-01T00:00:00' }), 409, 'clock_too_far'],
    [await tryAdvance({}), 400, 'invalid_request'],
    [await tryAdvance({ seconds: 1, to: now }), 400, 'invalid_request'],
    [await tryAdvance({ to: 'tomorrow' }), 400, 'invalid_request'],
    [await trySet('2026-02-30T00:00:00'), 400, 'invalid_request'],
    [await trySet(5), 400, 'invalid_request'],
    ...(await Promise.all(
      [0, -1, 1.5, 'x', 400 * 86_400 + 1].map(async (seconds) => [
        await tryAdvance({ seconds }),
        400,
        'invalid_request',
      ]),
    )),
  ] as [Awaited<ReturnType<typeof trySet>>, number, string][]
  for (const [answer, status, code] of wrong) assertRefused(answer, { status, code })
  assert.equal((await readClock()).now, now)

  const headers = { 'idempotency-key': 'advance-once' }
  const first = await tryAdvance({ seconds: 60 }, { headers })
  const second = await tryAdvance({ seconds: 60 }, { headers })
  assert.equal(first.body, second.body)
  assert.equal(Date.parse((await readClock()).now) - Date.parse(now), 60_000)
  await using live = await startLiveService()
  const token = await live.newClient('SHOP1')
  for (const call of [
    { url: CLOCK },
    { url: CLOCK, method: 'PUT', body: { now } },
    { url: CLOCK, method: 'DELETE' },
    { url: `${CLOCK}/advance`, body: { seconds: 1 } },
  ] as const) {
    assertRefused(await live.call({ ...call, token }), {
      status: 400,
      code: 'sandbox_only',
    })
  }
})

// Extending an advice: only while it is open, and to 48 hours in all. The grace period and the leases of its
// numbers move along; an event and an audit log entry record it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  createAdvice,
  databaseText,
  initiate,
  MINUTE_MS,
  simulate,
  startPayment,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, reverse } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const HOUR_MS = 60 * MINUTE_MS
const DAY_SECONDS = 86_400

const extend = (reference: string, body: unknown, token?: string) =>
  bench.call({
    url: `/api/v1/advices/${reference}/extend`,
    body,
    ...(token === undefined ? {} : { token }),
  })
const cancel = (reference: string) =>
  bench.call({ method: 'POST', url: `/api/v1/advices/${reference}/cancel` })
const at = (ms: number) => new Date(bench.clock().getTime() + ms).toISOString()
const timeOf = (text: string) => Date.parse(text)

// The stored times of a payment and its numbers.
async function timesOf(paymentReference: string) {
  const { rows } = await bench.db.query(
    `select p.expires_at as expires, p.closes_at as closes, n.reusable_at as reusable,
            a.extended_seconds as extended
       from payments p join advices a on a.id = p.advice_id
       join payment_numbers pn on pn.payment_id = p.id
       join numbers n on n.account_number = pn.account_number where p.id = $1
      order by n.account_number`,
    [paymentReference],
  )
  return rows
}

// The events `payment.extended` of a payment.
async function extensionsOf(paymentReference: string) {
  const url = `/api/v1/events?type=payment.extended&paymentReference=${paymentReference}`
  return (await bench.call({ url })).json().data
}

// The entries of the audit log about an advice, oldest first.
async function auditLogFor(adviceReference: string) {
  const { rows } = await bench.db.query(
    `select actor, action, detail from audit_log where subject = $1 order by id`,
    [`advice/${adviceReference}`],
  )
  return rows
}

test('an extension by seconds or to a time moves expiry, grace and quarantine; numbers stay', async () => {
  const payment = await startPayment(bench, { graceSeconds: 120 })
  await initiate(bench, payment.adviceReference, '058')
  const before = await timesOf(payment.paymentReference)

  const later = await extend(payment.adviceReference, { seconds: 600 })
  const { data } = (await extend(payment.bankAccount, { expiresAt: at(3 * HOUR_MS) })).json()

  const advice = later.json().data
  assert.equal(timeOf(advice.expiresAt), timeOf(payment.expiresAt) + 600_000)
  assert.equal(timeOf(advice.closesAt), timeOf(advice.expiresAt) + 120_000)
  assert.deepEqual([advice.status, advice.expiresInSeconds], ['Pending', 2400])
  assert.equal(timeOf(data.expiresAt), bench.clock().getTime() + 3 * HOUR_MS)
  const after = await timesOf(payment.paymentReference)
  for (const [index, row] of after.entries()) {
    const movedMs = 3 * HOUR_MS - 1_800_000
    assert.equal(row.expires.getTime(), before[index].expires.getTime() + movedMs)
    assert.equal(row.closes.getTime(), before[index].closes.getTime() + movedMs)
    assert.equal(row.reusable.getTime(), before[index].reusable.getTime() + movedMs)
    assert.equal(row.extended, movedMs / 1000)
  }
  const again = await initiate(bench, payment.adviceReference)
  assert.deepEqual(
    [again.bankAccount, timeOf(again.expiresAt)],
    [payment.bankAccount, timeOf(data.expiresAt)],
  )
  bench.advance(2 * HOUR_MS)
  assert.equal((await simulate(bench, payment.bankAccount, '6000')).status, 'Successful')
})

test('an extension has one event and one audit entry, and none if nothing changed', async () => {
  const payment = await startPayment(bench)
  await simulate(bench, payment.bankAccount, '10')
  const expiresAt = at(HOUR_MS)

  for (let times = 0; times < 3; times++) {
    assert.equal((await extend(payment.adviceReference, { expiresAt })).statusCode, 200)
  }

  const events = await extensionsOf(payment.paymentReference)
  assert.equal(events.length, 1)
  const { status, amountPaid, amountRemaining } = events[0].data
  assert.deepEqual([status, amountPaid, amountRemaining], ['PartPayment', 10, 5990])
  assert.equal(timeOf(events[0].data.expiresAt), timeOf(expiresAt))
  assert.deepEqual(await auditLogFor(payment.adviceReference), [
    {
      actor: 'client:MAN0000001',
      action: 'advice.extend',
      detail: { seconds: 1800, expiresAt: events[0].data.expiresAt },
    },
  ])
})

test('an advice without a number has its time counted from its first number', async () => {
  const { adviceReference } = await createAdvice(bench, { merchantRef: 'no-number-yet' })

  const refused = await extend('no-number-yet', { expiresAt: at(HOUR_MS) })
  const { data } = (await extend('no-number-yet', { seconds: 600 })).json()
  bench.advance(HOUR_MS)
  const payment = await initiate(bench, adviceReference)

  assertRefused(refused, { code: 'invalid_request' })
  assert.deepEqual([data.expiresInSeconds, data.expiresAt], [2400, null])
  assert.equal(timeOf(payment.expiresAt), bench.clock().getTime() + 2_400_000)
  assert.deepEqual(await extensionsOf(payment.paymentReference), [])
  assert.equal((await auditLogFor(adviceReference)).length, 1)
  // Repeating the request that created the advice still returns it: its terms are unchanged.
  const same = await createAdvice(bench, { merchantRef: 'no-number-yet' })
  assert.equal(same.adviceReference, adviceReference)
})

test('a payment is open for at most 48 hours from its first number, however it is extended', async () => {
  const payment = await startPayment(bench, { expiresInSeconds: DAY_SECONDS })
  const { adviceReference } = payment
  const atMost = at(2 * DAY_SECONDS * 1000)
  bench.advance(HOUR_MS)

  const tooMuch = await extend(adviceReference, { seconds: DAY_SECONDS + 1 })
  const tooLate = await extend(adviceReference, {
    expiresAt: new Date(Date.parse(atMost) + 1_000).toISOString(),
  })
  const last = await extend(adviceReference, { expiresAt: atMost })
  const more = await extend(adviceReference, { seconds: 1 })
  const earlier = await extend(adviceReference, { expiresAt: at(HOUR_MS) })

  for (const refused of [tooMuch, tooLate, more, earlier]) {
    assertRefused(refused, { code: 'invalid_request' })
  }
  assert.equal(timeOf(last.json().data.expiresAt), timeOf(atMost))
  assert.match(tooMuch.json().errors[0].message, /at most 86400/)
  const never = await createAdvice(bench, { expiresInSeconds: 2 * DAY_SECONDS })
  assertRefused(await extend(never.adviceReference, { seconds: 1 }))
})

test('extending a closed advice is refused with the reason', async () => {
  const paid = await startPayment(bench)
  await simulate(bench, paid.bankAccount, '6000')
  const reversed = await startPayment(bench)
  await reverse(bench, await credit(bench, reversed.bankAccount, '6000'), '6000')
  const cancelled = await startPayment(bench)
  assert.equal((await cancel(cancelled.bankAccount)).json().data.status, 'Cancelled')
  const inGrace = await startPayment(bench, { expiresInSeconds: 60 })
  const closed = await startPayment(bench, { expiresInSeconds: 60, graceSeconds: 0 })
  bench.advance(MINUTE_MS)
  await closeExpired(bench)
  const before = await databaseText(bench)

  const cases = [
    [paid, 'advice_paid'],
    [reversed, 'advice_reversed'],
    [cancelled, 'advice_cancelled'],
    [inGrace, 'advice_expired'],
    [closed, 'advice_expired'],
  ] as const
  for (const [{ adviceReference }, code] of cases) {
    const answer = await extend(adviceReference, { seconds: 60 })
    assertRefused(answer, { status: 409, code })
    if (code === 'advice_cancelled') continue
    assertRefused(await cancel(adviceReference), { status: 409, code })
    const url = `/Payment/process/banktransfer/${adviceReference}`
    const initiated = await bench.call({ url, body: { bankCode: '035' }, token: null })
    assertRefused(initiated, { code }, 'payment')
  }
  assert.equal(await databaseText(bench), before)
})

test('a payment that assigned money opens again has 48 hours from then', async () => {
  const payment = await startPayment(bench, { expiresInSeconds: 60, graceSeconds: 0 })
  await simulate(bench, payment.bankAccount, '10')
  await extend(payment.adviceReference, { seconds: 60 })
  bench.advance(3 * 24 * HOUR_MS)
  await closeExpired(bench)
  const { data } = (await bench.call({ url: '/api/v1/suspense?state=open&limit=1' })).json()
  const body = { paymentReference: payment.paymentReference }
  await bench.call({ url: `/api/v1/suspense/${data[0].id}/assign`, body })

  const reopened = (await extend(payment.adviceReference, { seconds: 60 })).json().data
  const atMost = await extend(payment.adviceReference, { expiresAt: at(2 * DAY_SECONDS * 1000) })

  assert.equal(timeOf(reopened.expiresAt), bench.clock().getTime() + 180_000)
  assert.equal(atMost.statusCode, 200, atMost.body)
  assert.equal(timeOf(atMost.json().data.expiresAt), timeOf(at(2 * DAY_SECONDS * 1000)))
})

test('invalid bodies, missing advices and those of other clients are refused', async () => {
  const { adviceReference } = await startPayment(bench)
  const bad = [
    {},
    { seconds: 0 },
    { seconds: -1 },
    { seconds: 1.5 },
    { seconds: '60' },
    { seconds: 172_801 },
    { seconds: 1e30 },
    { seconds: null },
    { expiresAt: 'tomorrow' },
    { expiresAt: 5 },
    { expiresAt: '2026-11-31' },
    { expiresAt: at(HOUR_MS), seconds: 60 },
    { seconds: 60, extra: 1 },
    [],
    'text',
  ]
  const other = await bench.newClient('OTHER00002')
  const before = await databaseText(bench)

  for (const body of bad) {
    const answer = await extend(adviceReference, JSON.stringify(body))
    assertRefused(answer, { code: 'invalid_request' })
  }
  const unknown = await extend(UNKNOWN_REFERENCE, { seconds: 60 })
  assertAlike(await extend(adviceReference, { seconds: 60 }, other), unknown)
  assertRefused(unknown, { status: 404, code: 'advice_not_found' })
  const gone = { method: 'POST', url: `/api/v1/advices/${adviceReference}/cancel` } as const
  assertRefused(await bench.call({ ...gone, token: other }), { status: 404 })
  assert.equal(await databaseText(bench), before)
})

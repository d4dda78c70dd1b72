// I176, I177: months close in order, and everything in a closing is of the same moment.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDay, OPERATOR, pass, REASON } from '../support/accounting.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { credit } from '../support/tracing.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

const urlOf = (month: string) => `${OPERATOR}/months/${month}`
const closeMonth = (by: Pick<Bench, 'call'>, month: string, more: object = {}) =>
  by.call({ url: `${urlOf(month)}/close`, body: REASON, ...more })

// Asserts that the month cannot close because the earlier month `open` is still open.
async function assertWaitsFor(bench: Bench, month: string, open: string): Promise<void> {
  const answer = await closeMonth(bench, month)
  assertRefused(answer, { status: 409, code: 'earlier_month_open' })
  assert.match(answer.json().errors[0].message, new RegExp(`^${open}\\. Close `))
}

// Creates a credit on 15 November 2026, none in December, and one each on 5 January and 3 February 2027.
// Closes all days.
async function closeDaysOfMonths(bench: Bench): Promise<void> {
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1000')
  for (const day of ['2027-01-04', '2027-02-02']) {
    pass(bench, day)
    bench.advance(12 * 3_600_000)
    await credit(bench, accountNumber, '1000')
  }
  pass(bench, '2027-02-28')
  for (const day of [
    '2026-11-15',
    '2026-11-30',
    '2027-01-05',
    '2027-01-31',
    '2027-02-03',
    '2027-02-28',
  ])
    await closeDay(bench, day)
}

// Requests the reopening of a month and approves it as another user.
async function reopen(by: Pick<Bench, 'call'>, checker: Browser, month: string): Promise<void> {
  const body = { reason: 'A statement came late.' }
  const { reopenings } = dataOf(await by.call({ url: `${urlOf(month)}/reopen`, body }))
  const url = `${urlOf(month)}/reopen/${reopenings[0].id}/approve`
  dataOf(await checker.call({ url, body: {} }))
}

test('a month closes after the months before it; months without transfers block nothing', async () => {
  await using bench = await startTestService()
  await closeDaysOfMonths(bench)

  await assertWaitsFor(bench, '2027-02', '2026-11, 2027-01 are open')
  await assertWaitsFor(bench, '2027-01', '2026-11 is open')
  for (const month of ['2026-11', '2027-01', '2027-02'])
    assert.equal(dataOf(await closeMonth(bench, month)).isClosed, true)
})

test('no month closes again while an earlier one is reopened', async () => {
  await using bench = await startTestService()
  await closeDaysOfMonths(bench)
  for (const month of ['2026-11', '2027-01']) dataOf(await closeMonth(bench, month))
  const [maker, checker] = [
    await newBrowser(bench, 'operator'),
    await newBrowser(bench, 'operator'),
  ]
  await reopen(maker, checker, '2027-01')
  await reopen(maker, checker, '2026-11')

  await assertWaitsFor(bench, '2027-01', '2026-11 is open')
  await assertWaitsFor(bench, '2027-02', '2026-11, 2027-01 are open')
  for (const month of ['2026-11', '2027-01', '2027-02'])
    assert.equal(dataOf(await closeMonth(bench, month)).isClosed, true)
})

test('the database refuses a closing that is out of order', async () => {
  await using bench = await startTestService()
  await closeDaysOfMonths(bench)

  const insert = (month: string, endsAt: string) =>
    bench.db.query(
      `insert into closed_months (month, version, ends_at, checklist, manifest, closed_by, closed_at)
       values ($1, 1, $2, '[]', '{}', 'cli:test', now())`,
      [month, endsAt],
    )
  await assert.rejects(insert('2027-01-01', '2027-01-31T23:00:00Z'), /after the months before it/)
  await insert('2026-11-01', '2026-11-30T23:00:00Z')
  await insert('2027-01-01', '2027-01-31T23:00:00Z')
})

test('invoices that are issued during a closing are in neither its checklist nor its pack', async () => {
  await using bench = await startInvoiced()
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table adjustments')

  const closing = closeMonth(bench, '2026-11')
  await untilWaiting(bench.db, 1)
  dataOf(await issueInvoices(bench))
  await blocker.query('commit')
  blocker.release()

  const { closings } = dataOf(await closing)
  const checks = closings[0].checklist as { name: string; open: number }[]
  assert.equal(checks.find(({ name }) => name === 'vat_ready')?.open, 1)
  const pack = (await bench.call({ url: `${urlOf('2026-11')}/pack` })).rawPayload.toString('latin1')
  assert.match(pack, /vat-invoices\.csv/)
  assert.doesNotMatch(pack, /INV000001/)
})

test('a closing that waited for another transaction sees what that one committed', async () => {
  await using bench = await startInvoiced()
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table closed_months in share row exclusive mode')

  const closing = closeMonth(bench, '2026-11', { headers: { 'idempotency-key': 'close-november' } })
  await untilWaiting(bench.db, 1)
  dataOf(await issueInvoices(bench))
  await blocker.query('commit')
  blocker.release()

  const { closings } = dataOf(await closing)
  const checks = closings[0].checklist as { name: string; isDone: boolean }[]
  assert.equal(checks.find(({ name }) => name === 'vat_ready')?.isDone, true)
})

test('of closings at once, one is stored', async () => {
  await using bench = await startInvoiced()

  const answers = await Promise.all(Array.from({ length: 5 }, () => closeMonth(bench, '2026-11')))

  for (const answer of answers) assert.equal(dataOf(answer).closings.length, 1)
})

test('an approver sees that a month waits to be reopened', async () => {
  await using bench = await startTestService()
  await closeDaysOfMonths(bench)
  dataOf(await closeMonth(bench, '2026-11'))
  const [maker, checker] = [await newBrowser(bench, 'operator'), await newBrowser(bench, 'finance')]
  const body = { reason: 'A statement came late.' }
  dataOf(await maker.call({ url: `${urlOf('2026-11')}/reopen`, body }))

  const months = async (by: Browser) =>
    (await by.call({ url: '/dashboard/api/approvals' })).json().data.months
  assert.deepEqual([await months(checker), await months(maker)], [1, 0])
})

const issueInvoices = (bench: Bench) =>
  bench.call({ url: `${OPERATOR}/vat-invoices`, body: { month: '2026-11' } })

// Starts a service with a fee in November whose days are closed, so that VAT invoices can be issued.
async function startInvoiced(): Promise<Bench> {
  const bench = await startTestService()
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1000')
  for (const day of ['2026-11-15', '2026-11-30']) {
    pass(bench, day)
    await closeDay(bench, day)
  }
  return bench
}

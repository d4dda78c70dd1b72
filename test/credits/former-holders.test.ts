// I87: money that was sent to an earlier holder of a number is not booked to the current holder. However it
// is reported, it stays in suspense with its bank, and the new holder gets no event.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watDay } from '#clock.ts'
import type { IncomingCredit } from '#credits/judge.ts'
import { assertCleanBooks, closeExpired, startWithBanks } from '../support/bank-calls.ts'
import { createAdvice, dataOf, initiate, startPayment, verify } from '../support/fixtures.ts'
import { incomingCredit } from '../support/incoming-credits.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import type { Bench } from '../support/running-service.ts'
import { assign, listItems } from '../support/suspense-desk.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const REUSED_AFTER_MS = 31 * DAY_MS
const OTHER = 'OTHER00001'

// Starts a service with so few dynamic numbers that they are soon leased again.
const startWithNumbers = (numbers = 1) =>
  startWithBanks([
    {
      code: '035',
      static: { from: 100, to: 199 },
      dynamic: { from: 200, to: 200 + numbers - 1 },
    },
  ])

// Lets a payment expire, and leases its number to another client's payment.
async function reuseNumber(bench: Bench) {
  const former = await startPayment(bench)
  const sentAt = bench.clock()
  bench.advance(REUSED_AFTER_MS)
  await closeExpired(bench)
  const token = await bench.newClient(OTHER)
  const { adviceReference } = await createAdvice(bench, {}, { token })
  const present = await initiate(bench, adviceReference)
  assert.equal(present.bankAccount, former.bankAccount)
  return { former, present, sentAt, leasedAt: bench.clock(), number: present.bankAccount, token }
}

// Returns the outcome of a credit, its client, and whether its money is in the bank's suspense.
async function holderOf({ db }: Bench, sessionId: string): Promise<string> {
  const { rows } = await db.query(
    `select c.outcome, c.reason, l.client_id as payee, o.owner as held
       from credits c left join clients l on l.id = c.client_id
       left join suspense_items i on i.credit_id = c.id
       left join ledger_accounts o on o.id = i.account_id
      where c.session_id = $1`,
    [sessionId],
  )
  const { outcome, reason, payee, held } = rows[0]
  const isBanks = held === 'bank:035'
  return [outcome, reason, payee, isBanks && 'at the bank'].filter(Boolean).join(' ')
}

// Returns the types of a client's events, the oldest first.
const eventsOf = async ({ db }: Bench, clientId: string) => {
  const { rows } = await db.query(
    `select e.type from events e join clients c on c.id = e.client_id
      where c.client_id = $1 order by e.sequence`,
    [clientId],
  )
  return rows.map(({ type }) => type)
}

test('a report that comes after its number went to another client is not booked to that client', async () => {
  await using bench = await startWithNumbers()
  const { former, present, sentAt, number, token } = await reuseNumber(bench)
  const mine = [newSessionId(), newSessionId()] as const
  const credits = [
    { sessionId: mine[0], amount: '6000', transactionTime: sentAt.toISOString() },
    { sessionId: mine[1], amount: '10', transactionTime: bench.clock().toISOString() },
  ].map((credit) => ({ ...credit, accountNumber: number, sourceAccountName: 'Ada Obi' }))

  const answers = (await postRail(bench, '035/credits', credits)).json()

  assert.deepEqual(answers.map(wordsOf), ['00 suspended late', '00 booked'])
  assert.equal(await holderOf(bench, mine[0]), 'suspended late at the bank')
  assert.deepEqual(await eventsOf(bench, OTHER), ['payment.processing', 'payment.part_paid'])
  assert.deepEqual(await listItems(bench, '', token), [])
  const hidden = await bench.call({ url: `/api/v1/credits/${mine[0]}`, token })
  assert.equal(hidden.statusCode, 404)
  const alerts = await bench.db.query('select kind from alerts')
  assert.deepEqual(alerts.rows, [])

  const [item] = await listItems(bench)
  const refused = await assign(
    bench,
    item.id,
    { paymentReference: present.paymentReference },
    { token },
  )
  assert.equal(refused.statusCode, 404, refused.body)
  dataOf(await assign(bench, item.id, { paymentReference: former.paymentReference }))
  assert.equal((await verify(bench, former.paymentReference)).transactionStatus, 'Successful')
  await assertCleanBooks(bench)
})

type Dated = Partial<Pick<IncomingCredit, 'source' | 'transactionTime' | 'transactionDate'>>

// These functions return the fields of a credit that was sent some time, or some days, before the number
// was leased to its present holder.
const sentBefore = (leasedAt: Date, ms: number) => ({
  transactionTime: new Date(leasedAt.getTime() - ms),
})
const sentDaysBefore = (leasedAt: Date, days: number) => ({
  transactionDate: watDay(new Date(leasedAt.getTime() - days * DAY_MS)),
})

// Takes credits with these times to one number, in one batch. Returns the outcome of each.
async function takeAll(bench: Bench, accountNumber: string, dated: readonly Dated[]) {
  const credits = await Promise.all(
    dated.map((each) => incomingCredit(bench, { accountNumber, amount: 1, ...each })),
  )
  const results = await bench.service.writers.credits.submitAll(credits)
  assert(results.every((result) => result.ok))
  return Promise.all(credits.map(({ sessionId }) => holderOf(bench, sessionId)))
}

test('by its time or its date, and by every route, it is more than a day older than the lease', async () => {
  await using bench = await startWithNumbers()
  const { leasedAt, number } = await reuseNumber(bench)

  const older = await takeAll(bench, number, [
    { ...sentBefore(leasedAt, DAY_MS + 1) },
    { ...sentDaysBefore(leasedAt, 2) },
    { source: 'requery', ...sentBefore(leasedAt, DAY_MS + 1) },
    { source: 'requery', ...sentDaysBefore(leasedAt, 2) },
    { source: 'statement', ...sentDaysBefore(leasedAt, 1) },
  ])
  const present = await takeAll(bench, number, [
    { ...sentBefore(leasedAt, DAY_MS) },
    { ...sentDaysBefore(leasedAt, 1) },
    { source: 'requery', ...sentBefore(leasedAt, DAY_MS) },
    { source: 'requery', ...sentDaysBefore(leasedAt, 1) },
    { source: 'statement', ...sentDaysBefore(leasedAt, 0) },
    {},
  ])

  assert.deepEqual(new Set(older), new Set(['suspended late at the bank']))
  assert.deepEqual(new Set(present), new Set([`booked ${OTHER}`]))
  await assertCleanBooks(bench)
})

test('late money for the current holder stays with its client, with an event', async () => {
  await using bench = await startWithNumbers()
  const { leasedAt, number } = await reuseNumber(bench)
  bench.advance(2 * HOUR_MS)
  await closeExpired(bench)

  const [late] = await takeAll(bench, number, [sentBefore(leasedAt, -HOUR_MS)])

  assert.equal(late, `suspended late ${OTHER}`)
  const types = ['payment.processing', 'payment.expired', 'credit.suspended']
  assert.deepEqual(await eventsOf(bench, OTHER), types)
  await assertCleanBooks(bench)
})

test('a bank’s wrong clock does no harm to a number without an earlier holder', async () => {
  await using bench = await startWithNumbers(2)
  await startPayment(bench)
  bench.advance(REUSED_AFTER_MS)
  const token = await bench.newClient(OTHER)
  const { adviceReference } = await createAdvice(bench, {}, { token })
  const { bankAccount } = await initiate(bench, adviceReference)
  const now = bench.clock()

  const outcomes = await takeAll(bench, bankAccount, [
    { ...sentBefore(now, 400 * DAY_MS) },
    { ...sentDaysBefore(now, 400) },
    { source: 'requery', ...sentDaysBefore(now, 400) },
    { source: 'requery', ...sentBefore(now, 400 * DAY_MS) },
    { source: 'statement', ...sentDaysBefore(now, 400) },
  ])

  const [booked, late] = [`booked ${OTHER}`, `suspended late ${OTHER}`]
  assert.deepEqual(outcomes, [booked, booked, booked, late, late])
  await assertCleanBooks(bench)
})

// When the deadline of a hold is near or over, operators get an alert. The deadline releases no money.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertHoldDeadlinesRound } from '#holds/workers.ts'
import { dataOf } from '../support/fixtures.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const HOLDS = '/api/v1/operator/holds'
const HOUR_MS = 3_600_000

// Starts a service, and returns functions that place holds and list the alerts about their deadlines.
async function setup() {
  const bench = await startTestService()
  const { clock } = bench
  const round = alertHoldDeadlinesRound(bench)
  // Places a hold whose deadline is in so many hours.
  const place = async (by: Browser, hours: number | null) => {
    const deadline = hours && new Date(clock().getTime() + hours * HOUR_MS).toISOString()
    const terms = { target: 'client', amount: '5', ...(deadline && { deadline }) }
    const body = { clientId: 'MAN0000001', reason: 'Reported as fraud', ...terms }
    return dataOf(await by.call({ url: HOLDS, body })).reference as string
  }
  // Runs the worker's round twice, since a second round must change nothing. Returns the open alerts.
  const alerts = async () => {
    for (let times = 0; times < 2; times++) await round(AbortSignal.timeout(60_000))
    const { rows } = await bench.db.query<{ kind: string; subject: string; detail: object }>(
      `select kind, subject, detail from alerts where kind like 'hold_deadline%' and cleared_at is null
        order by id`,
    )
    return rows
  }
  return Object.assign(bench, { place, alerts })
}

test('a hold alerts a day before its deadline and after it, once each, until it has ended', async () => {
  await using bench = await setup()
  const maker = await newBrowser(bench, 'operator')
  const deadline = new Date(bench.clock().getTime() + 48 * HOUR_MS)
  const reference = await bench.place(maker, 48)
  await bench.place(maker, null)
  await bench.place(maker, 24 * 30)
  assert.deepEqual(await bench.alerts(), [])
  bench.advance(24 * HOUR_MS)
  // Turns each alert's `dueAt` into a Date, to compare it with the deadline.
  const near = (await bench.alerts()).map(({ detail, ...alert }) => {
    const { dueAt, ...names } = detail as { dueAt: string }
    return { ...alert, ...names, dueAt: new Date(dueAt) }
  })
  assert.deepEqual(near, [
    {
      ...{ kind: 'hold_deadline_near', subject: reference },
      ...{ hold: reference, client: 'MAN0000001', dueAt: deadline },
    },
  ])

  bench.advance(24 * HOUR_MS)
  const kinds = (await bench.alerts()).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['hold_deadline_missed'])
  const late = await newBrowser(bench, 'operator')
  const held = (await late.call({ url: `${HOLDS}/${reference}` })).json().data
  assert.equal(held.state, 'active', 'a deadline released the hold')

  const checker = await newBrowser(bench, 'operator')
  const decideHold = (by: Browser, verb: string, body: object) =>
    by.call({ url: `${HOLDS}/${reference}/${verb}`, body })
  assert.equal((await decideHold(late, 'release', { reason: 'Decided' })).statusCode, 200)
  assert.equal((await bench.alerts()).length, 1, 'a request alone cleared the alert')
  const approved = await decideHold(checker, 'approve', {})
  assert.equal(approved.statusCode, 200, approved.body)
  assert.deepEqual(await bench.alerts(), [])
})

test('no client hears of the deadline of a hold', async () => {
  await using bench = await setup()
  const reference = await bench.place(await newBrowser(bench, 'operator'), 1)
  assert.equal((await bench.alerts()).length, 1)
  const { rows } = await bench.db.query<{ isOperator: boolean; event: string }>(
    `select k.is_operator, e.type as event from events e join clients k on k.id = e.client_id
      where e.type = 'alert.raised' and e.facts::text like '%' || $1 || '%'`,
    [reference],
  )
  assert(rows.length > 0)
  assert(rows.every(({ isOperator }) => isOperator))
})

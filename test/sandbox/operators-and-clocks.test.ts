// While the test clock is ahead, reversals are booked at its time, the operator's reports reach up to it, and
// other processes follow it. A live installation ignores it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService, startTwin } from '../support/bank-calls.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { credit, reverse } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'

const AHEAD = '2026-12-24'

const bench = closeAfterTests(await startTestService())
const { clientId, secret } = await registerOf(bench).make()
const token = await bench.login(clientId, secret)
const { accountNumber } = await createAccount(bench, {}, { token })
const set = {
  method: 'PUT',
  url: '/sandbox/clock',
  body: { now: `${AHEAD}T09:00:00+01:00` },
} as const
dataOf(await bench.call({ ...set, token }))

test('a reversal is booked at the time of the clock', async () => {
  const { sessionId } = await credit(bench, accountNumber, '50')
  await reverse(bench, sessionId, '20')

  const { rows } = await bench.db.query(`select received_at::date::text as day from reversals`)
  assert.deepEqual(rows, [{ day: AHEAD }])
  const posted = await bench.db.query(
    `select distinct posted_at::date::text as day from transfers where reason = 'reversal'`,
  )
  assert.deepEqual(posted.rows, [{ day: AHEAD }])
})

test('the reports of the operator take days up to the test clock, and none after it', async () => {
  const status = async (url: string) => (await bench.call({ url })).statusCode
  const base = '/api/v1/operator'
  assert.equal(await status(`${base}/journal?day=${AHEAD}`), 200)
  assert.equal(await status(`${base}/journal?day=2026-12-25`), 400)
  assert.equal(await status(`${base}/balances?at=${AHEAD}T08:00:00Z`), 200)
  assert.equal(await status(`${base}/balances?at=2026-12-25T08:00:00Z`), 400)
  assert.equal(await status(`${base}/vat?month=2026-12`), 200)
})

test('another process follows before the answer, and the operator’s own work does too', async () => {
  await using twin = await startTwin(bench)
  const operator = await bench.login()
  const to = `${AHEAD}T10:00:00+01:00`
  const moved = await bench.call({ url: '/sandbox/clock/advance', body: { to }, token })
  assert.equal(moved.statusCode, 200, moved.body)

  const { rows } = await bench.db.query('select count(*)::int as count from collection_accounts')
  await createAccount(twin, {}, { token })
  const made = await bench.db.query(
    `select created_at as at from collection_accounts order by id desc limit 1`,
  )
  assert.equal(rows[0].count, 1)
  assert.equal(made.rows[0].at.getTime(), Date.parse(to))
  const day = await twin.call({
    url: `/api/v1/operator/journal?day=${AHEAD}`,
    token: operator,
  })
  assert.equal(day.statusCode, 200, day.body)
})

test('a live installation ignores the clock of a sandbox', async () => {
  await using live = await startLiveService()
  await live.db.query(`insert into sandbox_clock (frozen_at, version) values ('2027-01-01', 9)`)
  await using twin = await startTwin(live)
  const shop = await live.newClient('SHOP1')
  await createAccount(twin, {}, { token: shop })
  const { rows } = await live.db.query('select created_at as at from collection_accounts')
  assert.deepEqual(rows, [{ at: live.clock() }])
})

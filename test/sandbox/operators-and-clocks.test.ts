// A client whose test clock is ahead: what a bank takes back is booked at its time, and the operator's
// reports reach as far as its bookings.

import assert from 'node:assert/strict'
import { test } from 'node:test'
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
dataOf(await bench.call({ ...set, token }), 'account')

test('a reversal is booked at the time of its client', async () => {
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

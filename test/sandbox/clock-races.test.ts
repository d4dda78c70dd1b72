// The test clock beside other work: it is released while a day is being closed, and some times stay real
// while it is ahead.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markDay } from '#accounting/close-day.ts'
import { DEFAULT_CHART } from '#config/chart-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import { releaseClock, startClock } from '#sandbox/clock.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  assertRefused,
  dataOf,
  INITIATE,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const CLOCK = '/sandbox/clock'
const AHEAD = '2026-12-24T09:00:00+01:00'
const DAY = '2026-12-20'

const bench = closeAfterTests(await startTestService())

// Sets the test clock to a time that is ahead of the real one.
async function freeze(): Promise<void> {
  dataOf(await bench.call({ method: 'PUT', url: CLOCK, body: { now: AHEAD } }))
}

// The arguments with which the day is closed.
const closing = async () => {
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)
  const by = { clientId: rows[0]?.id, actor: 'user:first@example.com' }
  return { day: DAY, reason: 'A test', chart: DEFAULT_CHART, windows: new Map(), by }
}

test('idempotency keys are dated in real time, whatever the clock shows', async () => {
  await freeze()
  const keyed = (name: string) => ({ 'idempotency-key': name })
  await bench.call({ url: ACCOUNTS, body: accountBody(), headers: keyed('account') })
  const advice = dataOf(
    await bench.call({ url: ADVICE, body: adviceBody(), headers: keyed('advice') }),
    'payment',
  )
  const url = `${INITIATE}/${advice.adviceReference}`
  dataOf(await bench.call({ url, body: {}, headers: keyed('initiate') }), 'payment')

  const { rows } = await bench.db.query(
    'select key, created_at <= $1 as is_real from idempotency_keys order by key',
    [bench.clock()],
  )
  assert.deepEqual(
    rows.map(({ key, isReal }) => [key, isReal]),
    [
      ['account', true],
      ['advice', true],
      ['initiate', true],
    ],
  )
})

test('a day that is closed while the clock is released is not over: the closing is refused', async () => {
  await freeze()
  const { closed } = await withTransaction(bench.db, async (tx) => {
    await releaseClock(tx, bench.clock())
    const body = { reason: 'A test' }
    const closed = bench.call({ url: `/api/v1/operator/days/${DAY}/close`, body })
    await untilBlocked(bench.db, 1)
    return { closed }
  })

  assertRefused(await closed, { status: 409, code: 'day_not_over' })
  const { rowCount } = await bench.db.query('select from closed_days')
  assert.equal(rowCount, 0)
})

test('the clock is not released while a day ahead is being closed', async () => {
  await withTransaction(bench.db, (tx) => startClock(tx, new Date(AHEAD)))
  const details = await closing()
  const { released } = await withTransaction(bench.db, async (tx) => {
    await markDay(tx, { clockTime: new Date(AHEAD), realTime: bench.clock() }, details)
    const released = bench.call({ method: 'DELETE', url: CLOCK })
    await untilBlocked(bench.db, 1)
    return { released }
  })

  assertRefused(await released, { status: 409, code: 'clock_days_closed' })
  const { rows } = await bench.db.query('select frozen_at from sandbox_clock')
  assert.notEqual(rows[0]?.frozenAt, null)
})

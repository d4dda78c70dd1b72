// Work that waits for a stored time is due when the time has come, and also when the time is further ahead
// than the work ever waits, because only a wrong clock can have written it (I260).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isDue, isTimeDue, isWaiting, waitOfAttempts } from '#db/due.ts'
import { SKEW_MAX_MS } from '#db/health.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createTestDatabase } from '../support/database.ts'

const NOW = new Date('2026-11-19T10:00:00Z')
const LONGEST_MS = 600_000
const { pool } = closeAfterTests(await createTestDatabase())

test('a time is due once it has come, and if it is further ahead than the longest wait', async () => {
  for (const [aheadMs, due] of [
    [-86_400_000, true],
    [0, true],
    [1, false],
    [LONGEST_MS, false],
    [LONGEST_MS + SKEW_MAX_MS, false], // Two clocks that both count as right may be this far apart.
    [LONGEST_MS + SKEW_MAX_MS + 1, true],
    [365 * 86_400_000, true],
  ] as const) {
    const at = new Date(NOW.getTime() + aheadMs)
    for (const longest of [LONGEST_MS, `interval '10 minutes'`]) {
      const wait = { now: '$2', longest }
      const { rows } = await pool.query(
        `select ${isDue('at', wait)} as due, ${isWaiting('at', wait)} as waits
           from (values ($1::timestamptz)) as v (at)`,
        [at, NOW],
      )
      assert.deepEqual(rows, [{ due, waits: !due }], `${aheadMs} ms ahead`)
    }
    assert.equal(isTimeDue(at, NOW, LONGEST_MS), due, `${aheadMs} ms ahead`)
  }
})

test('work without a time waits for nothing', async () => {
  const wait = { now: '$1', longest: LONGEST_MS }
  const text = `select ${isWaiting('null::timestamptz', wait)} as waits`
  assert.deepEqual((await pool.query(text, [NOW])).rows, [{ waits: false }])
})

test('a first attempt waits for nothing, however far ahead it was queued', async () => {
  const longest = waitOfAttempts(LONGEST_MS)
  const { rows } = await pool.query(
    `select attempts, ${isDue('at', { now: '$1', longest })} as due
       from (values (0, $1::timestamptz + interval '9 minutes'),
                    (1, $1::timestamptz + interval '9 minutes')) as v (attempts, at)
      order by attempts`,
    [NOW],
  )
  assert.deepEqual(rows, [
    { attempts: 0, due: true },
    { attempts: 1, due: false },
  ])
})

// Columns whose name says that something waits for them, but that src/db/due.ts does not judge: a receiver's
// queue, which src/webhooks/claims.ts corrects as a whole; and promises, facts and choices of people.
const JUDGED_ELSEWHERE = [
  'case_deadlines.due_at', // The law counts it from the report.
  'deliveries.leased_until',
  'deliveries.next_attempt_at',
  'destinations.due_at',
  'destinations.paused_until',
  'reconciled_banks.items_until', // How far statements have been read.
  'reconciled_banks.seen_until',
  'requeries.repeat_until', // A deadline, after which the bank is not asked again.
  'sandbox_payouts.due_at', // The choice of a test.
  'sandbox_reports.due_at',
  'users.totp_pending_until', // The end of a permission.
]

test('every column that work waits for is judged by the one rule', () => {
  const columns = readFileSync('db/schema.sql', 'utf8')
    .split(/^(?=create table )/im)
    .flatMap((table) => {
      const name = /^create table (\w+)/i.exec(table)?.[1]
      const names = table.matchAll(
        /^ {2}(next_\w+|retry_at|due_at|send_after|\w+_until) timestamp/gm,
      )
      return [...names].map(([, column]) => `${name}.${column}`)
    })
  const judged = [
    'bank_account_changes.next_attempt_at',
    'bank_accounts.next_enquiry_at',
    'bank_health.paused_until',
    'bank_routes.retry_at',
    'chat_posts.next_attempt_at',
    'identity_checks.due_at',
    'identity_service.paused_until',
    'message_transports.paused_until',
    'messages.claimed_until',
    'messages.next_attempt_at',
    'number_pools.leased_until',
    'number_pools.retry_at',
    'payout_reviews.next_query_at',
    'payouts.next_query_at',
    'payouts.send_after',
    'report_schedules.next_due_at',
    'requeries.due_at',
    'requeries.leased_until',
  ]
  assert.deepEqual(columns.toSorted(), [...judged, ...JUDGED_ELSEWHERE].toSorted())
})

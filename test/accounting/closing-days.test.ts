// I68: a closed day has the sums and the hash of its journal. Days close in order, once they are over and
// either balanced or closed with a reason, and stay closed.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import {
  closeDay,
  DAY_MS,
  FIRST_DAY,
  journalOf,
  OPERATOR,
  pass,
  REASON,
  reportOf,
  tryClose,
} from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertRefused, createAccount } from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { credit, readList } from '../support/tracing.ts'

const NEXT_DAY = '2026-11-16'

test('a closed day has its sums, and the hash of its journal', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1000.00')
  await credit(bench, accountNumber, '0.01')
  pass(bench, FIRST_DAY)

  const day = await closeDay(bench, FIRST_DAY)

  const { journalHash, closedBy, closedAt, ...rest } = day
  assert.deepEqual(rest, {
    day: FIRST_DAY,
    isClosed: true,
    reason: REASON.reason,
    unbalancedBanks: ['035'],
    transfers: 2,
    debit: 1000.01,
    credit: 1000.01,
    totals: [{ currency: 'NGN', debit: 1000.01, credit: 1000.01 }],
  })
  assert.equal(closedBy, 'client:MAN0000001')
  assert.equal(Date.parse(closedAt), bench.clock().getTime())
  const text = await journalOf(bench, FIRST_DAY)
  assert.equal(createHash('sha256').update(text).digest('hex'), journalHash)
  const days = await reportOf(bench, `days?from=2026-11-14&to=${NEXT_DAY}`)
  assert.deepEqual(
    days.map((each: { day: string; isClosed: boolean }) => [each.day, each.isClosed]),
    [
      [NEXT_DAY, false],
      [FIRST_DAY, true],
      ['2026-11-14', false],
    ],
  )
  assert.deepEqual(days[1], day)
  const log = (await readList(bench, '/api/v1/audit-log?action=day.close')).data
  assert.deepEqual(
    log.map(({ subject, detail }) => [subject, detail]),
    [[`day/${FIRST_DAY}`, { reason: REASON.reason, unbalanced: ['035'] }]],
  )
  await assertCleanBooks(bench)
})

test('days close in order, when they are over and balanced or a reason is given', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '10.00')
  const assertCloseRefused = async (day: string, code: string, body?: object, status = 409) =>
    assertRefused(await tryClose(bench, day, body), { status, code })

  await assertCloseRefused(FIRST_DAY, 'day_not_over')
  await assertCloseRefused('2026-11-31', 'invalid_request', {}, 400)
  await assertCloseRefused('yesterday', 'invalid_request', {}, 400)
  await assertCloseRefused('2026-11-14', 'invalid_request', { reason: ' ' }, 400)
  pass(bench, FIRST_DAY)
  bench.advance(-6 * 60_000) // Four minutes after midnight.
  await assertCloseRefused(FIRST_DAY, 'day_not_over')
  bench.advance(60_000)
  await assertCloseRefused(FIRST_DAY, 'day_not_balanced', {})
  assert.equal((await closeDay(bench, FIRST_DAY)).isClosed, true)
  await assertCloseRefused('2026-11-14', 'later_day_closed')
  bench.advance(DAY_MS)
  await credit(bench, accountNumber, '10.00')
  bench.advance(2 * DAY_MS)
  const later = await tryClose(bench, '2026-11-19')
  assertRefused(later, { status: 409, code: 'day_not_over' })
  await assertCloseRefused('2026-11-18', 'earlier_day_open')
  assert.deepEqual((await tryClose(bench, '2026-11-18')).json().errors, [
    { field: 'day', message: '2026-11-17 is open. Close 2026-11-17 first.' },
  ])
  const again = await closeDay(bench, FIRST_DAY, { reason: 'Another' })
  assert.equal(again.reason, REASON.reason)
  await closeDay(bench, '2026-11-17') // 16 November has no transfers.
  assert.deepEqual((await closeDay(bench, NEXT_DAY)).reason, null)
  await closeDay(bench, '2026-11-18')
  await assertCleanBooks(bench)
})

test('the first day that is closed is the first one with a transfer', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '10.00')
  bench.advance(2 * DAY_MS)
  await credit(bench, accountNumber, '10.00')
  pass(bench, '2026-11-18')

  for (const [day, message] of [
    ['2026-11-18', '2026-11-15, 2026-11-17 are open. Close 2026-11-15 first.'],
    ['2026-11-16', '2026-11-15 is open. Close 2026-11-15 first.'],
  ] as const) {
    const answer = await tryClose(bench, day)
    assertRefused(answer, { status: 409, code: 'earlier_day_open' })
    assert.deepEqual(answer.json().errors, [{ field: 'day', message }])
  }
  for (const day of [FIRST_DAY, '2026-11-17', '2026-11-18']) await closeDay(bench, day)
  await assertCleanBooks(bench)
})

test('days before the first transfer need not be closed', async () => {
  await using bench = await startTestService()
  bench.advance(2 * DAY_MS)
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '10.00')
  pass(bench, '2026-11-17')
  await closeDay(bench, '2026-11-17')
  await assertCleanBooks(bench)
})

test('a day that is not balanced names each bank and what it lacks', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '10.00')
  pass(bench, FIRST_DAY)
  const without = await tryClose(bench, FIRST_DAY, {})
  assert.deepEqual(without.json().errors, [
    { field: 'reason', message: `Bank 035, NGN: no statement covers ${FIRST_DAY}.` },
  ])
  await storeStatement(bench, [{ kobo: -7, sessionId: null }])
  const account = { bankCode: '035', currency: 'NGN', now: bench.clock() }
  await withTransaction(bench.db, (tx) => matchStatements(tx, account))
  const differing = await tryClose(bench, FIRST_DAY, {})
  assert.deepEqual(differing.json().errors, [
    { field: 'reason', message: `Bank 035, NGN: open differences until ${FIRST_DAY}: 1.` },
  ])
})

// A credit without a statement line is no difference yet: it may still be on its way for some days.
test('a day that is proved needs no reason, and one with a difference does', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const sessionId = await credit(bench, accountNumber, '10.00')
  pass(bench, FIRST_DAY)
  const readProof = async () =>
    reportOf(bench, `reconciliation?bankCode=035&day=${FIRST_DAY}&currency=NGN`)
  await storeStatement(bench, [
    { kobo: 1000, sessionId },
    { kobo: 5, sessionId: null }, // A credit that may still be reported.
    { kobo: -7, sessionId: null },
  ])
  const code = { status: 409, code: 'day_not_balanced' }
  assert.equal((await readProof()).status, 'missing_statement', 'its lines were not looked at yet')
  assertRefused(await tryClose(bench, FIRST_DAY, {}), code)
  const account = { bankCode: '035', currency: 'NGN', now: bench.clock() }
  await withTransaction(bench.db, (tx) => matchStatements(tx, account))
  assertRefused(await tryClose(bench, FIRST_DAY, {}), code)

  const { differences } = await readProof()
  const { id } = differences.find(({ amount }: { amount: number }) => amount === -0.07)
  const note = { action: 'note', reason: 'Known' }
  const url = `${OPERATOR}/reconciliation/${id}/resolve`
  assert.equal((await bench.call({ url, body: note })).statusCode, 200)
  const { status, isClosed } = await readProof()
  assert.deepEqual([status, isClosed], ['reconciling_items', false])
  const day = await closeDay(bench, FIRST_DAY, {})

  assert.deepEqual([day.reason, day.unbalancedBanks], [null, []])
  assert.equal((await readProof()).isClosed, true)
  const days = await reportOf(bench, `reconciliation/days?from=${FIRST_DAY}&to=${NEXT_DAY}`)
  assert.deepEqual(
    days.map((each: { day: string; isClosed: boolean }) => [each.day, each.isClosed]),
    [
      [FIRST_DAY, true],
      [NEXT_DAY, false],
    ],
  )
})

type StatementLine = { kobo: number; sessionId: string | null }

// Stores a statement of FIRST_DAY in the database, without importing a file. The lines are not matched yet.
const storeStatement = ({ db, clock }: Bench, lines: readonly StatementLine[]) =>
  db.query(
    `with import as (
       insert into statement_imports (bank_code, format, state, started_by, started_at, updated_at)
       values ('035', 'csv', 'done', 'test', $1, $1) returning id
     ), statement as (
       insert into statements (import_id, bank_code, currency, from_day, to_day, opening_kobo,
                               closing_kobo, has_balances, lines, new_lines, imported_at)
       select id, '035', 'NGN', $3, $3, 0, 998, true, 3, 3, $1 from import returning id
     )
     insert into statement_lines (statement_id, bank_code, currency, line_no, booked_on,
                                  amount_kobo, kind, session_id, hash)
     select s.id, '035', 'NGN', 1, $3, kobo, 'other', "sessionId", gen_random_uuid()::text::bytea
       from statement s, json_to_recordset($2) as l (kobo bigint, "sessionId" text)`,
    [clock(), JSON.stringify(lines), FIRST_DAY],
  )

test('the database itself keeps closed days as they are', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5.00')
  pass(bench, FIRST_DAY)
  await closeDay(bench, FIRST_DAY)
  const assertDatabaseRefuses = (sql: string, why: RegExp) =>
    assert.rejects(bench.db.query(sql), why)

  await assertDatabaseRefuses(`update closed_days set reason = 'x'`, /stays as it is/)
  await assertDatabaseRefuses(`update closed_days set completed_at = now()`, /stays as it is/)
  await assertDatabaseRefuses('delete from closed_days', /may not be changed/)
  await assertDatabaseRefuses('truncate closed_days cascade', /may not be changed/)
  await assertDatabaseRefuses('update closed_day_lines set debit_kobo = 1', /may not be changed/)
  await assertDatabaseRefuses('delete from closed_day_balances', /may not be changed/)
  await assertDatabaseRefuses(
    `insert into closed_day_lines select day, 'paying', client_id, bank_code, currency, reason, 1, 1
       from closed_day_lines`,
    /stays as it is/,
  )
  const insertClosedDaySql = (day: string, previous: string) =>
    `insert into closed_days (day, previous, ends_at, chart, unbalanced, closed_by, closed_at)
     values ('${day}', ${previous}, ('${day}'::date + 1)::timestamp at time zone interval '1 hour',
             '{}', '[]', 'x', now())`
  await assertDatabaseRefuses(
    insertClosedDaySql('2026-11-18', 'null'),
    /closed_days_follow_one_another/,
  )
  await assertDatabaseRefuses(
    insertClosedDaySql('2026-11-18', `'${FIRST_DAY}'`),
    /closed_days_without_gaps/,
  )
})

test('only operators close days and see them', async () => {
  await using bench = await startTestService()
  const token = await bench.newClient('MAN0000009')
  const code = { status: 403, code: 'scope_missing' }
  const paths = ['days', `journal?day=${FIRST_DAY}`, `journal.csv?day=${FIRST_DAY}`, 'balances']
  const more = ['trial-balance', 'vat?month=2026-11', 'suspense-ageing', 'balances.csv']

  assertRefused(await tryClose(bench, FIRST_DAY, {}, { token }), code)
  for (const path of [...paths, ...more]) {
    assertRefused(await bench.call({ url: `${OPERATOR}/${path}`, token }), code)
  }
})

// Daily proofs over HTTP, and the worker that matches statements and raises alerts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watDay } from '#clock.ts'
import { reconcileBanksRound } from '../../src/reconciliation/workers.ts'
import { createAccount, dataOf, MINUTE_MS } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const DESK = '/api/v1/operator/reconciliation'
const BANK = '035'
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

// Reports a credit; returns its session id.
async function receive(bench: Bench, accountNumber: string, amount: string): Promise<string> {
  const sessionId = newSessionId()
  const answer = await postRail(bench, '035/credits', { sessionId, accountNumber, amount })
  assert.equal(answer.statusCode, 200, answer.body)
  return sessionId
}

type GivenLine = { kobo: number; sessionId?: string; name?: string }

// Inserts a statement of the current day in Lagos; returns the day.
async function importStatement(bench: Bench, openingKobo: number, lines: readonly GivenLine[]) {
  const day = watDay(bench.clock())
  await bench.db.query(
    `with import as (
       insert into statement_imports (bank_code, format, state, started_by, started_at, updated_at)
       values ('${BANK}', 'csv', 'done', 'test', now(), now()) returning id
     ), statement as (
       insert into statements (import_id, bank_code, currency, from_day, to_day, opening_kobo,
                               closing_kobo, has_balances, lines, new_lines, imported_at)
       select id, '${BANK}', 'NGN', $1, $1, $2, $4, true, 0, 0, now() from import returning id
     )
     insert into statement_lines (statement_id, bank_code, currency, line_no, booked_on,
                                  amount_kobo, kind, session_id, counterparty_name, narration, hash)
     select s.id, '${BANK}', 'NGN', n, $1, kobo, 'credit', "sessionId", name, 'line ' || n,
            gen_random_uuid()::text::bytea
       from statement s, json_to_recordset($3)
            as l (kobo bigint, "sessionId" text, name text, n int)`,
    [
      day,
      openingKobo,
      JSON.stringify(lines.map((line, at) => ({ ...line, n: at + 1 }))),
      lines.reduce((sum, { kobo }) => sum + kobo, openingKobo),
    ],
  )
  return day
}

const reconcile = (bench: Bench) =>
  reconcileBanksRound({ ...bench, banks: bench.config.banks })(new AbortController().signal)

const alertsOf = async ({ db }: Bench) =>
  (await db.query('select kind, subject, cleared_at is null as stands from alerts order by id'))
    .rows

const get = async (bench: Bench, path: string) =>
  dataOf(await bench.call({ url: `${DESK}${path}` }))

const listOf = async (bench: Bench, path: string) =>
  (await bench.call({ url: `${DESK}${path}` })).json().data

type Sides = { day: string; sessionId: string }

// Asserts that the lists of lines and of items show the matched credit and the unmatched item.
async function assertSides(bench: Bench, { day, sessionId }: Sides): Promise<void> {
  const lines = await listOf(bench, `/lines?bankCode=${BANK}&day=${day}&isMatched=true`)
  assert.deepEqual(
    lines.map((line: { sessionId: string; rule: string; items: { reference: string }[] }) => [
      line.sessionId,
      line.rule,
      line.items.map(({ reference }) => reference),
    ]),
    [[sessionId, 'session_id', [sessionId]]],
  )
  const items = await listOf(bench, `/items?bankCode=${BANK}&day=${day}&limit=1`)
  assert.deepEqual(
    items.map((item: { amount: number; lines: { narration: string }[] }) => [
      item.amount,
      item.lines.map(({ narration }) => narration),
    ]),
    [[1000, ['line 1']]],
  )
  const unmatched = await listOf(bench, `/items?bankCode=${BANK}&day=${day}&isMatched=false`)
  assert.equal(unmatched[0].amount, 50)
  await assertFound(bench, { day, sessionId })
}

// Asserts that the search of both lists (lines and items) finds rows by a whole amount, with or without its
// sign, and by part of a text in upper or lower case. Each row of the table has a search, and the amounts of
// the lines and of the items that the search must find.
async function assertFound(bench: Bench, { day, sessionId }: Sides): Promise<void> {
  for (const [search, lines, items] of [
    ['1,000.00', [1000], [1000]],
    ['7.77', [-7.77], []],
    ['-7.77', [-7.77], []],
    ['some', [-7.77], []],
    ['SOMEBODY', [-7.77], []],
    ['LINE 1', [1000], []],
    [sessionId.slice(3), [1000], [1000]],
    ['100.00', [], []],
    ['50.00', [], [50]],
    ['%', [], []],
  ] as const) {
    const results = await Promise.all(
      ['lines', 'items'].map(async (side) => {
        const query = new URLSearchParams({ bankCode: BANK, day, search })
        const rows = await listOf(bench, `/${side}?${query}`)
        return rows.map(({ amount }: { amount: number }) => amount)
      }),
    )
    assert.deepEqual(results, [lines, items], search)
  }
}

test('a bank’s day opens to its arithmetic, its differences and both sides', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, { bankCode: BANK })
  const sessionId = await receive(bench, accountNumber, '1000.00')
  await receive(bench, accountNumber, '50.00')
  const day = await importStatement(bench, 0, [
    { kobo: 100_000, sessionId },
    { kobo: -777, name: 'Somebody' },
  ])
  bench.advance(5 * DAY_MS)
  await reconcile(bench)

  const proof = await get(bench, `?bankCode=${BANK}&day=${day}`)
  const { differences, ...sums } = proof
  assert.deepEqual(sums, {
    bankCode: BANK,
    bankName: 'Wema Bank',
    currency: 'NGN',
    day,
    status: 'differences',
    statusText: 'Not balanced: 2 open differences',
    computedAt: '2026-11-20T09:00:00.000000+01:00',
    ledger: 1050,
    statement: 992.23,
    timing: 0,
    waiting: 0,
    noted: 0,
    difference: -57.77,
    openDifferences: 2,
    waitingDifferences: 0,
    notedDifferences: 0,
    isExpected: true,
    isClosed: false,
    moreDifferences: false,
  })
  const [missing, debit] = differences
  assert.deepEqual(
    [
      missing.kind,
      missing.amount,
      missing.item.kind,
      missing.credit.accountNumber,
      missing.ageDays,
    ],
    ['missing_at_bank', -50, 'credit', accountNumber, 5],
  )
  assert.deepEqual(
    [debit.kind, debit.line.narration, debit.ageBucket, debit.actions],
    ['unexplained_debit', 'line 2', '2-7', ['note']],
  )

  await assertSides(bench, { day, sessionId })

  const one = await get(bench, `/${missing.id}`)
  assert.deepEqual(
    one.history.map(({ change }: { change: string }) => change),
    ['opened'],
  )
  const listed = await listOf(bench, `/differences?kind=unexplained_debit&bucket=2-7`)
  assert.deepEqual(
    listed.map(({ id }: { id: number }) => id),
    [debit.id],
  )
  const ageing = await get(bench, '/ageing')
  assert.deepEqual(ageing.differences, [
    { bankCode: BANK, currency: 'NGN', bucket: '2-7', count: 2, amount: 57.77, unowned: 2 },
  ])
})

test('an account is matched again when something moved or was decided, and once an hour', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, { bankCode: BANK })
  const sessionId = newSessionId()
  await importStatement(bench, 0, [{ kobo: 1000, sessionId }, { kobo: -777 }])
  // Moves to the start of an hour, so that no hour ends before the test advances one.
  bench.advance(HOUR_MS - (bench.clock().getTime() % HOUR_MS))
  await reconcile(bench)
  // Runs the worker a second later; returns whether it matched the account again.
  const isMatchedAgain = async () => {
    const { rows: before } = await bench.db.query('select seen_until from reconciled_banks')
    bench.advance(1000)
    await reconcile(bench)
    const { rows: after } = await bench.db.query('select seen_until from reconciled_banks')
    return after[0].seenUntil > before[0].seenUntil
  }

  assert.equal(await isMatchedAgain(), false)
  await postRail(bench, '035/credits', { sessionId, accountNumber, amount: '10.00' })
  assert.equal(await isMatchedAgain(), true)
  const open = await listOf(bench, '/differences')
  assert.deepEqual(
    open.map(({ kind }: { kind: string }) => kind),
    ['unexplained_debit'],
  )
  assert.equal(await isMatchedAgain(), false)
  await bench.db.query(
    `insert into difference_changes (difference_id, change, detail, changed_at)
     values ($1, 'rejected', '{}', now())`,
    [open[0].id],
  )
  assert.equal(await isMatchedAgain(), true)
  assert.equal(await isMatchedAgain(), false)
  bench.advance(HOUR_MS)
  assert.equal(await isMatchedAgain(), true)
})

test('red days and missing statements raise alerts that clear by themselves', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, { bankCode: BANK })
  const sessionId = await receive(bench, accountNumber, '10.00')
  await importStatement(bench, 0, [{ kobo: 900, sessionId }])
  await reconcile(bench)
  const red = { kind: 'reconciliation_difference', subject: '035 NGN' }
  assert.deepEqual(await alertsOf(bench), [{ ...red, stands: true }])

  await bench.db.query(
    `update differences set state = 'resolved', action = 'note', reason = 'agreed',
                            decided_by = 'ada', decided_at = now()`,
  )
  bench.advance(3 * DAY_MS)
  await reconcile(bench)
  await reconcile(bench)
  const missing = { kind: 'statement_missing', subject: '035 NGN' }
  assert.deepEqual(await alertsOf(bench), [
    { ...red, stands: false },
    { ...missing, stands: true },
  ])

  await importStatement(bench, 900, [])
  await reconcile(bench)
  assert.deepEqual((await alertsOf(bench)).at(-1), { ...missing, stands: false })
})

test('a malformed day, bank or difference is refused, and clients have no access', async () => {
  await using bench = await startTestService()
  for (const path of [
    `?bankCode=${BANK}&day=2026-02-30`,
    `?bankCode=${BANK}&day=yesterday`,
    '?bankCode=999&day=2026-11-10',
    `?bankCode=${BANK}`,
    `/days?from=2026-11-10&to=2026-11-09`,
    `/days?from=2026-01-01&to=2026-11-09`,
    `/lines?bankCode=${BANK}&day=2026-11-10&isMatched=perhaps`,
    `/items?bankCode=${BANK}&day=2026-11-10&kind=gift`,
    `/items?bankCode=${BANK}&day=2026-11-10&search=`,
    `/lines?bankCode=${BANK}&day=2026-11-10&search=${'x'.repeat(101)}`,
    '/differences?bucket=31',
  ]) {
    const answer = await bench.call({ url: `${DESK}${path}` })
    assert.equal(answer.statusCode, 400, `${path}: ${answer.body}`)
  }
  for (const id of ['0', '-1', 'x', '99999999999999999999', '77']) {
    const answer = await bench.call({ url: `${DESK}/${id}` })
    assert.equal(answer.json().code, 'difference_not_found', answer.body)
  }
})

// Several statements for one day. The balance of a swept account returns to the same values, so the opening
// and closing balances of a day's parts can form a circle, and only the order of the parts says which one
// begins the day.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { patience } from '../support/patience.ts'
import { BANK, type MatchingBench, readDifferences, setUpMatching } from './books.ts'
import { assertSettled } from './identity.ts'

const NOW = '2026-11-17T08:00'
const day = (date: number) => `2026-11-${String(date).padStart(2, '0')}`

// The statement of part of a day, with one line that moves the balance.
function part(date: number, openingKobo: number, closingKobo: number) {
  const amountKobo = closingKobo - openingKobo
  const lines = [{ day: day(date), amountKobo, narration: `${date}: ${amountKobo}` }]
  return { fromDay: day(date), toDay: day(date), openingKobo, lines }
}

// The parts of a swept account's day: from zero, by these balances, back to zero.
const round = (date: number, ...balances: number[]) =>
  [0, ...balances].map((kobo, index) => part(date, kobo, balances[index] ?? 0))

const numbered = <T>(parts: readonly T[]) =>
  parts.map((statementPart, index) => ({ ...statementPart, sequence: index + 1 }))

// The gaps between balances, each as "amount on date".
async function readGaps(bench: MatchingBench): Promise<string[]> {
  const gaps = await bench.read<{ gap: string }>(
    `select amount_kobo || ' on ' || to_char(day, 'FMDD') as gap from differences
      where kind = 'balance_gap' and state <> 'cleared' order by day, id`,
  )
  return gaps.map(({ gap }) => gap)
}

const ROUND = round(10, 100, 50)
const ORDERS = {
  'in order': ROUND,
  'the last one first': ROUND.toReversed(),
  'numbered, the last one first': numbered(ROUND).toReversed(),
}

for (const [order, parts] of Object.entries(ORDERS)) {
  test(`a first day whose parts go round is covered, and begins with its first (${order})`, async () => {
    await using bench = await setUpMatching()
    const credit = { id: 1, sessionId: 'S1', amountKobo: 1_000, at: `${day(10)}T10:00` }
    await bench.writeBooks({ credits: [credit] })
    for (const each of [...parts, part(11, 0, 30), part(12, 30, 70)]) {
      await bench.importStatement(each)
    }
    await bench.match(NOW)

    const covered = await bench.read(
      `select b.from_day::text, s.opening_kobo from reconciled_banks b
         join statements s on s.id = b.first_id`,
    )
    assert.deepEqual(covered, [{ fromDay: day(10), openingKobo: 0n }])
    const missing = (await readDifferences(bench)).filter(({ kind }) => kind === 'missing_at_bank')
    assert.deepEqual(
      missing.map(({ about }) => about),
      ['credit 1'],
    )
    assert.deepEqual(await readGaps(bench), [])
    await assertSettled(bench, NOW)
  })
}

test('days that go round make no gap, in whatever order their parts come', async () => {
  await using bench = await setUpMatching()
  const days = [part(9, 80, 0), ...round(10, 100), ...round(11, 70, 20), ...round(12, 30, 45, 15)]
  for (const each of days.toReversed()) await bench.importStatement(each)
  await bench.match(NOW)
  assert.deepEqual(await readGaps(bench), ['80 on 9'])

  for (const each of round(13, 65)) await bench.importStatement(each)
  await bench.match(NOW)
  assert.deepEqual(await readGaps(bench), ['80 on 9'])
  await assertSettled(bench, NOW)
})

test('a gap between days that go round is reported once, on the part that opens with it', async () => {
  await using bench = await setUpMatching()
  const later = [
    part(11, 5, 75),
    part(11, 75, 5),
    part(12, 5, 45),
    part(12, 45, 25),
    part(12, 25, 5),
  ]
  for (const each of [...round(10, 100), ...later]) await bench.importStatement(each)
  await bench.match(NOW)

  assert.deepEqual(await readGaps(bench), ['5 on 11'])
  await assertSettled(bench, NOW)
})

test('numbers tell which part begins a day, also if another would leave no gap', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement(part(9, 0, 100))
  for (const each of numbered([part(10, 5, 100), part(10, 100, 5)]).toReversed()) {
    await bench.importStatement(each)
  }
  await bench.match(NOW)

  assert.deepEqual(await readGaps(bench), ['-95 on 10'])
})

test('a period that ends on a day which goes round is covered from its own first day', async () => {
  await using bench = await setUpMatching()
  const period = { ...part(12, 0, 100), fromDay: day(2), coversFrom: day(2) }
  for (const each of [...round(11, 30), part(12, 50, 0), part(12, 100, 50), period]) {
    await bench.importStatement(each)
  }
  await bench.match(NOW)

  assert.deepEqual(await bench.read('select from_day::text from reconciled_banks'), [
    { fromDay: day(2) },
  ])
  assert.deepEqual(await readGaps(bench), [])
})

// Inserts copies of the existing statement. `columns` is SQL for the first day, last day, opening and closing
// balance of the n-th copy. A copy whose balance moves gets one line with the movement.
async function importMany(bench: MatchingBench, columns: string, count: number): Promise<void> {
  await bench.pool.query(
    `insert into statements (import_id, bank_code, currency, has_balances, lines, new_lines,
                             imported_at, from_day, to_day, opening_kobo, closing_kobo)
     select import_id, bank_code, currency, true, 0, 0, imported_at, ${columns}
       from statements, generate_series(1, ${count}) as n`,
  )
  await bench.pool.query(
    `insert into statement_lines (statement_id, bank_code, currency, line_no, booked_on, amount_kobo,
                                  is_reversal, kind, narration, hash)
     select id, bank_code, currency, 1, to_day, closing_kobo - opening_kobo, false, 'other', '',
            gen_random_uuid()::text::bytea
       from statements where lines = 0 and closing_kobo <> opening_kobo`,
  )
}

// Matches with a time limit for each SQL statement.
const matchSoon = (bench: MatchingBench) =>
  withTransaction(bench.pool, async (tx) => {
    await tx.query(`set local statement_timeout = ${patience(1_500)}`)
    await matchStatements(tx, { bankCode: BANK, currency: 'NGN', now: new Date(`${NOW}:00Z`) })
  })

// A join by balance needed half a minute for 10,000 statements; sorting needs 0.3 s.
test('thousands of statements with one and the same balance are chained within seconds', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement({ ...part(10, 5, 0), fromDay: day(9) })
  await importMany(bench, 'to_day + n / 24, to_day + n / 24 + n % 2, 0, 0', 6_000)
  await matchSoon(bench)

  assert.deepEqual(await readGaps(bench), ['5 on 9'])
})

// Comparing all parts with each other needed 38 s; comparing within each day needs 0.14 s.
test('thousands of parts of one day are checked for gaps within seconds', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement(part(10, 0, 1))
  await importMany(bench, 'to_day, to_day, n, n + 1', 8_000)
  await matchSoon(bench)

  assert.deepEqual(await readGaps(bench), [])
})

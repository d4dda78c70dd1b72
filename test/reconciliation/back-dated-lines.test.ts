// Statement lines that the bank dates before the days of their statement: how they affect balances, gaps and
// covered days.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDailyProofs } from '#reconciliation/daily-proof.ts'
import { startTestService } from '../support/running-service.ts'
import { gtbankCsv, imported, readStored } from '../support/statement-files.ts'
import {
  BANK,
  type MatchingBench,
  readDifferences,
  setUpMatching,
  TIMING_WINDOWS,
} from './books.ts'
import { assertIdentity, assertSettled } from './identity.ts'

const NOW = '2026-11-17T08:00'
const day = (date: number) => `2026-11-${String(date).padStart(2, '0')}`
const line = (date: number, amountKobo: number) => {
  return { day: day(date), amountKobo, narration: `${date}: ${amountKobo}` }
}

type DatedLine = [date: number, amountKobo: number]

// The statement of a day in November. Its period begins with its earliest line.
function statement(date: number, openingKobo: number, lines: readonly DatedLine[]) {
  const fromDay = day(Math.min(date, ...lines.map(([lineDate]) => lineDate)))
  const datedLines = lines.map((datedLine) => line(...datedLine))
  return { fromDay, toDay: day(date), openingKobo, lines: datedLines }
}

const gapsOf = (bench: MatchingBench) =>
  bench.read<{ gap: string }>(
    `select amount_kobo || ' on ' || to_char(day, 'FMDD') as gap from differences
      where kind = 'balance_gap' and state <> 'cleared' order by day, id`,
  )
const readGaps = async (bench: MatchingBench) => (await gapsOf(bench)).map(({ gap }) => gap)

// The statement balance at the end of each day.
async function balancesOf(bench: MatchingBench, from: number, to: number) {
  const proofs = await readDailyProofs(bench.pool, {
    fromDay: day(from),
    toDay: day(to),
    bankCode: BANK,
    currency: 'NGN',
    windows: TIMING_WINDOWS,
    now: new Date(`${NOW}:00+01:00`),
  })
  return proofs.map(({ statementKobo }) => (statementKobo === null ? null : Number(statementKobo)))
}

test('a line that is dated back is a gap of its own amount, from its day to its statement', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement(statement(10, 80, [[10, 10]]))
  await bench.importStatement(statement(11, 90, [[11, 10]]))
  await bench.importStatement(statement(12, 100, [[12, 50]]))
  const backDated: DatedLine[] = [
    [13, 20],
    [10, 5],
  ]
  await bench.importStatement(statement(13, 150, backDated))
  await bench.match(NOW)
  const gaps = ['80 on 10', '-5 on 10', '5 on 13']
  assert.deepEqual(await readGaps(bench), gaps)
  await assertIdentity(bench, NOW)

  await bench.importStatement(statement(14, 175, [[14, 1]]))
  const again: DatedLine[] = [
    [15, 2],
    [11, 7],
  ]
  await bench.importStatement(statement(15, 176, again))
  await bench.importStatement(statement(16, 185, []))
  await bench.match(NOW)
  assert.deepEqual(await readGaps(bench), [
    '80 on 10',
    '-5 on 10',
    '-7 on 11',
    '5 on 13',
    '7 on 15',
  ])
  await assertIdentity(bench, NOW)
  await assertSettled(bench, NOW)
})

test('a line dated before the first statement neither makes its own the first nor covers a day', async () => {
  await using bench = await setUpMatching()
  const early = { id: 1, sessionId: 'S1', amountKobo: 1_000, at: `${day(9)}T10:00` }
  await bench.writeBooks({ credits: [early] })
  const backDated: DatedLine[] = [
    [11, 10],
    [9, 5],
  ]
  await bench.importStatement(statement(10, 1_080, [[10, 10]]))
  await bench.match(NOW)
  assert.deepEqual(await readGaps(bench), ['80 on 10'])
  await bench.importStatement(statement(11, 1_090, backDated))
  await bench.match(NOW)

  const found = (await readDifferences(bench)).map(({ about, kind }) => `${about} ${kind}`)
  assert.deepEqual(await readGaps(bench), ['75 on 10', '5 on 11'])
  assert.equal(found.includes('credit 1 missing_at_bank'), false)
  assert.deepEqual(await balancesOf(bench, 9, 11), [null, 1_090, 1_105])
  await assertSettled(bench, NOW)
})

test('a line dated before its own statement covers no day, whichever came first', async () => {
  await using bench = await setUpMatching()
  const credit = (id: number, date: number) => {
    return { id, sessionId: `S${id}`, amountKobo: 1_000, at: `${day(date)}T10:00` }
  }
  await bench.writeBooks({ credits: [credit(1, 2), credit(2, 3), credit(3, 8), credit(4, 10)] })
  const named = (of: number, id: number) => ({ ...line(of, 1_000), sessionId: `S${id}` })
  const lines = [named(2, 1), named(10, 4)]
  const backDated = { ...statement(10, 2_000, []), fromDay: day(2), coversFrom: day(10), lines }
  await bench.importStatement(backDated)
  await bench.match(NOW)

  assert.deepEqual(await readDifferences(bench), [])
  assert.deepEqual(await balancesOf(bench, 8, 10), [null, null, 4_000])
  await bench.importStatement(statement(9, 2_000, []))
  await bench.importStatement(statement(11, 4_000, []))
  await bench.match(NOW)
  assert.deepEqual(await readGaps(bench), ['-1000 on 9', '1000 on 10'])
  assert.deepEqual(await balancesOf(bench, 8, 11), [null, 2_000, 4_000, 4_000])
  await assertSettled(bench, NOW)
})

test('a line that is dated back leaves the numbers of statements in order', async () => {
  await using bench = await setUpMatching()
  const backDated: DatedLine[] = [
    [12, 10],
    [10, 5],
  ]
  await bench.importStatement({ ...statement(10, 0, [[10, 10]]), sequence: 1 })
  await bench.importStatement({ ...statement(11, 10, [[11, 10]]), sequence: 2 })
  await bench.importStatement({ ...statement(12, 20, backDated), sequence: 3 })
  await bench.importStatement({ ...statement(13, 35, []), sequence: 5 })
  await bench.match(NOW)

  const found = await bench.read(
    `select to_char(day, 'FMDD') as day from differences where kind = 'sequence_gap'`,
  )
  assert.deepEqual(found, [{ day: '13' }])
})

test('lines after a bank’s cut-off, dated on the day before their statement, are no gap', async () => {
  await using bench = await setUpMatching()
  const next: DatedLine[] = [
    [10, 20],
    [11, 30],
  ]
  const last: DatedLine[] = [
    [11, 15],
    [12, 10],
  ]
  await bench.importStatement(statement(10, 0, [[10, 50]]))
  await bench.importStatement(statement(11, 50, next))
  await bench.match(NOW)
  await bench.importStatement(statement(12, 100, last))
  await bench.match(NOW)

  assert.deepEqual(await readGaps(bench), [])
  assert.deepEqual(await balancesOf(bench, 10, 12), [70, 115, 125])
})

test('the later part of a first day is not the first part, in either order of import', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement(statement(10, 200, [[10, -7]]))
  await bench.importStatement(statement(10, 100, [[10, 100]]))
  await bench.match(NOW)

  assert.deepEqual(await readGaps(bench), ['100 on 10'])
  assert.deepEqual(await balancesOf(bench, 10, 10), [193])
})

test('a period opens with its balance, also if a day of it closed with the same', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement(statement(11, 100, [[11, -100]]))
  await bench.match(NOW)
  const period: DatedLine[] = [
    [10, 100],
    [12, 30],
  ]
  await bench.importStatement({ ...statement(12, 0, period), closingKobo: 30 })
  await bench.match(NOW)

  assert.deepEqual(await readGaps(bench), [])
  assert.deepEqual(await balancesOf(bench, 10, 12), [100, 0, 30])
})

// An MT940 file whose balances have these days, with a line of 1.00 on each of the other days.
const mt940 = (opened: string, closed: string, days: readonly string[]) =>
  [
    ':20:STMT',
    ':25:0123456789',
    `:60F:C${opened}NGN0,00`,
    ...days.map((each, at) => `:61:${each}C1,00NTRFNONREF//B${at}`),
    `:62F:C${closed}NGN${days.length},00`,
    '',
  ].join('\n')

test('a file covers its own days, whatever its lines are dated; else those of its lines', async () => {
  await using bench = await startTestService()
  const banks = bench.config.banks.map(({ code }) => code)
  const csv = gtbankCsv({
    lines: [
      { kobo: 1n, day: '2026-11-06' },
      { kobo: 1n, day: '2026-10-15' },
    ],
  })
  const files: [format: string, file: string, coversFrom: string | null][] = [
    ['mt940', mt940('261105', '261106', ['261106', '261015']), '2026-11-06'],
    ['mt940', mt940('261106', '261106', ['261106', '261015']), '2026-11-06'],
    ['mt940', mt940('261105', '261106', ['261105', '261015']), '2026-11-06'],
    ['mt940', mt940('261031', '261110', ['261103', '261015', '261110']), '2026-11-03'],
    ['csv&profile=gtbank', csv, null],
  ]

  for (const [at, [format, file, coversFrom]] of files.entries()) {
    const bankCode = banks[at] as string
    await imported(bench, file, { query: `bankCode=${bankCode}&format=${format}` })
    const { statements } = await readStored(bench, bankCode)
    assert.equal(statements[0].fromDay, '2026-10-15')
    assert.equal(statements[0].coversFrom, coversFrom, file)
  }
})

// Statements that are imported in any order, that overlap, that cover parts of days, or that lack balances:
// matching reports each gap between them, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDailyProofs } from '#reconciliation/daily-proof.ts'
import { untilBlocked } from '../support/waiting-locks.ts'
import {
  BANK,
  type MatchingBench,
  readDifferences,
  setUpMatching,
  TIMING_WINDOWS,
} from './books.ts'

const NOW = '2026-11-14T08:00'
const DAYS = ['2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13'] as const
const [FIRST, SECOND, THIRD, FOURTH] = DAYS

const credits = DAYS.map((day, at) => {
  return { id: at + 1, sessionId: `S${at}`, amountKobo: 100, at: `${day}T10:00` }
})
const lineOf = (day: string) => {
  return { day, sessionId: `S${DAYS.indexOf(day as never)}`, amountKobo: 100, narration: day }
}
const dayOf = (day: string, openingKobo: number) => {
  return { fromDay: day, toDay: day, openingKobo, lines: [lineOf(day)] }
}

const gapsOf = async (bench: MatchingBench) =>
  (await readDifferences(bench)).map(({ kind, amount }) => [kind, amount])

// The proofs of the four days, each as "status statement balance".
async function statusesOf(bench: MatchingBench): Promise<string[]> {
  const proofs = await readDailyProofs(bench.pool, {
    fromDay: FIRST,
    toDay: FOURTH,
    bankCode: BANK,
    currency: 'NGN',
    windows: TIMING_WINDOWS,
    now: new Date(`${NOW}:00+01:00`),
  })
  return proofs.map(({ status, statementKobo }) => `${status} ${statementKobo}`)
}

const ALL_GREEN = DAYS.map((_, at) => `balanced ${(at + 1) * 100}`)

test('a day out of a period that was there before opens no gap, nor does the next', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits })
  const lines = [FIRST, SECOND, THIRD].map(lineOf)
  await bench.importStatement({ fromDay: FIRST, toDay: THIRD, openingKobo: 0, lines })
  await bench.match(NOW)
  const again = { fromDay: SECOND, toDay: SECOND, openingKobo: 100, closingKobo: 200, lines: [] }
  await bench.importStatement(again)
  await bench.importStatement(dayOf(FOURTH, 300))
  await bench.match(NOW)
  assert.deepEqual(await gapsOf(bench), [])
  assert.deepEqual(await statusesOf(bench), ALL_GREEN)
})

test('days in whatever order leave no gap when all are there', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits })
  for (const [day, openingKobo] of [
    [THIRD, 200],
    [FIRST, 0],
    [FOURTH, 300],
    [SECOND, 100],
  ] as const) {
    await bench.importStatement({ ...dayOf(day, openingKobo), sequence: 10 + openingKobo / 100 })
    await bench.match(NOW)
  }
  assert.deepEqual(await gapsOf(bench), [])
  assert.deepEqual(await statusesOf(bench), ALL_GREEN)
})

test('parts of a day follow one another, whichever came first, with the whole day after them', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits })
  await bench.importStatement(dayOf(FIRST, 0))
  const part = { fromDay: SECOND, toDay: SECOND }
  const fee = { day: SECOND, amountKobo: -7, kind: 'other', narration: 'later' }
  await bench.importStatement({ ...part, openingKobo: 200, lines: [fee] })
  await bench.match(NOW)
  await bench.importStatement({ ...part, openingKobo: 100, lines: [lineOf(SECOND)] })
  await bench.match(NOW)
  await bench.importStatement({ ...part, openingKobo: 100, closingKobo: 193, lines: [] })
  await bench.importStatement(dayOf(THIRD, 193))
  await bench.importStatement(dayOf(FOURTH, 293))
  await bench.match(NOW)
  assert.deepEqual(await gapsOf(bench), [['unexplained_debit', -7n]])
  assert.deepEqual(await statusesOf(bench), [
    'balanced 100',
    'differences 193',
    'differences 293',
    'differences 393',
  ])
})

test('a gap is reported once, on the statement that opens with it', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: credits.slice(0, 1) })
  await bench.importStatement(dayOf(FIRST, 0))
  const empty = { fromDay: SECOND, toDay: SECOND, openingKobo: 150, lines: [] }
  await bench.importStatement(empty)
  await bench.importStatement(empty)
  await bench.importStatement({ ...empty, fromDay: THIRD, toDay: THIRD })
  await bench.match(NOW)
  assert.deepEqual(await gapsOf(bench), [['balance_gap', 50n]])
  const [first, second, third] = await statusesOf(bench)
  assert.deepEqual([first, second, third], ['balanced 100', 'differences 150', 'differences 150'])
})

test('a first statement without balances tells what the books had before it', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits })
  await bench.importStatement({ ...dayOf(SECOND, 0), hasBalances: false })
  await bench.match(NOW)
  assert.deepEqual(await gapsOf(bench), [['balance_gap', -100n]])
  await bench.importStatement(dayOf(FIRST, 0))
  await bench.match(NOW)
  assert.deepEqual(await gapsOf(bench), [])
  assert.deepEqual((await statusesOf(bench)).slice(0, 2), ALL_GREEN.slice(0, 2))
})

test('a missing statement number is reported, also across statements without numbers', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits })
  await bench.importStatement({ ...dayOf(FIRST, 0), sequence: 1 })
  await bench.importStatement(dayOf(SECOND, 100))
  await bench.importStatement({ ...dayOf(THIRD, 200), sequence: 4 })
  await bench.match(NOW)
  assert.deepEqual(await gapsOf(bench), [['sequence_gap', 0n]])
})

test('a statement that is stored while a run waits is covered by it', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits })
  await bench.importStatement(dayOf(FIRST, 0))
  await bench.match(NOW)
  const holder = await bench.pool.connect()
  await holder.query('begin; select from reconciled_banks for update')
  const waiting = bench.match(NOW)
  await untilBlocked(bench.pool, 1)
  await bench.importStatement(dayOf(SECOND, 100))
  await holder.query('commit')
  holder.release()
  await waiting
  const days = await bench.read(`select to_day::text as day from reconciled_banks`)
  assert.deepEqual(days, [{ day: SECOND }])
  assert.deepEqual((await statusesOf(bench)).slice(0, 2), ALL_GREEN.slice(0, 2))
})

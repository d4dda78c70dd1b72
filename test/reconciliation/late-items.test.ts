// Matching also finds items that are posted later into days that were already matched, so that no item stays
// unnoticed behind a day that is already green.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDifferences, readMatches, setUpMatching } from './books.ts'
import { assertIdentity, assertSettled } from './identity.ts'

const credit = (id: number, at: string) => ({ id, sessionId: `S${id}`, amountKobo: 100_000, at })
const line = (id: number, day: string) => ({
  day,
  sessionId: `S${id}`,
  amountKobo: 100_000,
  narration: `L${id}`,
})

const emptyDay = (day: string, openingKobo: number) => {
  return { fromDay: day, toDay: day, openingKobo, lines: [] }
}

test('an item that is written long after its time is missing at the bank', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement({ ...emptyDay('2026-11-09', 0), lines: [line(1, '2026-11-09')] })
  for (const day of ['2026-11-10', '2026-11-11', '2026-11-12']) {
    await bench.importStatement(emptyDay(day, 100_000))
  }
  await bench.writeBooks({ credits: [credit(1, '2026-11-09T10:00')] })
  await bench.match('2026-11-13T08:00')
  await assertIdentity(bench, '2026-11-13T08:00')

  await bench.writeBooks({ credits: [credit(2, '2026-11-10T10:00')] })
  await bench.match('2026-11-13T09:00')
  assert.deepEqual(
    (await readDifferences(bench)).map(({ kind, about }) => [kind, about]),
    [['missing_at_bank', 'credit 2']],
  )
  await assertIdentity(bench, '2026-11-13T09:00')
  await assertSettled(bench, '2026-11-13T10:00')
})

test('an item from before the first statement is part of its opening balance', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [credit(1, '2026-11-08T10:00')] })
  await bench.importStatement(emptyDay('2026-11-10', 100_000))
  await bench.match('2026-11-11T08:00')
  assert.deepEqual(await readDifferences(bench), [])

  await bench.writeBooks({ credits: [credit(2, '2026-11-07T10:00')] })
  await bench.importStatement(emptyDay('2026-11-11', 100_000))
  await bench.match('2026-11-12T08:00')
  assert.deepEqual(
    (await readDifferences(bench)).map(({ kind, amount }) => [kind, amount]),
    [['balance_gap', -100_000n]],
  )
  await assertIdentity(bench, '2026-11-12T08:00')
})

test('an item whose line waits for it is matched, however late it is posted', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement({ ...emptyDay('2026-11-10', 0), lines: [line(1, '2026-11-10')] })
  await bench.match('2026-11-11T08:00')
  await bench.writeBooks({
    credits: [credit(1, '2026-11-10T10:00'), credit(2, '2026-11-10T10:01')],
  })
  await bench.importStatement({
    ...emptyDay('2026-11-11', 100_000),
    lines: [line(2, '2026-11-11')],
  })
  await bench.match('2026-11-12T08:00')
  assert.deepEqual(await readMatches(bench), [
    'L1 session_id credit 1 100000',
    'L2 session_id credit 2 100000',
  ])
  assert.deepEqual(await readDifferences(bench), [])
  await assertIdentity(bench, '2026-11-12T08:00')
})

// Equal statement lines without a reference: each credit is matched with one of them, and a line that is left
// over is a duplicate, which cannot be booked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDifferences, readMatches, setUpMatching } from './books.ts'
import { assertIdentity, assertSettled } from './identity.ts'
import { credit, DAY, NEXT_MORNING, reconcile } from './matched-day.ts'

const NUMBER = '0123456789'
const to = (id: number, more: object = {}) => ({ ...credit(id), accountNumber: NUMBER, ...more })
const line = (narration: string, more: object = {}) => {
  return { day: DAY, amountKobo: 100_000, accountNumber: NUMBER, narration, ...more }
}

test('one of two equal lines for one credit is matched and the other is a duplicate', async () => {
  const { matches, differences } = await reconcile({ credits: [to(1)] }, [
    line('A'),
    { amountKobo: 100_000, narration: `B TRF TO ${NUMBER}` },
  ])

  assert.deepEqual(matches, ['A account_and_amount credit 1 100000'])
  assert.deepEqual(differences, [`B TRF TO ${NUMBER} duplicate_at_bank 100000`])
})

test('one of two equal net lines is matched, too, and the other is a duplicate', async () => {
  const net = { amountKobo: 99_000 }
  const { matches, differences } = await reconcile({ credits: [to(1, { feeKobo: 1_000 })] }, [
    line('A', net),
    line('B', net),
  ])

  assert.deepEqual(matches, [
    'A account_and_amount charges 1 -1000',
    'A account_and_amount credit 1 100000',
  ])
  assert.deepEqual(differences, ['B duplicate_at_bank 99000'])
})

test('an equal line of a later file is a duplicate, until the bank reports its own credit', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [to(1)] })
  const days = { fromDay: DAY, toDay: DAY }
  await bench.importStatement({ ...days, openingKobo: 0, lines: [line('A')] })
  await bench.match(NEXT_MORNING)
  await bench.importStatement({ ...days, openingKobo: 100_000, lines: [line('B')] })
  await bench.match(NEXT_MORNING)

  const kinds = async () => (await readDifferences(bench)).map(({ kind, about }) => [about, kind])
  assert.deepEqual(await kinds(), [['B', 'duplicate_at_bank']])
  await assertSettled(bench, NEXT_MORNING)

  await bench.writeBooks({ credits: [to(2)] })
  await bench.match('2026-11-11T09:00')
  assert.deepEqual(await kinds(), [])
})

test('the second of two lines before their one credit becomes a duplicate', async () => {
  await using bench = await setUpMatching()
  const days = { fromDay: DAY, toDay: DAY }
  await bench.importStatement({ ...days, openingKobo: 0, lines: [line('A'), line('B')] })
  await bench.match(NEXT_MORNING)
  const kinds = async () => (await readDifferences(bench)).map(({ kind, about }) => [about, kind])
  assert.deepEqual(await kinds(), [
    ['A', 'missing_in_books'],
    ['B', 'missing_in_books'],
  ])
  await bench.writeBooks({ credits: [to(1)] })
  await bench.match('2026-11-11T09:00')

  assert.deepEqual(await kinds(), [['B', 'duplicate_at_bank']])
  assert.deepEqual(await readMatches(bench), ['A account_and_amount credit 1 100000'])
})

test('the credit with the line’s name gets the line, of two equal credits', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [to(1, { name: 'Ada Obi' }), to(2, { name: 'John Eze' })] })
  const lines = [line('A', { name: 'JOHN EZE' })]
  await bench.importStatement({ fromDay: DAY, toDay: DAY, openingKobo: 0, lines })
  await bench.match(NEXT_MORNING)

  assert.deepEqual(await readMatches(bench), ['A account_and_amount credit 2 100000'])
  const found = await readDifferences(bench)
  assert.deepEqual(
    found.map(({ kind, about }) => [about, kind]),
    [['credit 1', 'missing_at_bank']],
  )
  await assertIdentity(bench, '2026-11-20T08:00')
})

test('equal lines with session ids of their own are different transfers, and no duplicates', async () => {
  const other = { identifiedBy: 'settlement_id' as const }
  const { matches, differences } = await reconcile({ credits: [to(1, other)] }, [
    line('A', { sessionId: 'X1' }),
    line('B', { sessionId: 'X2' }),
  ])

  assert.deepEqual(matches, [])
  assert.deepEqual(differences, [
    'A missing_in_books 100000',
    'B missing_in_books 100000',
    'credit 1 missing_at_bank -100000',
  ])
})

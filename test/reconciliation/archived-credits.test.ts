// A statement that comes after its credits were archived still matches them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Books, type Line, readDifferences, readMatches, setUpMatching } from './books.ts'
import { credit, DAY, NEXT_MORNING, payout, reconcile } from './matched-day.ts'

const OURS = '0100000001'
const OTHER = '0100000002'

type Case = { books: Books; lines: Omit<Line, 'day'>[]; matches: string[]; differences?: string[] }

const CASES: Record<string, Case> = {
  'by session id': {
    books: { credits: [credit(1), credit(2, 200_000)] },
    lines: [
      { amountKobo: 200_000, sessionId: 'S2', narration: 'B' },
      { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
    ],
    matches: ['B session_id credit 2 200000', 'A session_id credit 1 100000'],
  },
  'net of what was withheld': {
    books: { credits: [{ ...credit(1), feeKobo: 4_000, vatKobo: 500 }] },
    lines: [{ amountKobo: 95_500, sessionId: 'S1', narration: 'A' }],
    matches: ['A session_id charges 1 -4500', 'A session_id credit 1 100000'],
  },
  'with lines of charges': {
    books: { credits: [{ ...credit(1), feeKobo: 4_000, dutyKobo: 5_000 }] },
    lines: [
      { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
      { amountKobo: -5_000, sessionId: 'S1', kind: 'stamp_duty', narration: 'D' },
      { amountKobo: -4_000, sessionId: 'S1', kind: 'fee', narration: 'F' },
    ],
    matches: [
      'A session_id credit 1 100000',
      'D charge charges 1 -5000',
      'F charge charges 1 -4000',
    ],
  },
  'by another identifier': {
    books: { credits: [{ ...credit(1), otherIds: ['FT1'] }], payouts: [payout(1)] },
    lines: [
      { amountKobo: 100_000, bankReference: 'FT1', narration: 'A' },
      { amountKobo: -50_000, bankReference: 'B1', narration: 'P' },
    ],
    matches: ['A bank_reference credit 1 100000', 'P bank_reference payout 1 -50000'],
  },
  'by account and amount': {
    books: { credits: [credit(1)], numbers: [OURS] },
    lines: [{ amountKobo: 100_000, accountNumber: OURS, narration: 'A' }],
    matches: ['A account_and_amount credit 1 100000'],
  },
  'and for another number': {
    books: { credits: [credit(1)], numbers: [OURS, OTHER] },
    lines: [{ amountKobo: 100_000, sessionId: 'S1', accountNumber: OTHER, narration: 'A' }],
    matches: [],
    differences: ['A wrong_account 100000', 'credit 1 missing_at_bank -100000'],
  },
  'and taken back, by words of charges': {
    books: { credits: [{ ...credit(1), feeKobo: 4_000 }] },
    lines: [
      { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
      { amountKobo: -100_000, sessionId: 'S1', kind: 'fee', narration: 'school fees' },
    ],
    matches: ['A session_id credit 1 100000'],
    differences: ['school fees reversed_at_bank -100000', 'charges 1 missing_at_bank 4000'],
  },
  'and left over': {
    books: { credits: [credit(1), credit(2)] },
    lines: [{ amountKobo: 100_000, sessionId: 'S1', narration: 'A' }],
    matches: ['A session_id credit 1 100000'],
    differences: ['credit 2 missing_at_bank -100000'],
  },
}

for (const [name, { books, lines, matches, differences = [] }] of Object.entries(CASES)) {
  test(`archived credits are matched as others are: ${name}`, async () => {
    const expected = await reconcile(books, lines)
    const archived = await reconcile(books, lines, { isArchived: true })

    assert.deepEqual(expected, { matches, differences })
    assert.deepEqual(archived, expected)
  })
}

test('credits that are archived after they were matched are neither missed nor matched again', async () => {
  await using bench = await setUpMatching()
  const line = (narration: string) => {
    return { day: DAY, amountKobo: 100_000, sessionId: 'S1', narration }
  }
  const days = { fromDay: DAY, toDay: DAY }
  await bench.writeBooks({ credits: [credit(1)] })
  await bench.importStatement({ ...days, openingKobo: 0, lines: [line('A')] })
  await bench.match(NEXT_MORNING)

  await bench.archiveCredits()
  await bench.importStatement({ ...days, openingKobo: 100_000, lines: [line('B')] })
  await bench.match('2027-06-11T09:00')

  assert.deepEqual(await readMatches(bench), ['A session_id credit 1 100000'])
  const found = await readDifferences(bench)
  assert.deepEqual(
    found.map(({ kind, about }) => `${about} ${kind}`),
    ['B duplicate_at_bank'],
  )
})

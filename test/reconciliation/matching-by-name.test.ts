// Matching lines that name an item (a session id or reference), whatever other words the line has and however
// many equal lines there are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDifferences, readMatches, setUpMatching } from './books.ts'
import { AT, credit, DAY, NEXT_MORNING, payout, reconcile } from './matched-day.ts'

test('a payer’s words make no fee of what a line names with its exact amount', async () => {
  const books = {
    credits: [{ ...credit(1), feeKobo: 1_000 }, credit(2), credit(3)],
    reversals: [{ id: 4, sessionId: 'R4', creditId: 1, amountKobo: 100_000, at: AT }],
    payouts: [
      { ...payout(5), costKobo: 2_500 },
      { ...payout(6, 2_500), costKobo: 2_500 },
    ],
  }
  const at = (id: number) => payout(id).reference
  const { matches, differences } = await reconcile(books, [
    { amountKobo: 99_000, sessionId: 'S1', narration: 'A' },
    { amountKobo: 100_000, sessionId: 'S2', kind: 'fee', isReversal: true, narration: 'B fees' },
    { amountKobo: 100_000, sessionId: 'S3', narration: 'C' },
    { amountKobo: -100_000, sessionId: 'S1', kind: 'fee', narration: 'D school fees' },
    { amountKobo: -50_000, endToEndId: at(5), kind: 'fee', narration: 'E commission' },
    { amountKobo: -2_500, endToEndId: at(5), kind: 'fee', narration: 'F' },
    { amountKobo: -2_500, endToEndId: at(6), kind: 'fee', narration: 'G' },
    { amountKobo: -2_500, endToEndId: at(6), kind: 'payout', narration: 'H' },
    { amountKobo: -100_000, sessionId: 'S3', kind: 'vat', narration: 'I vat' },
    { amountKobo: -10, sessionId: 'S3', kind: 'vat', narration: 'J' },
  ])

  assert.deepEqual(matches, [
    'A session_id charges 1 -1000',
    'A session_id credit 1 100000',
    'B fees session_id credit 2 100000',
    'C session_id credit 3 100000',
    'D school fees session_id reversal 4 -100000',
    'E commission our_reference payout 5 -50000',
    'F charge payout_cost 5 -2500',
    'G charge payout_cost 6 -2500',
    'H our_reference payout 6 -2500',
  ])
  assert.deepEqual(differences, ['I vat reversed_at_bank -100000', 'J fee_differs -10'])
})

test('equal lines are matched with one item each, and matching again changes nothing', async () => {
  await using bench = await setUpMatching()
  const reversal = (id: number) => {
    return { id, sessionId: `R${id}`, creditId: 1, amountKobo: 20_000, at: AT }
  }
  const shared = (id: number) => ({ ...payout(id), bankReference: 'BATCH' })
  await bench.writeBooks({
    credits: [credit(1)],
    reversals: [1, 2, 3].map(reversal),
    payouts: [shared(4), shared(5), shared(6)],
  })
  const debitLine = { amountKobo: -20_000, sessionId: 'S1' }
  const paid = { amountKobo: -50_000, bankReference: 'BATCH' }
  const lines = [
    { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
    ...['B', 'C', 'D', 'E'].map((narration) => ({ ...debitLine, narration })),
    ...[6, 4, 5].map((id) => ({ ...paid, endToEndId: payout(id).reference, narration: `F${id}` })),
  ]
  const dated = lines.map((line) => ({ day: DAY, ...line }))
  await bench.importStatement({ fromDay: DAY, toDay: DAY, openingKobo: 0, lines: dated })
  await bench.match(NEXT_MORNING)

  const matches = await readMatches(bench)
  const differences = await readDifferences(bench)
  assert.deepEqual(matches, [
    'A session_id credit 1 100000',
    'B session_id reversal 1 -20000',
    'C session_id reversal 2 -20000',
    'D session_id reversal 3 -20000',
    'F6 bank_reference payout 6 -50000',
    'F4 bank_reference payout 4 -50000',
    'F5 bank_reference payout 5 -50000',
  ])
  assert.deepEqual(
    differences.map(({ about, kind }) => `${about} ${kind}`),
    ['E duplicate_at_bank'],
  )
  await bench.match('2026-11-11T09:00')
  assert.deepEqual([await readMatches(bench), await readDifferences(bench)], [matches, differences])
})

test('a payout that is debited twice is no fee, whatever its words', async () => {
  const costly = { ...payout(6), costKobo: 2_500 }
  const named = (id: number) => ({ endToEndId: payout(id).reference, kind: 'fee' })
  const { matches, differences } = await reconcile(
    { credits: [credit(1)], payouts: [payout(5), costly] },
    [
      { ...named(5), amountKobo: -50_000, narration: 'A school fees' },
      { ...named(5), amountKobo: -50_000, narration: 'B school fees' },
      { ...named(6), amountKobo: -50_000, narration: 'C school fees' },
      { ...named(6), amountKobo: -50_000, narration: 'D school fees' },
      { sessionId: 'S1', kind: 'fee', amountKobo: 100_000, narration: 'E school fees' },
      { sessionId: 'S1', kind: 'fee', amountKobo: 100_000, narration: 'F school fees' },
    ],
  )

  assert.deepEqual(matches, [
    'A school fees our_reference payout 5 -50000',
    'C school fees our_reference payout 6 -50000',
    'E school fees session_id credit 1 100000',
  ])
  assert.deepEqual(differences, [
    'B school fees duplicate_at_bank -50000',
    'D school fees duplicate_at_bank -50000',
    'F school fees duplicate_at_bank 100000',
    'payout_cost 6 missing_at_bank 2500',
  ])
})

test('a charge is a duplicate of the charge for what it names, not for another of that number', async () => {
  const books = {
    credits: [credit(1)],
    reversals: [{ id: 5, sessionId: 'R5', creditId: 1, amountKobo: 100_000, at: AT }],
    payouts: [{ ...payout(5), costKobo: 2_500 }],
  }
  const { differences } = await reconcile(books, [
    { sessionId: 'S1', amountKobo: 100_000, narration: 'A' },
    { sessionId: 'R5', amountKobo: -100_000, narration: 'B' },
    { endToEndId: payout(5).reference, amountKobo: -50_000, narration: 'C' },
    { endToEndId: payout(5).reference, kind: 'fee', amountKobo: -2_500, narration: 'D' },
    { endToEndId: payout(5).reference, kind: 'fee', amountKobo: -2_500, narration: 'E' },
    { sessionId: 'R5', kind: 'fee', amountKobo: -2_500, narration: 'F' },
  ])

  assert.deepEqual(differences, ['E duplicate_at_bank -2500', 'F fee_differs -2500'])
})

test('a credit taken back whole is no fee while its charges are open', async () => {
  const books = {
    credits: [3, 4, 5].map((id) => ({ ...credit(id), feeKobo: 1_000 })),
    payouts: [{ ...payout(6, 2_650), costKobo: 2_500, costVatKobo: 150 }],
  }
  const { matches, differences } = await reconcile(books, [
    { sessionId: 'S3', amountKobo: 100_000, narration: 'A' },
    { sessionId: 'S3', kind: 'fee', amountKobo: -100_000, narration: 'B school fees' },
    { bankReference: 'S4', amountKobo: 100_000, narration: 'C' },
    { bankReference: 'S4', kind: 'fee', amountKobo: -99_000, narration: 'D school fees' },
    { sessionId: 'S5', amountKobo: 100_000, narration: 'E' },
    { sessionId: 'S5', kind: 'fee', amountKobo: -1_300, narration: 'F' },
    { endToEndId: payout(6).reference, kind: 'payout', amountKobo: -2_650, narration: 'G' },
    { endToEndId: payout(6).reference, kind: 'fee', amountKobo: -2_650, narration: 'H' },
  ])

  assert.deepEqual(matches, [
    'A session_id credit 3 100000',
    'C bank_reference credit 4 100000',
    'E session_id credit 5 100000',
    'F charge charges 5 -1000',
    'G our_reference payout 6 -2650',
    'H charge payout_cost 6 -2650',
  ])
  assert.deepEqual(differences, [
    'B school fees reversed_at_bank -100000',
    'D school fees reversed_at_bank -99000',
    'F fee_differs -300',
    'charges 3 missing_at_bank 1000',
    'charges 4 missing_at_bank 1000',
  ])
})

test('words make no fee of a line for an item together with its charges', async () => {
  const books = {
    credits: [{ ...credit(1), feeKobo: 1_000 }],
    payouts: [{ ...payout(5), costKobo: 2_500 }],
  }
  const { matches, differences } = await reconcile(books, [
    { sessionId: 'S1', kind: 'fee', amountKobo: 99_000, narration: 'A school fees' },
    { endToEndId: payout(5).reference, kind: 'fee', amountKobo: -52_500, narration: 'B fees' },
    { endToEndId: payout(5).reference, kind: 'fee', amountKobo: -52_500, narration: 'C fees' },
  ])

  assert.deepEqual(matches, [
    'A school fees session_id charges 1 -1000',
    'A school fees session_id credit 1 100000',
    'B fees our_reference payout 5 -50000',
    'B fees our_reference payout_cost 5 -2500',
  ])
  assert.deepEqual(differences, ['C fees duplicate_at_bank -52500'])
})

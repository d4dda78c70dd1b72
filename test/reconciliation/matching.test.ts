// The rules by which statement lines are matched with items, each with the smallest books that show it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDifferences, readMatches, setUpMatching } from './books.ts'
import { AT, credit, DAY, NEXT_MORNING, payout, reconcile } from './matched-day.ts'

test('a line is matched to the credit with its session id', async () => {
  const { matches, differences } = await reconcile({ credits: [credit(1)] }, [
    { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
  ])

  assert.deepEqual(matches, ['A session_id credit 1 100000'])
  assert.deepEqual(differences, [])
})

// The credit is booked after its line was imported. The statements also have a copy of the line, and a line
// with the same session id and another amount.
test('the first of several lines with one session id and the right amount gets the credit', async () => {
  await using bench = await setUpMatching()
  const line = (narration: string, amountKobo = 100_000) => {
    return { day: DAY, amountKobo, sessionId: 'S1', narration }
  }
  const days = { fromDay: DAY, toDay: DAY }
  await bench.importStatement({ ...days, openingKobo: 0, lines: [line('off', 90_000), line('A')] })
  await bench.match(NEXT_MORNING)
  await bench.writeBooks({ credits: [credit(1)] })
  await bench.importStatement({ ...days, openingKobo: 190_000, lines: [line('B'), line('C')] })
  await bench.match('2026-11-11T09:00')

  assert.deepEqual(await readMatches(bench), ['A session_id credit 1 100000'])
  assert.deepEqual(
    (await readDifferences(bench)).map(({ kind, about }) => `${about} ${kind}`),
    ['off missing_in_books', 'B duplicate_at_bank', 'C duplicate_at_bank'],
  )
})

test('a net line is matched to the credit and what the bank withheld', async () => {
  const { matches, differences } = await reconcile(
    { credits: [{ ...credit(1), feeKobo: 4_000, vatKobo: 500 }] },
    [{ amountKobo: 95_500, sessionId: 'S1', narration: 'A' }],
  )

  assert.deepEqual(matches, ['A session_id charges 1 -4500', 'A session_id credit 1 100000'])
  assert.deepEqual(differences, [])
})

test('a gross line and lines of its charges are matched by session id, part by part', async () => {
  const { matches, differences } = await reconcile(
    { credits: [{ ...credit(1), feeKobo: 4_000, vatKobo: 300, dutyKobo: 5_000 }] },
    [
      { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
      { amountKobo: -5_000, sessionId: 'S1', kind: 'stamp_duty', narration: 'D' },
      { amountKobo: -4_300, sessionId: 'S1', kind: 'fee', narration: 'F' },
    ],
  )

  assert.deepEqual(matches, [
    'A session_id credit 1 100000',
    'D charge charges 1 -5000',
    'F charge charges 1 -4300',
  ])
  assert.deepEqual(differences, [])
})

test('charges that come apart on a later day clear what was missing', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [{ ...credit(1), feeKobo: 4_000, vatKobo: 300 }] })
  await bench.importStatement({
    fromDay: DAY,
    toDay: DAY,
    openingKobo: 0,
    lines: [
      { amountKobo: 100_000, day: DAY, sessionId: 'S1', narration: 'A' },
      { amountKobo: -4_000, day: DAY, sessionId: 'S1', kind: 'fee', narration: 'F' },
    ],
  })
  await bench.match(NEXT_MORNING)
  const [waiting, ...others] = await readDifferences(bench)
  assert.deepEqual(
    [waiting?.kind, waiting?.about, waiting?.amount, others],
    ['missing_at_bank', 'charges 1', 300n, []],
  )

  await bench.importStatement({
    fromDay: '2026-11-11',
    toDay: '2026-11-11',
    openingKobo: 96_000,
    lines: [{ amountKobo: -300, day: '2026-11-11', sessionId: 'S1', kind: 'vat', narration: 'V' }],
  })
  await bench.match('2026-11-12T08:00')

  assert.deepEqual(await readDifferences(bench), [])
  assert.deepEqual((await readMatches(bench)).at(-1), 'V charge charges 1 -300')
})

test('a credit is found by any identifier that the bank ever gave it', async () => {
  const { matches } = await reconcile(
    {
      credits: [
        { ...credit(1), otherIds: ['REF-1'] },
        { ...credit(2), otherIds: ['REF-2'] },
      ],
    },
    [
      { amountKobo: 100_000, bankReference: 'REF-1', narration: 'A' },
      { amountKobo: 100_000, endToEndId: 'S2', narration: 'B' },
    ],
  )

  assert.deepEqual(matches, [
    'A bank_reference credit 1 100000',
    'B bank_reference credit 2 100000',
  ])
})

test('payouts, returns and reversals are matched by the bank’s references', async () => {
  const { matches, differences } = await reconcile(
    {
      credits: [credit(1), credit(2)],
      payouts: [payout(5)],
      returns: [
        {
          id: 7,
          reference: 'RTN000000000000007',
          bankReference: 'R7',
          creditId: 2,
          amountKobo: 100_000,
          at: AT,
        },
      ],
      reversals: [{ id: 9, sessionId: 'V9', creditId: 1, amountKobo: 40_000, at: AT }],
    },
    [
      { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
      { amountKobo: 100_000, sessionId: 'S2', narration: 'B' },
      { amountKobo: -50_000, sessionId: 'B5', narration: 'C' },
      { amountKobo: -100_000, bankReference: 'R7', narration: 'D' },
      { amountKobo: -40_000, sessionId: 'S1', isReversal: true, narration: 'E' },
    ],
  )

  assert.deepEqual(matches, [
    'A session_id credit 1 100000',
    'B session_id credit 2 100000',
    'C session_id payout 5 -50000',
    'D bank_reference return 7 -100000',
    'E session_id reversal 9 -40000',
  ])
  assert.deepEqual(differences, [])
})

test('our own reference is found in the narration, with what the payout cost', async () => {
  const { matches, differences } = await reconcile(
    { payouts: [{ ...payout(5), costKobo: 1_000, costVatKobo: 75 }, payout(6)] },
    [
      { amountKobo: -51_075, narration: 'NIP/PYT000000000000005/ADA' },
      { amountKobo: -50_000, endToEndId: 'PYT000000000000006', narration: 'B' },
    ],
  )

  assert.deepEqual(matches, [
    'NIP/PYT000000000000005/ADA our_reference payout 5 -50000',
    'NIP/PYT000000000000005/ADA our_reference payout_cost 5 -1075',
    'B our_reference payout 6 -50000',
  ])
  assert.deepEqual(differences, [])
})

test('account number, amount and day match in order', async () => {
  const to = (id: number, accountNumber: string) => ({ ...credit(id), accountNumber })
  const { matches, differences } = await reconcile(
    {
      credits: [
        to(1, '0123456789'),
        to(2, '0123456789'),
        { ...to(3, '0123456780'), feeKobo: 1_000 },
        to(4, '0123456781'),
        to(5, '0123456781'),
      ],
    },
    [
      { amountKobo: 100_000, accountNumber: '0123456789', narration: 'A' },
      { amountKobo: 100_000, narration: 'TRF TO 0123456789 B' },
      { amountKobo: 99_000, narration: 'NET 0123456780/X' },
      { amountKobo: 100_000, narration: 'ONE OF TWO 0123456781' },
    ],
  )

  assert.deepEqual(matches, [
    'A account_and_amount credit 1 100000',
    'TRF TO 0123456789 B account_and_amount credit 2 100000',
    'NET 0123456780/X account_and_amount charges 3 -1000',
    'NET 0123456780/X account_and_amount credit 3 100000',
    'ONE OF TWO 0123456781 account_and_amount credit 4 100000',
  ])
  assert.deepEqual(differences, ['credit 5 missing_at_bank -100000'])
})

test('a line with another session id is another transfer, however similar it is', async () => {
  const { matches, differences } = await reconcile(
    { credits: [{ ...credit(1), accountNumber: '0123456789' }] },
    [{ amountKobo: 100_000, accountNumber: '0123456789', sessionId: 'OTHER', narration: 'A' }],
  )

  assert.deepEqual(matches, [])
  assert.deepEqual(differences, ['A missing_in_books 100000', 'credit 1 missing_at_bank -100000'])
})

test('a sweep is the sum of what no line explains since the last one', async () => {
  await using bench = await setUpMatching()
  const on = (id: number, day: string) => ({ ...credit(id, id * 1_000), at: `${day}T10:00` })
  await bench.writeBooks({
    credits: [on(1, '2026-11-10'), on(2, '2026-11-10'), on(3, '2026-11-11'), on(4, '2026-11-12')],
  })
  await bench.importStatement({
    fromDay: '2026-11-10',
    toDay: '2026-11-12',
    openingKobo: 0,
    lines: [
      { amountKobo: 1_000, day: '2026-11-10', sessionId: 'S1', narration: 'A' },
      { amountKobo: 2_000, day: '2026-11-10', kind: 'sweep', narration: 'B' },
      { amountKobo: 7_000, day: '2026-11-12', kind: 'sweep', narration: 'C' },
    ],
  })

  await bench.match('2026-11-13T08:00')

  assert.deepEqual(await readMatches(bench), [
    'A session_id credit 1 1000',
    'B sweep credit 2 2000',
    'C sweep credit 3 3000',
    'C sweep credit 4 4000',
  ])
  assert.deepEqual(await readDifferences(bench), [])
})

test('a day’s total of fees, VAT and duty is what the books have for the day', async () => {
  const charged = (id: number) => ({ ...credit(id), feeKobo: 1_000 * id, vatKobo: 75 * id })
  const { matches, differences } = await reconcile(
    {
      credits: [charged(1), charged(2)],
      payouts: [{ ...payout(5), costKobo: 500, costVatKobo: 38 }],
    },
    [
      { amountKobo: 100_000, sessionId: 'S1', narration: 'A' },
      { amountKobo: 100_000, sessionId: 'S2', narration: 'B' },
      { amountKobo: -50_000, sessionId: 'B5', narration: 'C' },
      { amountKobo: -2_000, kind: 'fee', narration: 'F1' },
      { amountKobo: -1_500, kind: 'fee', narration: 'F2' },
      { amountKobo: -225, kind: 'vat', narration: 'V1' },
      { amountKobo: -38, kind: 'vat', narration: 'V2' },
    ],
  )

  assert.deepEqual(matches.slice(3), [
    'F1 charge charges 1 -1000',
    'F1 charge charges 2 -1000',
    'F2 charge charges 2 -1000',
    'F2 charge payout_cost 5 -500',
    'V1 charge charges 1 -75',
    'V1 charge charges 2 -150',
    'V2 charge payout_cost 5 -38',
  ])
  assert.deepEqual(differences, [])
})

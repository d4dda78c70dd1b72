// A payout that has another amount on the statement than in the books, and its bank charges.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { payout, reconcile } from './matched-day.ts'

// A payout of 9,999.99 that cost 25.00 and VAT of 1.88, on the statement as 10,000.99.
const PAID = { ...payout(5, 999_999), costKobo: 2_500, costVatKobo: 188 }
const LINES_OF_PAID = [
  { amountKobo: -1_000_099, kind: 'payout', narration: 'P' },
  { amountKobo: -2_500, kind: 'fee', narration: 'F' },
  { amountKobo: -188, kind: 'vat', narration: 'V' },
]

for (const [how, name] of Object.entries({
  'our reference': { endToEndId: PAID.reference },
  'the bank’s reference': { bankReference: PAID.bankReference },
  'its session id': { sessionId: PAID.bankReference },
})) {
  test(`a payout of another amount differs by it alone, its charges named by ${how}`, async () => {
    const lines = LINES_OF_PAID.map((line) => ({ ...line, ...name }))
    const { matches, differences } = await reconcile({ payouts: [PAID] }, lines)
    assert.deepEqual(differences, ['P amount_differs -100'])
    assert.deepEqual(
      matches.map((match) => match.replace(/ (?:our|bank|session)_[a-z]+ /, ' ')),
      ['P payout 5 -999999', 'F charge payout_cost 5 -2500', 'V charge payout_cost 5 -188'],
    )
  })
}

test('a payout of another amount differs by it alone, whatever the order of its lines', async () => {
  const named = LINES_OF_PAID.map((line) => ({ ...line, endToEndId: PAID.reference }))
  // Closer to payout, cost and VAT together than to the payout alone.
  const off = { ...named[0], amountKobo: -1_002_500 } as (typeof named)[number]
  const { differences } = await reconcile({ payouts: [PAID] }, [named[2], named[1], off] as never)
  assert.deepEqual(differences, ['P amount_differs -2501'])
})

test('a payout of another amount leaves its charges to lines that name nothing', async () => {
  const [paid, ...charges] = LINES_OF_PAID as [(typeof LINES_OF_PAID)[number]]
  const lines = [{ ...paid, endToEndId: PAID.reference }, ...charges]
  const { differences } = await reconcile({ payouts: [PAID] }, lines)
  assert.deepEqual(differences, ['P amount_differs -100'])
})

test('a payout that was debited with its charges differs by a charge', async () => {
  const { matches, differences } = await reconcile({ payouts: [PAID] }, [
    { amountKobo: -1_002_700, endToEndId: PAID.reference, narration: 'P' },
  ])
  assert.deepEqual(matches, [
    'P our_reference payout 5 -999999',
    'P our_reference payout_cost 5 -2688',
  ])
  assert.deepEqual(differences, ['P fee_differs -13'])
})

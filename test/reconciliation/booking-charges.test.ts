// Booking lines of a statement: charges, charges that the bank gave back, and reversals, each with exactly
// its ledger transfers. Also confirming suggested matches.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import {
  addDifference,
  addLine,
  addLineDifference,
  assertLinesExplained,
  changesOf,
  outcomeOf,
  pairsOf,
  resolve,
} from '../support/differences.ts'
import { createAccount, databaseText } from '../support/fixtures.ts'
import { chargesOf, takeIncoming } from '../support/incoming-credits.ts'
import { credit, recordMovements, reverse } from '../support/movements.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const DAY_MS = 86_400_000

async function creditId({ db }: Bench, sessionId: string): Promise<bigint> {
  const { rows } = await db.query('select id from credits where session_id = $1', [sessionId])
  return rows[0].id
}

test('fees, duty and VAT are costs, each on its account', async () => {
  await using bench = await startTestService()
  const { moves } = await recordMovements(bench)
  const charges = [
    ['fee_differs', 'fee', -50],
    ['fee_differs', 'vat', -3.75],
    ['unexplained_debit', 'stamp_duty', -60],
    ['missing_in_books', 'fee', -1],
    ['fee_differs', 'credit', -5],
  ] as const
  for (const [kind, lineKind, amount] of charges) {
    const line = { amount, kind: lineKind }
    const { id, lineId } = await addLineDifference(bench, { kind, line })
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
    assert.deepEqual(await pairsOf(bench, lineId), [`booked ${amount.toFixed(2)} booked`])
    assert.deepEqual((await changesOf(bench, id)).slice(1), [
      'resolved by client:MAN0000001',
      'cleared',
    ])
  }
  assert.deepEqual(await moves(), [
    'bank_charge: bank_cost 035 → bank 035 50.00',
    'bank_charge: input_vat 035 → bank 035 3.75',
    'bank_charge: stamp_duty 035 → bank 035 60.00',
    'bank_charge: bank_cost 035 → bank 035 1.00',
    'bank_charge: bank_cost 035 → bank 035 5.00',
  ])
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('a give-back of costs is booked as far as such a cost exists; the rest stays a difference', async () => {
  await using bench = await startTestService()
  const fee = await addLineDifference(bench, {
    kind: 'fee_differs',
    line: { amount: -50, kind: 'fee' },
  })
  const input = { kind: 'fee_differs', line: { amount: 80, kind: 'fee' } } as const
  const early = await addLineDifference(bench, input)
  assert.equal(await outcomeOf(resolve(bench, early.id, 'book')), 'cost_not_booked')
  await resolve(bench, fee.id, 'book')
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, early.id, 'book')), 'cleared')

  assert.deepEqual(await moves(), ['bank_charge: bank 035 → bank_cost 035 50.00'])
  const { rows } = await bench.db.query(
    `select kind, amount_kobo::int as kobo, state from differences
      where line_id = $1 and state <> 'cleared'`,
    [early.lineId],
  )
  assert.deepEqual(rows, [{ kind: 'fee_differs', kobo: 3000, state: 'open' }])
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('only the part that pairs do not explain is booked', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const charges = chargesOf(45)
  const result = await takeIncoming(bench, { accountNumber, amount: 1000, charges })
  assert.equal(result.status, 'taken')
  const lineId = await addLine(bench, { amount: -50, kind: 'fee' })
  await bench.db.query(
    `insert into statement_matches (line_id, item_kind, item_id, amount_kobo, bank_code, currency,
                                    line_day, item_day, rule, matched_at)
     select $1, 'charges', id, -4500, '035', 'NGN', '2026-11-15', '2026-11-15', 'charge', now()
       from credits`,
    [lineId],
  )
  const id = await addDifference(bench, { kind: 'fee_differs', amount: -5, lineId })
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')

  assert.deepEqual(await moves(), ['bank_charge: bank_cost 035 → bank 035 5.00'])
  assert.deepEqual(await pairsOf(bench, lineId), ['booked -5.00 booked', 'charges -45.00 charge'])
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('a booking posts today, for a line of any day', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const old = { bookedOn: '2026-11-01' }
  const lines = [
    { kind: 'unexplained_debit', line: { amount: -50, kind: 'fee', ...old } },
    { kind: 'missing_in_books', line: { amount: 70, accountNumber, ...old } },
  ] as const
  bench.advance(DAY_MS)
  for (const input of lines) {
    const { id } = await addLineDifference(bench, input)
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
  }
  const { rows } = await bench.db.query(
    `select distinct t.posted_at, m.line_day::text, m.item_day::text
       from transfers t, statement_matches m`,
  )
  assert.deepEqual(rows, [
    { postedAt: bench.clock(), lineDay: '2026-11-01', itemDay: '2026-11-16' },
  ])
})

const PARTIAL = { reading: 'reversal' } as const

test('a credit that the bank took back is reversed like any other, and matched', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  const { id, lineId } = await addLineDifference(bench, {
    kind: 'reversed_at_bank',
    line: { amount: -40, kind: 'other', sessionId, bankReference: 'RV-1' },
  })
  const { moves, events } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, id, 'book', PARTIAL)), 'cleared')

  assert.deepEqual(await moves(), ['reversal: collection → bank 035 40.00'])
  assert.deepEqual(await events(), ['collection.reversed'])
  assert.deepEqual(await pairsOf(bench, lineId), ['reversal -40.00 booked'])
  const { rows } = await bench.db.query('select session_id from reversals')
  assert.deepEqual(rows, [{ sessionId: 'RV-1' }])
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('a reversal that the bank reported meanwhile is matched, and not taken again', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  const line = { amount: -40, kind: 'other', sessionId } as const
  const [one, other] = [
    await addLineDifference(bench, { kind: 'reversed_at_bank', line }),
    await addLineDifference(bench, { kind: 'reversed_at_bank', line: { ...line, amount: -61 } }),
  ]
  await reverse(bench, sessionId, '40')
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, one.id, 'book', PARTIAL)), 'cleared')
  const more = await outcomeOf(resolve(bench, other.id, 'book', PARTIAL))
  assert.equal(more, 'reversal_not_possible')

  assert.deepEqual(await moves(), [])
  assert.deepEqual(await pairsOf(bench, one.lineId), ['reversal -40.00 booked'])
  await assertLinesExplained(bench)
})

test('a reversal that the bank reports after it was booked is the same, once each', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  const line = { amount: -20, kind: 'other', sessionId } as const
  for (const bankReference of ['RV-1', null]) {
    const { id } = await addLineDifference(bench, {
      kind: 'reversed_at_bank',
      line: { ...line, bankReference },
    })
    assert.equal(await outcomeOf(resolve(bench, id, 'book', PARTIAL)), 'cleared')
  }
  const { moves } = await recordMovements(bench)

  const report = (name: string) =>
    postRail(bench, '035/reversals', {
      sessionId: name,
      originalSessionId: sessionId,
      amount: '20',
    })
  const [first, second, third] = [newSessionId(), newSessionId(), newSessionId()]
  for (const name of [first, first, second]) {
    assert.equal((await report(name)).json().responseCode, '01') // A duplicate.
  }
  assert.deepEqual(await moves(), [])
  assert.equal((await report(third)).json().responseCode, '00')
  assert.deepEqual(await moves(), ['reversal: collection → bank 035 20.00'])
  await assertCleanBooks(bench)
})

test('a debit that names no credit is reversed only as it is suggested', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  const line = { amount: -100, kind: 'other', bankReference: 'NEW' } as const
  const nobodys = await addLineDifference(bench, { kind: 'reversed_at_bank', line })
  assert.equal(await outcomeOf(resolve(bench, nobodys.id, 'book')), 'reversal_not_possible')

  const suggested = { kind: 'credit', id: await creditId(bench, sessionId) }
  const existing = await addLineDifference(bench, { kind: 'reversed_at_bank', line, suggested })
  assert.equal(await outcomeOf(resolve(bench, existing.id, 'book')), 'cleared')
  await assertCleanBooks(bench)
})

test('a suggestion that is confirmed is matched; what differs stays a difference', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  const suggested = { kind: 'credit', id: await creditId(bench, sessionId) }
  const missing = await addDifference(bench, {
    kind: 'missing_at_bank',
    amount: -100,
    item: suggested,
  })
  const line = { amount: 90, sessionId: newSessionId() }
  const { id, lineId } = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line,
    suggested,
  })
  const late = await addLineDifference(bench, { kind: 'missing_in_books', line, suggested })
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, id, 'match')), 'cleared')
  assert.equal(await outcomeOf(resolve(bench, late.id, 'match')), 'suggestion_gone')

  assert.deepEqual(await moves(), [])
  assert.deepEqual(await pairsOf(bench, lineId), ['credit 100.00 confirmed'])
  assert.deepEqual(await changesOf(bench, missing), ['opened', 'cleared'])
  const { rows } = await bench.db.query(
    `select kind, amount_kobo::int as kobo from differences
      where line_id = $1 and state = 'open'`,
    [lineId],
  )
  assert.deepEqual(rows, [{ kind: 'amount_differs', kobo: -1000 }])
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('a line net of charges is confirmed with them', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await takeIncoming(bench, { accountNumber, amount: 1000, charges: chargesOf(45) })
  const { rows } = await bench.db.query('select id from credits')
  const suggested = { kind: 'credit', id: rows[0].id }
  const line = { amount: 955 }
  const { id, lineId } = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line,
    suggested,
  })

  assert.equal(await outcomeOf(resolve(bench, id, 'match')), 'cleared')

  const pairs = ['charges -45.00 confirmed', 'credit 1000.00 confirmed']
  assert.deepEqual(await pairsOf(bench, lineId), pairs)
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('a suggestion of another bank or currency is not confirmed', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  const suggested = { kind: 'credit', id: await creditId(bench, sessionId) }
  const strangers = [
    { amount: 100, bankCode: '058' },
    { amount: 100, currency: 'USD' },
  ]
  for (const line of strangers) {
    const { id } = await addLineDifference(bench, { kind: 'missing_in_books', line, suggested })
    const before = await databaseText(bench)
    assert.equal(await outcomeOf(resolve(bench, id, 'match')), 'suggestion_gone')
    assert.equal(await databaseText(bench), before)
  }
})

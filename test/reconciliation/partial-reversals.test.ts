// A debit that names a credit but is smaller can be a bank charge or a partial reversal. Only a person can
// decide, so booking requires a `reading`. A charge that the books already have is never a reversal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import {
  addLineDifference,
  assertLinesExplained,
  outcomeOf,
  pairsOf,
  REASON,
  RECONCILIATION,
  resolve,
} from '../support/differences.ts'
import { assertRefused, createAccount, databaseText, dataOf } from '../support/fixtures.ts'
import { recordMovements } from '../support/movements.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { credit } from '../support/tracing.ts'
import { credit as matchedCredit, reconcile } from './matched-day.ts'

test('a levy with a credit’s session id is a charge that the books lack', async () => {
  const { differences } = await reconcile({ credits: [matchedCredit(1, 1_500_000)] }, [
    { amountKobo: 1_500_000, sessionId: 'S1', narration: 'A' },
    { amountKobo: -5_000, sessionId: 'S1', kind: 'stamp_duty', narration: 'FGN EMT LEVY' },
    { amountKobo: -5_000, sessionId: 'S1', kind: 'other', narration: 'DEBIT' },
  ])
  assert.deepEqual(differences, ['FGN EMT LEVY fee_differs -5000', 'DEBIT reversed_at_bank -5000'])
})

test('a debit of exactly what the books have as a charge is that charge, whatever its words', async () => {
  const charged = { ...matchedCredit(1, 1_500_000), dutyKobo: 5_000 }
  const { matches, differences } = await reconcile({ credits: [charged] }, [
    { amountKobo: 1_500_000, sessionId: 'S1', narration: 'A' },
    { amountKobo: -5_000, sessionId: 'S1', kind: 'other', narration: 'DEBIT' },
  ])
  assert.deepEqual(matches.at(-1), 'DEBIT charge charges 1 -5000')
  assert.deepEqual(differences, [])
})

// Adds a credit and a smaller debit line that names it. `book` books the line as a charge or as a reversal.
async function setUpPartial(bench: Bench, amount = -50) {
  const { accountNumber } = await createAccount(bench)
  const sessionId = await credit(bench, accountNumber, '15000.00')
  const line = { amount, kind: 'other' as const, sessionId, narration: 'DEBIT' }
  const added = await addLineDifference(bench, { kind: 'reversed_at_bank', line })
  const book = (reading?: string, more: object = {}) =>
    bench.call({
      url: `${RECONCILIATION}/${added.id}/resolve`,
      body: { action: 'book', reason: REASON, ...(reading ? { reading } : {}) },
      ...more,
    })
  return { ...added, sessionId, book }
}

test('a partial reversal is booked only with what it is read as, and both readings are named', async () => {
  await using bench = await startTestService()
  const { id, book } = await setUpPartial(bench)
  const view = dataOf(await bench.call({ url: `${RECONCILIATION}/${id}` }))
  assert.deepEqual(view.readings, ['charge', 'reversal'])
  assert.equal(view.credit.amount, 15_000)
  const before = await databaseText(bench)

  const refused = await book()
  assertRefused(refused, { status: 409, code: 'reading_needed' })
  assert.deepEqual(refused.json().errors, [
    {
      field: 'reading',
      message:
        'Must be charge (a charge of 50.00) or reversal (a partial reversal of 50.00 of the ' +
        'credit of 15000.00).',
    },
  ])
  assertRefused(await book('fee'), { status: 400, code: 'invalid_request' })
  const many = await bench.call({
    url: `${RECONCILIATION}/resolve`,
    body: { ids: [id], action: 'book', reason: REASON },
  })
  assert.deepEqual(
    many.json().data.map(({ ok, code }: { ok: boolean; code: string }) => [ok, code]),
    [[false, 'reading_needed']],
  )
  assert.equal(await databaseText(bench), before)
  assert.equal(await outcomeOf(resolve(bench, id, 'note')), 'resolved')
})

test('read as a charge it is a cost of the bank, and the customer’s payment stays', async () => {
  await using bench = await startTestService()
  const { id, lineId, book } = await setUpPartial(bench)
  const { moves, events } = await recordMovements(bench)

  const { data } = (await book('charge')).json()
  assert.deepEqual([data.state, data.kind, data.readings], ['cleared', 'fee_differs', []])
  assert.deepEqual(await moves(), ['bank_charge: bank_cost 035 → bank 035 50.00'])
  assert.deepEqual(await events(), [])
  assert.deepEqual(await pairsOf(bench, lineId), ['booked -50.00 booked'])
  assert.equal(data.history.at(-2).detail.reading, 'charge')
  assert.equal((await book('charge')).statusCode, 200, 'the same again')
  assertRefused(await book('reversal'), { status: 409, code: 'difference_resolved' })
  assert.equal((await moves()).length, 1)
  assert.ok(id)
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('read as a reversal it is taken back from the credit', async () => {
  await using bench = await startTestService()
  const { lineId, book } = await setUpPartial(bench)
  const { moves, events } = await recordMovements(bench)

  assert.equal((await book('reversal')).json().data.state, 'cleared')
  assert.deepEqual(await moves(), ['reversal: collection → bank 035 50.00'])
  assert.deepEqual(await events(), ['collection.reversed'])
  assert.deepEqual(await pairsOf(bench, lineId), ['reversal -50.00 booked'])
  assertRefused(await book('charge'), { status: 409, code: 'difference_resolved' })
  await assertCleanBooks(bench)
})

test('a whole reversal has one reading, and takes none', async () => {
  await using bench = await startTestService()
  const { id, book } = await setUpPartial(bench, -15_000)
  const view = dataOf(await bench.call({ url: `${RECONCILIATION}/${id}` }))
  assert.deepEqual([view.readings, view.actions], [[], ['book', 'note']])
  assertRefused(await book('charge'), { status: 400, code: 'invalid_request' })
  assert.equal((await book()).json().data.state, 'cleared')
})

test('a charge that was read so and not booked is read again by matching', async () => {
  await using bench = await startTestService()
  const { id } = await setUpPartial(bench)
  await bench.db.query(`update differences set kind = 'fee_differs' where id = $1`, [id])
  const account = { bankCode: '035', currency: 'NGN', now: bench.clock() }
  await withTransaction(bench.db, (tx) => matchStatements(tx, account))
  const view = dataOf(await bench.call({ url: `${RECONCILIATION}/${id}` }))
  assert.deepEqual([view.kind, view.readings], ['reversed_at_bank', ['charge', 'reversal']])
})

test('two equal lines for one credit: booking all differences makes no money', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5000.00')
  const line = { amount: 5_000, accountNumber }
  const one = await addLineDifference(bench, { kind: 'missing_in_books', line })
  const two = await addLineDifference(bench, { kind: 'missing_in_books', line })
  const account = { bankCode: '035', currency: 'NGN', now: bench.clock() }
  await withTransaction(bench.db, (tx) => matchStatements(tx, account))
  const { moves } = await recordMovements(bench)

  const many = await bench.call({
    url: `${RECONCILIATION}/resolve`,
    body: { ids: [one.id, two.id], action: 'book', reason: REASON },
  })
  assert.deepEqual(
    many.json().data.map(({ ok, code }: { ok: boolean; code: string }) => [ok, code]),
    [
      [false, 'difference_resolved'],
      [false, 'action_not_allowed'],
    ],
  )
  assert.deepEqual(await moves(), [])
  await assertCleanBooks(bench)
})

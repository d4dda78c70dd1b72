// A day from its statement to its proof: matching finds differences, operators resolve them one by one, and
// the proof adds up after each step.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { outcomeOf, RECONCILIATION, resolve } from '../support/differences.ts'
import { dataOf, startPayment } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { gtbankCsv, imported } from '../support/statement-files.ts'

const DAY = '2026-11-15'
const DAY_MS = 86_400_000

type Row = { id: number; kind: string; amount: number; actions: string[]; isTiming: boolean }

const match = ({ service, clock }: Bench) =>
  withTransaction(service.db, (tx) =>
    matchStatements(tx, { bankCode: '058', currency: 'NGN', now: clock() }),
  )

// Reads the day's proof, and asserts that the statement's balance is the sum of the other parts.
async function proofOf(bench: Bench) {
  const url = `${RECONCILIATION}?bankCode=058&day=${DAY}`
  const proof = dataOf(await bench.call({ url }))
  const { ledger, statement, timing, noted, difference } = proof
  const sum = [ledger, timing, noted, difference].reduce((total, part) => total + part * 100, 0)
  assert.equal(Math.round(sum), Math.round(statement * 100), JSON.stringify(proof))
  return { ...proof, parts: [statement, ledger, timing, noted, difference] }
}

// Imports a statement with a known credit, an unknown one, a fee, a reversal of the known credit, and an
// unexplained debit.
async function importDay(bench: Bench) {
  const { bankAccount: accountNumber } = await startPayment(bench, { amount: 60 }, '058')
  const [known, unreported] = [newSessionId(), newSessionId()]
  await postRail(bench, '058/credits', { sessionId: known, accountNumber, amount: '60' })
  const lines = [
    { kobo: 6_000n, reference: 'FT1', narration: `NIP ${known} FROM ADA OBI` },
    { kobo: 4_000n, reference: 'FT2', narration: `NIP ${unreported} FROM OBI ADA` },
    { kobo: -500n, reference: 'FT3', narration: 'COMMISSION' },
    { kobo: -6_000n, reference: 'FT4', narration: `RVSL ${known}` },
    { kobo: -700n, reference: 'FT5', narration: 'CASH' },
  ]
  const csv = gtbankCsv({ lines: lines.map((line) => ({ ...line, day: DAY })) })
  await imported(bench, csv)
  await match(bench)
  return { accountNumber, unreported }
}

test('differences of a day are resolved one by one until it balances', async () => {
  await using bench = await startTestService()
  await importDay(bench)
  bench.advance(5 * DAY_MS)

  const before = await proofOf(bench)
  assert.equal(before.status, 'differences')
  assert.deepEqual(before.parts, [28, 60, 0, 0, -32])
  const list: Row[] = before.differences
  assert.deepEqual(
    list.map(({ kind, amount, actions }) => `${kind} ${amount} ${actions.join('/')}`).sort(),
    [
      'fee_differs -5 book/note',
      'missing_in_books 40 book/note',
      'reversed_at_bank -60 book/note',
      'unexplained_debit -7 note',
    ],
  )

  for (const { id, actions } of list) {
    const isBooked = actions.includes('book')
    const outcome = await outcomeOf(resolve(bench, id, isBooked ? 'book' : 'note'))
    assert.equal(outcome, isBooked ? 'cleared' : 'resolved')
    await proofOf(bench)
  }

  const after = await proofOf(bench)
  assert.equal(after.status, 'reconciling_items')
  assert.equal(after.statusText, 'Balanced except for ₦-7.00 in 1 reconciling item')
  assert.deepEqual(after.parts, [28, 60, -25, -7, 0])
  const result = await match(bench)
  assert.deepEqual([result.matched, result.differences], [0, 0])
  assert.deepEqual((await proofOf(bench)).parts, after.parts)
  await assertCleanBooks(bench)
})

test('a difference that clears by itself can no longer be resolved', async () => {
  await using bench = await startTestService()
  const { accountNumber, unreported } = await importDay(bench)
  const { differences } = await proofOf(bench)
  const missing: Row = differences.find(({ kind }: Row) => kind === 'missing_in_books')
  await postRail(bench, '058/credits', { sessionId: unreported, accountNumber, amount: '40' })
  await match(bench)

  for (const action of ['book', 'note'] as const) {
    assert.equal(await outcomeOf(resolve(bench, missing.id, action)), 'difference_resolved')
  }

  const { data } = (await bench.call({ url: `${RECONCILIATION}/${missing.id}` })).json()
  assert.deepEqual([data.state, data.decidedBy, data.actions], ['cleared', null, []])
  await assertCleanBooks(bench)
})

test('a noted item clears when its credit comes after all', async () => {
  await using bench = await startTestService()
  const { accountNumber, unreported } = await importDay(bench)
  const { differences } = await proofOf(bench)
  const missing: Row = differences.find(({ kind }: Row) => kind === 'missing_in_books')
  assert.equal(await outcomeOf(resolve(bench, missing.id, 'note')), 'resolved')
  await postRail(bench, '058/credits', { sessionId: unreported, accountNumber, amount: '40' })

  await match(bench)

  const { data } = (await bench.call({ url: `${RECONCILIATION}/${missing.id}` })).json()
  assert.deepEqual([data.state, data.action], ['cleared', 'note'])
  await assertCleanBooks(bench)
})

// Four days of a finance team with one bank. Notifications get lost, the bank charges, pays, returns and
// reverses, and its statements come in three formats. The team resolves all differences, closes the days, and
// verifies a proof export.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDay, csvOf, pass, reportOf, sum } from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { type BankDay, camt053, closingOf, mt940, wemaCsv } from '../support/bank-statements.ts'
import { createAccount } from '../support/fixtures.ts'
import { CONFIRMED, payOut, settleAll } from '../support/money-out.ts'
import { assertProven } from '../support/proving.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { imported } from '../support/statement-files.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { credit, openDesk, reverse } from '../support/tracing.ts'

const BANK = '035'
const DAYS = ['2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18'] as const
const [FIRST, SECOND, THIRD, FOURTH] = DAYS
const CSV = { query: `bankCode=${BANK}&format=csv&profile=wema` }
const MT940 = { query: `bankCode=${BANK}&format=mt940` }
const CAMT = { query: `bankCode=${BANK}&format=camt053` }
const DESK = '/api/v1/operator/reconciliation'

const proofOf = (bench: Bench, day: string) =>
  reportOf(bench, `reconciliation?bankCode=${BANK}&day=${day}`)

// Books all differences of a day that can be booked; returns their kinds. A debit that can be read as a
// charge or as a reversal is booked as a reversal.
async function bookAll(bench: Bench, day: string): Promise<string[]> {
  const { differences } = await proofOf(bench, day)
  const kinds: string[] = []
  for (const { id, kind, actions, readings, state } of differences) {
    if (state !== 'open' || !actions.includes('book')) continue
    const reading = readings.length > 0 ? { reading: 'reversal' } : {}
    const body = { action: 'book', ...reading, reason: 'As the statement says' }
    const answer = await bench.call({ url: `${DESK}/${id}/resolve`, body })
    assert.equal(answer.statusCode, 200, answer.body)
    kinds.push(kind)
  }
  return kinds.sort()
}

// The proofs of the four days, each as "status statement ledger timing".
async function statusesOf(bench: Bench): Promise<string[]> {
  const days = await reportOf(bench, `reconciliation/days?from=${FIRST}&to=${FOURTH}`)
  return days.map((day: { status: string; statement: number; ledger: number; timing: number }) =>
    [day.status, day.statement, day.ledger, day.timing].join(' '),
  )
}

// First day: one of three notifications is lost, and the bank charges for its account. The statement shows
// both.
async function liveFirstDay(bench: Bench, accountNumber: string) {
  const first = await credit(bench, accountNumber, '1000.00')
  const second = await credit(bench, accountNumber, '250.00')
  const lost = newSessionId()
  const dayOne: BankDay = {
    day: FIRST,
    sequence: 1,
    openingKobo: 0n,
    lines: [
      { kobo: 100_000n, sessionId: first },
      { kobo: 25_000n, sessionId: second },
      { kobo: 30_000n, sessionId: lost, accountNumber },
      { kobo: -1_075n, bankReference: 'M1', narration: 'FEE-ACCOUNT MAINTENANCE' },
    ],
  }
  pass(bench, FIRST)
  const csv = await imported(bench, wemaCsv(dayOne), CSV)
  assert.deepEqual([csv.matched, csv.differences], [2, 2])
  assert.equal((await proofOf(bench, FIRST)).status, 'differences')
  assert.deepEqual(await bookAll(bench, FIRST), ['fee_differs', 'missing_in_books'])
  const late = { sessionId: lost, accountNumber, amount: '300.00' }
  const lateAnswer = await postRail(bench, `${BANK}/credits`, late)
  assert.equal(lateAnswer.json().responseCode, '01', lateAnswer.body)
  return { first, second, dayOne }
}

test('statements in three formats, differences resolved, days green, closed and proved', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, { bankCode: BANK })
  const desk = await openDesk(bench)
  const { first, second, dayOne } = await liveFirstDay(bench, accountNumber)

  // Second day: a payout with its cost, and unidentified money.
  await payOut(bench, 100)
  await settleAll(bench, CONFIRMED)
  const stray = await credit(bench, NOBODYS_NUMBER, '200.00')
  const dayTwo: BankDay = {
    day: SECOND,
    sequence: 2,
    openingKobo: closingOf(dayOne),
    lines: [
      { kobo: -11_075n, bankReference: 'BANK-1', narration: 'NIPOUT' },
      { kobo: 20_000n, sessionId: stray },
    ],
  }
  pass(bench, SECOND)
  const swift = await imported(bench, mt940(dayTwo), MT940)
  assert.deepEqual([swift.matched, swift.differences], [2, 0])

  // Third day: the unidentified money is returned. The bank reverses parts of two credits, but reports only
  // one of the reversals.
  await desk.giveBack(stray)
  await desk.confirm(stray, 'BANK-2')
  const reversal = await reverse(bench, first, '50.00')
  const dayThree: BankDay = {
    day: THIRD,
    sequence: 3,
    openingKobo: closingOf(dayTwo),
    lines: [
      { kobo: -20_000n, bankReference: 'BANK-2' },
      { kobo: -5_000n, sessionId: reversal },
      { kobo: -2_000n, sessionId: second, narration: 'Reversal' },
    ],
  }
  pass(bench, THIRD)
  const camt = await imported(bench, camt053(dayThree), CAMT)
  assert.deepEqual([camt.matched, camt.differences], [2, 1])
  assert.deepEqual(await bookAll(bench, THIRD), ['reversed_at_bank'])
  const again = await imported(bench, camt053(dayThree), CAMT)
  assert.equal(again.isUnchanged, true)

  // Fourth day: no line.
  const dayFour = { day: FOURTH, sequence: 4, openingKobo: closingOf(dayThree), lines: [] }
  pass(bench, FOURTH)
  await imported(bench, mt940(dayFour), MT940)

  assert.deepEqual(await statusesOf(bench), [
    'balanced 1539.25 1250 289.25',
    'balanced 1628.5 1628.5 0',
    'balanced 1358.5 1378.5 -20',
    'balanced 1358.5 1358.5 0',
  ])
  await assertClosed(bench)
  await assertCleanBooks(bench)
  await assertProven(bench.db)
})

// Closes each day, which needs no reason because each is balanced; and asserts that the journals have each
// movement of the bank's account once.
async function assertClosed(bench: Bench): Promise<void> {
  let bankKobo = 0n
  for (const day of DAYS) {
    assert.equal((await closeDay(bench, day, {})).isClosed, true)
    assert.equal((await proofOf(bench, day)).isClosed, true)
    const lines = await csvOf(bench, `journal.csv?day=${day}`)
    assert.equal(sum(lines, 'debit'), sum(lines, 'credit'), day)
    const bank = lines.filter(({ accountCode }) => accountCode === '1000')
    bankKobo += sum(bank, 'debit') - sum(bank, 'credit')
  }
  assert.equal(bankKobo, 135_850n)
}

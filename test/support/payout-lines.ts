// For tests of reconciliation: a payout of 1,000.00, and a bank's statement that contradicts what the books
// say about it.

import assert from 'node:assert/strict'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { pass, reportOf } from './accounting.ts'
import { assertCleanBooks } from './bank-calls.ts'
import { type BankDay, camt053, type DayLine } from './bank-statements.ts'
import { assertLinesExplained, RECONCILIATION } from './differences.ts'
import type { Bench } from './running-service.ts'
import { scripted, UNKNOWN } from './scripted-bank.ts'
import { imported } from './statement-files.ts'

export const DAY = '2026-11-15'
export const KOBO = 100_000n // The payout's amount.
export const REJECTED = { status: 'failed', reason: 'AC04' } as const
export const PAID = { status: 'confirmed', bankReference: 'BANK-1' } as const

// Imports the bank's statement of the day: the credit of 5,000.00 that paid for the payout, and these
// lines. Returns the bank's code.
export async function statement(bench: Bench, lines: readonly DayLine[], write = camt053) {
  const { rows } = await bench.db.query<{ bankCode: string; sessionId: string }>(
    `select bank_code as "bankCode", session_id as "sessionId" from credits`,
  )
  const { bankCode, sessionId } = rows[0] as (typeof rows)[0] // The test's only credit.
  const day: BankDay = {
    day: DAY,
    sequence: 1,
    openingKobo: 0n,
    lines: [{ kobo: 500_000n, sessionId }, ...lines],
  }
  pass(bench, DAY)
  const format = write === camt053 ? 'camt053' : 'mt940'
  await imported(bench, write(day), { query: `bankCode=${bankCode}&format=${format}` })
  return bankCode
}

// The differences that matching found, oldest first.
// biome-ignore lint/suspicious/noExplicitAny: a difference as parsed JSON.
export async function found(bench: Bench): Promise<any[]> {
  const answer = await bench.call({ url: `${RECONCILIATION}/differences?limit=50` })
  assert.equal(answer.statusCode, 200, answer.body)
  const { data } = answer.json()
  return data.sort((one: { id: number }, other: { id: number }) => one.id - other.id)
}

// The differences as text, for example "payout_paid -1000 of a failed payout: book, note".
export async function differenceTexts(bench: Bench): Promise<string[]> {
  return (await found(bench)).map(
    ({ kind, amount, payout, actions }) =>
      `${kind} ${amount} of a ${payout?.status} payout: ${actions.join(', ')}`,
  )
}

// Starts a service with a payout that the bank answered as `send` says.
export async function settled(send: Parameters<typeof scripted>[0]['send']) {
  const world = await scripted({ send, find: UNKNOWN })
  await world.rounds.send()
  return world
}

// The statement line of a payout.
export const debit = (endToEndId: string, more: Partial<DayLine> = {}): DayLine => {
  return { kobo: -KOBO, bankReference: 'FT1', endToEndId, ...more }
}
// The statement line of a payout whose money the bank gave back.
export const givenBack = (endToEndId: string, more: Partial<DayLine> = {}): DayLine => {
  return { kobo: KOBO, bankReference: 'FT2', endToEndId, isReversal: true, ...more }
}

// The client's balances that payouts change.
export async function balances(bench: Bench) {
  const { data } = (await bench.call({ url: '/api/v1/balances' })).json()
  const { gross, net, available, paidOut, receivable } = data.totals[0]
  return { gross, net, available, paidOut, receivable }
}

// Asserts that statement and books agree: the day is balanced, and no line is unexplained.
export async function assertGreen(bench: Bench, bankCode: string): Promise<void> {
  const { status } = await reportOf(bench, `reconciliation?bankCode=${bankCode}&day=${DAY}`)
  assert.equal(status, 'balanced')
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
}

// Matches the bank's statement again, as the worker does after a payout changed.
export async function rematch(bench: Bench, bankCode: string): Promise<void> {
  await withTransaction(bench.db, (tx) =>
    matchStatements(tx, { bankCode, currency: 'NGN', now: bench.clock() }),
  )
}

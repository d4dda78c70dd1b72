// Accounting over HTTP: closing days, and reading journals and reports.

import assert from 'node:assert/strict'
import { parseCsv } from './csv.ts'
import { PAYER } from './erasing.ts'
import { createFeeRule } from './fee-rules.ts'
import { createAccount, dataOf } from './fixtures.ts'
import { CONFIRMED, payOut, settleAll } from './money-out.ts'
import { type Bench, startTestService } from './running-service.ts'
import { NOBODYS_NUMBER } from './suspense-desk.ts'
import { credit, reverse } from './tracing.ts'

export const OPERATOR = '/api/v1/operator'
export const DAY_MS = 86_400_000
export const FIRST_DAY = '2026-11-15' // Test services start on this day.
export const REASON = { reason: 'No statement of this bank yet' }

type Caller = Pick<Bench, 'call'>

// Asks to close a day and returns the response, which may be a refusal.
export const tryClose = (by: Caller, day: string, body: object = REASON, more: object = {}) =>
  by.call({ url: `${OPERATOR}/days/${day}/close`, body, ...more })

export async function closeDay(by: Caller, day: string, body: object = REASON) {
  return dataOf(await tryClose(by, day, body))
}

// Moves the clock to ten minutes after the end of the day in Lagos (23:00 UTC), so that it can be closed.
export function pass(bench: Bench, day: string): void {
  const end = Date.parse(`${day}T23:00:00Z`)
  bench.advance(end + 10 * 60_000 - bench.clock().getTime())
}

// Reads a report or file of the operator's accounting, for example `vat.csv?month=2026-11`, as text.
export async function textOf(by: Caller, path: string): Promise<string> {
  const answer = await by.call({ url: `${OPERATOR}/${path}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.body
}

export async function csvOf(by: Caller, path: string): Promise<Record<string, string>[]> {
  return parseCsv(await textOf(by, path))
}

export async function reportOf(by: Caller, path: string) {
  return dataOf(await by.call({ url: `${OPERATOR}/${path}` }))
}

export const journalOf = (by: Caller, day: string) => textOf(by, `journal.csv?day=${day}`)

// Starts another process on the same database, with its own settings. Its clock starts where the clock of
// the first process started.
export async function startBeside(bench: Bench, env: Record<string, string> = {}) {
  // The first service owns the database and drops it.
  const database = { ...bench.database, [Symbol.asyncDispose]: async () => {} }
  return startTestService({ database, env })
}

// A journal line as text: account code, client or bank, reason, debit, credit, for example
// "2000 MAN0000001 credit 0.00 1000.00".
export function brief(line: Record<string, unknown>): string {
  const { accountCode, clientId, bankCode, reason, debit, credit, currency } = line
  const cells = [accountCode, clientId ?? bankCode, reason, debit, credit]
  return [...cells, ...(currency === 'NGN' ? [] : [currency])].join(' ')
}

// Parses the amount of a CSV cell; an empty cell is zero.
export function kobo(amount: string): bigint {
  if (amount === '') return 0n
  assert.match(amount, /^-?[0-9]+\.[0-9]{2}$/)
  return BigInt(amount.replace('.', ''))
}

export function sum(rows: readonly Record<string, string>[], column: string): bigint {
  return rows.reduce((total, row) => total + kobo(row[column] as string), 0n)
}

// Trades for one day: a credit of 1,000.00, from which the bank withholds 10.00 and the operator a fee of 1%
// with VAT; an unidentified credit of 200.00; a credit of 5 dollars; a payout of 100.00, for which the bank
// charges 10.75; a reversal of 50.00.
export async function liveADay(bench: Bench): Promise<void> {
  const { accountNumber } = await createAccount(bench)
  await createFeeRule(bench)
  const charges = { fee: '9.30', vat: '0.70', settled: '990.00' }
  const session = await credit(bench, accountNumber, '1000.00', { ...PAYER, charges })
  await credit(bench, NOBODYS_NUMBER, '200.00', { narration: '=1+1' })
  await credit(bench, accountNumber, '5.00', { currency: 'USD' })
  await payOut(bench, 100)
  await settleAll(bench, CONFIRMED)
  await reverse(bench, session, '50.00')
}

// Writes banks' statements as CSV in the formats of two shipped profiles, and uploads them.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { formatKobo, kobo } from '#money.ts'
import type { Bench } from './running-service.ts'

export const STATEMENTS = '/api/v1/operator/statements'
export const IMPORTS = '/api/v1/operator/statement-imports'
export const BANK = '058'

export type CsvLine = { day?: string; kobo: bigint; reference?: string; narration?: string }

type Csv = { openingKobo?: bigint; accountNumber?: string | null; lines: readonly CsvLine[] }

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

// "2026-11-14" becomes "14-Nov-2026".
function statementDate(day: string): string {
  const [year, month, date] = day.split('-')
  return `${date}-${MONTHS[Number(month) - 1]}-${year}`
}

// A statement in the format of the profile `gtbank`: with a running balance, oldest line first.
export function gtbankCsv({ openingKobo = 0n, accountNumber = '0123456789', lines }: Csv): string {
  let balance = openingKobo
  const rows = lines.map(({ day = '2026-11-14', kobo: amount, reference = '', narration = '' }) => {
    balance += amount
    const size = formatKobo(kobo(amount < 0n ? -amount : amount))
    // One of the columns Debits and Credits is empty.
    const sides = amount < 0n ? `${size},` : `,${size}`
    const date = statementDate(day)
    const remarks = narration.replaceAll('"', '""')
    return `${date},${date},${reference},${sides},${formatKobo(kobo(balance))},"${remarks}"`
  })
  return [
    ...(accountNumber === null ? [] : [`Account Number:,${accountNumber}`]),
    'Trans Date,Value Date,Reference,Debits,Credits,Balance,Remarks',
    ...rows,
    '',
  ].join('\n')
}

// A statement in the format of the profile `access`: newest line first.
export function accessCsv({ openingKobo = 0n, lines }: Csv): string {
  let balance = openingKobo
  const rows = lines.map(({ day = '2026-11-14', kobo: amount, reference = '', narration = '' }) => {
    balance += amount
    const size = formatKobo(kobo(amount < 0n ? -amount : amount))
    const date = statementDate(day)
    return [date, date, reference, narration, ...(amount < 0n ? [size, ''] : ['', size])]
      .concat(formatKobo(kobo(balance)))
      .join(';')
  })
  return [
    'Account Number:;0690123456',
    'Transaction Date;Value Date;Transaction Ref;Narration;Withdrawals;Lodgements;Balance',
    ...rows.toReversed(),
    '',
  ].join('\n')
}

// Lines of transfers, all on one day, each with its own reference and session id.
export function manyLines(count: number, day = '2026-11-14'): CsvLine[] {
  return Array.from({ length: count }, (_, at) => ({
    day,
    kobo: 100_000n + BigInt(at),
    reference: `FT${at}`,
    narration:
      `NIBSS Instant Payment Inward 0000132611150100${String(at).padStart(14, '0')} RENT FROM ` +
      `ADA OBI TO 2093566866`,
  }))
}

type Upload = { query?: string; headers?: Record<string, string>; token?: string | null }

// Uploads a statement; returns the response, which may be a refusal.
export function upload(
  bench: Bench,
  body: string | Buffer,
  { query = 'bankCode=058&format=csv&profile=gtbank', headers = {}, token }: Upload = {},
): Promise<LightMyRequestResponse> {
  return bench.call({
    method: 'POST',
    url: `${STATEMENTS}?${query}`,
    body,
    headers: { 'content-type': 'text/csv', ...headers },
    ...(token === undefined ? {} : { token }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: statements and imports as parsed JSON.
export type Data = any

// Uploads a statement, which must succeed; returns the import.
export async function imported(bench: Bench, body: string | Buffer, how?: Upload): Promise<Data> {
  const answer = await upload(bench, body, how)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// The rows that an import stores, except ids and times.
export async function readStored({ db }: Pick<Bench, 'db'>, bankCode = BANK): Promise<Data> {
  const statements = await db.query(
    `select bank_code, currency, account_number, reference, sequence, from_day::text,
            to_day::text, covers_from::text, opening_kobo, closing_kobo, has_balances, lines,
            new_lines
       from statements where bank_code = $1 order by id`,
    [bankCode],
  )
  const lines = await db.query(
    `select l.line_no, l.booked_on::text, l.value_on::text, l.amount_kobo, l.kind, l.session_id,
            l.bank_reference, l.narration, l.hash, rank() over (order by l.statement_id) as of
       from statement_lines l where bank_code = $1 order by l.id`,
    [bankCode],
  )
  return { statements: statements.rows, lines: lines.rows }
}

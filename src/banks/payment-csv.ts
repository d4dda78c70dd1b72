// Payments and their results as CSV (RFC 4180), for banks whose portal takes nothing better. Text is
// Latin, as in pain.001.
//
//   out  reference,amount,currency,accountName,accountNumber,bankCode,narration,debitAccount,date
//   in   reference,status,bankReference,reason; separated by commas or semicolons, with a header
//
// A status is a code of ISO 20022, or confirmed, failed or pending, in any case.

import { isUtf8 } from 'node:buffer'
import { latinText } from '#banks/iso20022/latin-text.ts'
import { formatKobo } from '#money.ts'
import type { PayoutInstruction } from './connector.ts'
import {
  judgeStatus,
  type PaymentFile,
  type Report,
  type ReportedStatus,
  type ReportLine,
  statusOf,
} from './payment-files.ts'

const NAME_MAX = 140
const NARRATION_MAX = 140
const TEXT_MAX = 500
const LINE_END = '\r\n'

export function writePaymentCsv({ debitAccount, executionDate, orders }: PaymentFile) {
  const cells = (order: PayoutInstruction) => [
    order.reference,
    formatKobo(order.amountKobo),
    order.currency,
    latinText(order.to.accountName, NAME_MAX),
    order.to.accountNumber,
    order.to.bankCode,
    latinText(order.narration, NARRATION_MAX),
    debitAccount.accountNumber,
    executionDate,
  ]
  const head =
    'reference,amount,currency,accountName,accountNumber,bankCode,narration,debitAccount,date'
  return [head, ...orders.map((order) => cells(order).map(quoted).join(','))]
    .map((line) => line + LINE_END)
    .join('')
}

// Latin text holds neither line ends nor double quotes.
function quoted(cell: string): string {
  return cell.includes(',') ? `"${cell}"` : cell
}

const WORDS: Readonly<Record<string, ReportedStatus>> = {
  CONFIRMED: 'confirmed',
  FAILED: 'failed',
  PENDING: 'pending',
}

export function readPaymentCsv(rawBody: Buffer): Report {
  if (!isUtf8(rawBody)) return { malformed: 'The CSV must be encoded in UTF-8.' }
  const rows = readRows(rawBody.toString('utf8').replace(/^\ufeff/, ''))
  if (!rows)
    return {
      malformed:
        'The CSV has a quote that is not closed, text after one, or a cell that is too long.',
    }
  const [head = [], ...lines] = rows
  const names = head.map((name) => name.trim().toLowerCase().replaceAll(/[ _-]/g, ''))
  const [reference, status, bankReference, reason] = [
    'reference',
    'status',
    'bankreference',
    'reason',
  ].map((name) => (names.indexOf(name) === names.lastIndexOf(name) ? names.indexOf(name) : -1))
  if (reference === -1 || status === -1) {
    return { malformed: 'The first line must name the columns, with reference and status.' }
  }
  const found = lines.flatMap((cells, at): ReportLine[] => {
    if (cells.every((cell) => cell.trim() === '')) return []
    const cell = (column = -1) => cells[column] && plainText(cells[column])
    const statusText = cell(status) ?? ''
    const code = statusText.toUpperCase()
    const why = cell(reason) || undefined
    return [
      {
        line: at + 2,
        level: 'order',
        fileReference: undefined,
        reference: cell(reference) || undefined,
        statusText,
        ...judgeStatus(Object.hasOwn(WORDS, code) ? WORDS[code] : statusOf(code), why ? [why] : []),
        bankReference: cell(bankReference) || undefined,
        reason: why,
      },
    ]
  })
  return found.length === 0 ? { malformed: 'The report states no status.' } : { lines: found }
}

function plainText(cell: string): string {
  return cell
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, TEXT_MAX)
}

// The cells of each line. Undefined: the quotes do not match.
function readRows(text: string): string[][] | undefined {
  const separator = /^[^\r\n,]*;/.test(text) ? ';' : ','
  const cell = new RegExp(
    `(?:"((?:[^"]|""){0,2000})"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`,
    'y',
  )
  const rows: string[][] = []
  let row: string[] = []
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (!match) return undefined
    const [, inQuotes, plain = '', end] = match
    row.push(inQuotes?.replaceAll('""', '"') ?? plain)
    if (end === separator && cell.lastIndex < text.length) continue
    if (end === separator) row.push('')
    rows.push(row)
    row = []
  }
  return rows
}

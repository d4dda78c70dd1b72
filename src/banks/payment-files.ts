// Payments for a bank without an API: a file of orders that an operator uploads at the bank's portal, and the
// bank's report on each order. The formats are pain.001 and pain.002 (iso20022/pain.ts), and CSV (here).

import { isUtf8 } from 'node:buffer'
import { latinText } from '#banks/iso20022/elements.ts'
import { formatKobo } from '#money.ts'
import type { PayoutInstruction } from './connector.ts'

// Our account at the bank, which pays the orders.
export type DebitAccount = {
  readonly accountNumber: string
  readonly accountName: string
  readonly customerId?: string | undefined // Our customer id at the bank.
}

export type PaymentFile = {
  reference: string
  createdAt: Date
  executionDate: string // yyyy-MM-dd
  bankCode: string
  debitAccount: DebitAccount
  orders: readonly PayoutInstruction[]
}

// The outcome of an order in a bank's report. `confirmed` and `failed` are final; `pending` is not.
export type ReportedStatus = 'confirmed' | 'failed' | 'pending'

// One status in a bank's report: of one order, or of all orders of a file.
export type ReportLine = {
  line: number // The position in the report, from 1.
  level: 'file' | 'order'
  fileReference: string | undefined // Undefined if the report does not name the file.
  reference: string | undefined // The reference of the order.
  statusText: string // As the bank wrote it.
  status: ReportedStatus | undefined // Undefined if we do not know the bank's status.
  isDuplicate?: true // Refused because the bank already has the order. `status` is then undefined.
  bankReference: string | undefined
  reason: string | undefined
  amount?: { amount: string; currency: string | undefined } | undefined // As the bank repeats it.
}

export type Report = { lines: ReportLine[] } | { malformed: string }

// Statuses of ISO 20022 (ExternalPaymentTransactionStatus1Code). A code that is missing here is an unknown
// status.
const STATUSES: Readonly<Record<string, ReportedStatus>> = {
  ACSC: 'confirmed', // Settled on the debtor's account.
  ACCC: 'confirmed', // Settled on the creditor's account.
  RJCT: 'failed',
  RCVD: 'pending',
  ACTC: 'pending',
  ACCP: 'pending',
  ACFC: 'pending',
  ACSP: 'pending',
  ACWC: 'pending',
  ACWP: 'pending',
  PATC: 'pending',
  PART: 'pending', // For a file: some orders are accepted, and each has its own status.
  PDNG: 'pending',
}

// Returns the status that an ISO 20022 code means, or undefined for an unknown code.
export function statusOf(code: string): ReportedStatus | undefined {
  return Object.hasOwn(STATUSES, code) ? STATUSES[code] : undefined
}

// Patterns of reasons that mean a duplicate order, by their ExternalStatusReason1Code or in words. Such a
// rejection does not show the outcome of the first order: after a second upload, the bank rejects an order
// that it is paying. The patterns are wide, because a needless alert is better than a payout that is paid
// twice.
const DUPLICATES = [
  /\b(?:AM05|DU0[1-5])\b|duplicat/i,
  /\balready (?:been )?(?:paid|process|execut|receiv|sent|submit|settle|complete|exist|used)/i,
]

// Returns the status of an order as the bank reports it. The rejection of a duplicate order counts as
// unknown, because the bank may have paid the first order.
export function judgeStatus(
  status: ReportedStatus | undefined,
  reasons: readonly string[],
): Pick<ReportLine, 'status' | 'isDuplicate'> {
  const meansDuplicate = (reason: string) => DUPLICATES.some((pattern) => pattern.test(reason))
  const isDuplicate = status === 'failed' && reasons.some(meansDuplicate)
  return isDuplicate ? { status: undefined, isDuplicate } : { status }
}

// Payments and their results as CSV (RFC 4180), for banks whose portal does not accept pain.001. Text is
// Latin, as in pain.001.
//
//   out  reference,amount,currency,accountName,accountNumber,bankCode,narration,debitAccount,date
//   in   reference,status,bankReference,reason; separated by commas or semicolons, with a header
//
// A status is a code of ISO 20022, or confirmed, failed or pending, in any case.

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
  return [head, ...orders.map((order) => cells(order).map(quoteCell).join(','))]
    .map((line) => line + LINE_END)
    .join('')
}

// Quotes a cell. Only commas need quotes, because Latin text has neither line ends nor double quotes.
function quoteCell(cell: string): string {
  return cell.includes(',') ? `"${cell}"` : cell
}

const WORDS: Readonly<Record<string, ReportedStatus>> = {
  CONFIRMED: 'confirmed',
  FAILED: 'failed',
  PENDING: 'pending',
}

// Reads the bank's report, which has one row for each order.
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
  // The position of each column; -1 if it is missing, or named twice and therefore ambiguous.
  const [reference, status, bankReference, reason] = [
    'reference',
    'status',
    'bankreference',
    'reason',
  ].map((name) => (names.indexOf(name) === names.lastIndexOf(name) ? names.indexOf(name) : -1))
  if (reference === -1 || status === -1) {
    return { malformed: 'The first line must name the columns, with reference and status.' }
  }
  const reportLines = lines.flatMap((cells, index): ReportLine[] => {
    if (cells.every((cell) => cell.trim() === '')) return []
    const cell = (column = -1) => cells[column] && plainText(cells[column])
    const statusText = cell(status) ?? ''
    const code = statusText.toUpperCase()
    const reasonText = cell(reason) || undefined
    return [
      {
        line: index + 2, // The header is line 1.
        level: 'order',
        fileReference: undefined,
        reference: cell(reference) || undefined,
        statusText,
        ...judgeStatus(
          Object.hasOwn(WORDS, code) ? WORDS[code] : statusOf(code),
          reasonText ? [reasonText] : [],
        ),
        bankReference: cell(bankReference) || undefined,
        reason: reasonText,
      },
    ]
  })
  return reportLines.length === 0
    ? { malformed: 'The report states no status.' }
    : { lines: reportLines }
}

// Returns the text of a cell on one line, shortened.
function plainText(cell: string): string {
  return cell
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, TEXT_MAX)
}

// Returns the cells of each line, or undefined if a quote is not closed or a cell is too long.
// The first line shows whether cells are separated by commas or semicolons. The pattern `cell` matches the
// next cell, with or without quotes, and the separator, line end or end of text after it.
function readRows(text: string): string[][] | undefined {
  const separator = /^[^\r\n,]*;/.test(text) ? ';' : ','
  const cell = new RegExp(
    `(?:"((?:[^"]|""){0,2000})"|([^"${separator}\\r\\n]{0,2000}))(${separator}|\\r?\\n|$)`,
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
    if (end === separator) row.push('') // The file ends in a separator, so its last cell is empty.
    rows.push(row)
    row = []
  }
  return rows
}

// The account statement of a bank, independent of its format. A reader streams a file as parts, ordered as in
// the file: the opening of a statement, its lines, and its closing.

import { formatKobo, type Kobo, kobo } from '#money.ts'

export const STATEMENT_FORMATS = ['camt053', 'mt940', 'csv'] as const
export type StatementFormat = (typeof STATEMENT_FORMATS)[number]

export const LINE_KINDS = [
  'credit',
  'fee',
  'vat',
  'stamp_duty',
  'sweep',
  'payout',
  'return',
  'other',
] as const
export type LineKind = (typeof LINE_KINDS)[number]

export type StatementPart =
  | { part: 'opening'; statement: StatementHead }
  // All lines that are available: awaiting each line would take as long as reading it.
  | { part: 'lines'; lines: readonly StatementLine[] }
  | { part: 'closing'; closing: StatementEnd }

export type StatementHead = {
  accountNumber: string | null // As the bank writes it.
  reference: string | null // Stmt/Id, or :20:
  sequence: bigint | null // ElctrncSeqNb, or :28C:
  currency: string
  openingKobo: Kobo | null // Null if the file has no balances, or has the opening balance at its end.
  fromDay: string | null // yyyy-MM-dd. Null means the day of the earliest line or, without lines, `toDay`.
  openingDay?: string | null // The date of the opening balance, if any. Usually the day before `fromDay`.
}

export type StatementEnd = {
  // Set if the head lacks the opening balance: in a file that lists the newest line first, it comes last.
  openingKobo?: Kobo
  closingKobo: Kobo | null
  toDay: string | null // Null means the day of the latest line.
}

export type StatementLine = {
  lineNo: number // The line in the file, from 1; in XML, the line of the entry.
  bookedOn: string // yyyy-MM-dd
  valueOn: string | null
  amountKobo: Kobo // Positive if we receive it.
  currency: string
  isReversal: boolean
  kind: LineKind
  sessionId: string | null
  bankReference: string | null
  endToEndId: string | null
  accountNumber: string | null // Our number that the money was sent to, if the line has it.
  counterparty: { name: string | null; account: string | null; bank: string | null }
  narration: string | null
}

// Thrown if the file cannot be read or does not add up. The whole file is refused.
export class StatementProblem extends Error {
  readonly line: number | null

  constructor(line: number | null, message: string) {
    super(message)
    this.line = line
  }
}

// Checks that the opening balance and the lines of a statement sum to its closing balance, to the kobo.
export function checkSum({
  openingKobo,
  sumKobo,
  closingKobo,
  line,
}: {
  openingKobo: Kobo
  sumKobo: Kobo
  closingKobo: Kobo
  line: number | null // The line of the closing balance.
}): void {
  const expected = kobo(openingKobo + sumKobo)
  if (expected === closingKobo) return
  throw new StatementProblem(
    line,
    `The statement does not add up: opening ${formatKobo(openingKobo)} and its lines ` +
      `${formatKobo(sumKobo)} make ${formatKobo(expected)}, and its closing balance is ` +
      `${formatKobo(closingKobo)}: a difference of ${formatKobo(kobo(closingKobo - expected))}.`,
  )
}

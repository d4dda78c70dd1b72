// A bank's account statement, whatever format it came in. A reader streams a file as parts, in the
// order of the file: each statement opens, has its lines, and closes.

import type { Kobo } from '#money.ts'

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
  // Many at once where they are there: waiting for each alone takes as long as reading it.
  | { part: 'lines'; lines: readonly StatementLine[] }
  | { part: 'closing'; closing: StatementEnd }

export type StatementHead = {
  accountNumber: string | null // As the bank writes it.
  reference: string | null // Stmt/Id, or :20:
  sequence: bigint | null // ElctrncSeqNb, or :28C:
  currency: string
  openingKobo: Kobo | null // Null: the file has no balances, or tells this one at its end.
  fromDay: string | null // yyyy-MM-dd. Null: that of its earliest line; without one, its `toDay`.
  openingDay?: string | null // Of the opening balance, where it has one: mostly the day before.
}

export type StatementEnd = {
  // Only where the head could not tell it: a file that lists the newest line first.
  openingKobo?: Kobo
  closingKobo: Kobo | null
  toDay: string | null // Null: that of its latest line.
}

export type StatementLine = {
  lineNo: number // In the file, from 1: of a text file its line; of XML the line of the entry.
  bookedOn: string // yyyy-MM-dd
  valueOn: string | null
  amountKobo: Kobo // Signed: above zero to us.
  currency: string
  isReversal: boolean
  kind: LineKind
  sessionId: string | null
  bankReference: string | null
  endToEndId: string | null
  accountNumber: string | null // Of ours that it was sent to, where the line tells.
  counterparty: { name: string | null; account: string | null; bank: string | null }
  narration: string | null
}

// What cannot be read, or does not add up, refuses the whole file.
export class StatementProblem extends Error {
  readonly line: number | null

  constructor(line: number | null, message: string) {
    super(message)
    this.line = line
  }
}

export type StatementReader = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<StatementPart>

// Reads the rows of a CSV statement, finds its columns and labelled values, and converts rows to lines. A row
// with a date and an amount is a line whatever its narration says: the payer wrote the narration and must not
// be able to hide a line.

import { finished } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { type Kobo, kobo } from '#money.ts'
import type { Column, CsvProfile, Label } from './csv-profile.ts'
import { LINE_CHARS_MAX } from './decode.ts'
import {
  cleanReference,
  cleanSessionId,
  cleanText,
  dayReader,
  findSessionId,
  kindOf,
  NARRATION_MAX,
  REFERENCE_MAX,
  valueDayOf,
} from './lines.ts'
import { type StatementLine, StatementProblem } from './statement.ts'

// Amounts as banks write them in text: "1,234.50", "(1.234,50)", "₦1,234.50 DR", "1234.5-".
//
// The reader is strict where leniency could change the amount: it refuses a thousands mark that is not before
// three digits, and a third decimal other than zero.

type AmountMarks = { decimalMark: string; thousandsMark: string | null }

const CURRENCY_SIGN = /^(?:NGN|₦|N(?=[ 0-9(]))\s*|\s*(?:NGN)$/i
const SIGN_AFTER = /\s*(-|\+|CR|DR|C|D)\.?$/i
const SIGN_BEFORE = /^([-+−])\s*/

// The returned function reads an amount, and returns undefined for text that is no amount.
function amountReader({ decimalMark, thousandsMark }: AmountMarks) {
  const [decimal, thousands] = [escaped(decimalMark), thousandsMark && escaped(thousandsMark)]
  const grouped = thousands ? `[0-9]{1,3}(?:${thousands}[0-9]{3})+|` : ''
  const digits = new RegExp(`^(${grouped}[0-9]{1,16})(?:${decimal}([0-9]{1,2})0{0,16})?$`)
  const plain = (text: string): Kobo | undefined => {
    const common = twoDecimals(text, decimalMark)
    if (common !== undefined) return common
    const match = digits.exec(text)
    if (!match) return undefined
    const [, whole = '', fraction = ''] = match
    const plainWhole = thousandsMark ? whole.replaceAll(thousandsMark, '') : whole
    if (plainWhole.length > 16) return undefined
    return kobo(BigInt(plainWhole + fraction.padEnd(2, '0')))
  }
  return (text: string): Kobo | undefined => plain(text) ?? signed(text, plain)
}

// Reads amounts such as 1234.50, which nearly all are, in a third of the time of a pattern. A double
// holds 13 digits exactly.
const COMMON_LENGTH_MAX = 14
const DECIMALS = 2
const ZERO = 48

function twoDecimals(text: string, decimalMark: string): Kobo | undefined {
  const { length } = text
  const markAt = length - DECIMALS - 1
  if (markAt < 1 || length > COMMON_LENGTH_MAX || text[markAt] !== decimalMark) return undefined
  let amount = 0
  for (let at = 0; at < length; at++) {
    if (at === markAt) continue
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return undefined
    amount = amount * 10 + digit
  }
  return kobo(BigInt(amount))
}

function signed(text: string, plain: (text: string) => Kobo | undefined): Kobo | undefined {
  let rest = text.replaceAll('\u00a0', ' ').trim().replace(CURRENCY_SIGN, '')
  let isNegative = false
  let signs = 0
  const before = SIGN_BEFORE.exec(rest)
  if (before) {
    rest = rest.slice(before[0].length).replace(CURRENCY_SIGN, '')
    isNegative = before[1] !== '+'
    signs++
  }
  const after = SIGN_AFTER.exec(rest)
  if (after) {
    rest = rest.slice(0, -after[0].length)
    isNegative = /^(?:-|DR?)$/i.test(after[1] as string)
    signs++
  }
  if (rest.startsWith('(') && rest.endsWith(')')) {
    rest = rest.slice(1, -1).trim()
    isNegative = true
    signs++
  }
  // Refuses two signs, because it is unclear whether they cancel out.
  const amount = signs > 1 ? undefined : plain(rest)
  return amount !== undefined && isNegative ? kobo(-amount) : amount
}

function escaped(mark: string): string {
  return mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

type CsvLine = { line: StatementLine | undefined; balanceKobo: Kobo | undefined }
type Cell = (column: Column) => string
type Place = Pick<StatementLine, 'lineNo' | 'bookedOn' | 'valueOn' | 'amountKobo' | 'currency'>
type Amount = { amountKobo: Kobo } | { problem: string }

export class CsvLines {
  readonly #profile: CsvProfile
  readonly #places: Places
  readonly #readDay: (text: string) => string | undefined
  readonly #readValueDay: (text: string) => string | undefined
  readonly #readAmount: (text: string) => Kobo | undefined

  constructor(profile: CsvProfile, places: Places) {
    this.#profile = profile
    this.#places = places
    this.#readDay = dayReader(profile.dateFormats)
    this.#readValueDay = dayReader(profile.dateFormats, valueDayOf)
    this.#readAmount = amountReader(profile)
  }

  // Returns the line and its balance, or only the balance if the amount is zero, or the reason why the row is
  // no line.
  read(row: CsvRow, currency: string): CsvLine | { problem: string } {
    const cell: Cell = (column) => {
      const place = this.#places[column]
      return place === undefined ? '' : (row.cells[place]?.trim() ?? '')
    }
    const booked = cell('booked')
    const bookedOn = this.#readDay(booked)
    if (bookedOn === undefined) return { problem: this.#noDay(booked) }
    const amount = this.#amountOf(cell)
    if ('problem' in amount) return amount
    const balanceKobo = this.#balanceOf(cell, row.line)
    if (amount.amountKobo === 0n) return { line: undefined, balanceKobo }
    const valueOn = this.#valueDay(cell('value'), row.line)
    const { amountKobo } = amount
    const place = { lineNo: row.line, bookedOn, valueOn, amountKobo, currency }
    return { line: this.#lineOf(cell, place), balanceKobo }
  }

  readDay(text: string): string | undefined {
    return this.#readDay(text)
  }

  readAmount(text: string): Kobo | undefined {
    return this.#readAmount(text)
  }

  #noDay(text: string): string {
    if (text === '') return 'The line has no date.'
    const formats = this.#profile.dateFormats.join(' or ')
    return `The date ${quoted(text)} is not a day in the format ${formats}.`
  }

  #valueDay(text: string, line: number): string | null {
    if (text === '') return null
    const day = this.#readValueDay(text)
    if (day === undefined) throw new StatementProblem(line, this.#noDay(text))
    return day
  }

  #amountOf(cell: Cell): Amount {
    return this.#places.amount === undefined ? this.#debitOrCredit(cell) : this.#oneAmount(cell)
  }

  #oneAmount(cell: Cell): Amount {
    const text = cell('amount')
    const amount = this.#readAmount(text)
    if (amount === undefined) return { problem: unreadable(text) }
    const { indicators, sign } = this.#profile
    if (this.#places.indicator === undefined) {
      return { amountKobo: sign === 'debit_positive' ? kobo(-amount) : amount }
    }
    const indicator = cell('indicator').toUpperCase()
    const isCredit = indicators.credit.includes(indicator)
    if (!isCredit && !indicators.debit.includes(indicator)) {
      return { problem: `${quoted(indicator)} says neither debit nor credit.` }
    }
    // Some banks also write a sign. A negative credit contradicts itself.
    if (isCredit && amount < 0n) return { problem: `The credit ${quoted(text)} is below zero.` }
    return { amountKobo: isCredit || amount < 0n ? amount : kobo(-amount) }
  }

  #debitOrCredit(cell: Cell): Amount {
    const [debitText, creditText] = [cell('debit'), cell('credit')]
    if (isNone(debitText) && isNone(creditText)) return { problem: 'The line has no amount.' }
    const debit = isNone(debitText) ? kobo(0n) : this.#readAmount(debitText)
    const credit = isNone(creditText) ? kobo(0n) : this.#readAmount(creditText)
    if (debit === undefined) return { problem: unreadable(debitText) }
    if (credit === undefined) return { problem: unreadable(creditText) }
    if (debit !== 0n && credit !== 0n) return { problem: 'The line is both a debit and a credit.' }
    const debited = this.#profile.isDebitNegative ? kobo(-debit) : debit
    if (debited < 0n || credit < 0n) {
      return { problem: `The amount ${quoted(debited < 0n ? debitText : creditText)} has a sign.` }
    }
    return { amountKobo: kobo(credit - debited) }
  }

  #balanceOf(cell: Cell, line: number): Kobo | undefined {
    if (this.#profile.balances !== 'running') return undefined
    const text = cell('balance')
    const balance = this.#readAmount(text)
    if (balance === undefined) {
      throw new StatementProblem(line, `The balance ${quoted(text)} cannot be read.`)
    }
    return balance
  }

  #lineOf(cell: Cell, { lineNo, bookedOn, valueOn, amountKobo, currency }: Place): StatementLine {
    const narration = cleanText(cell('narration'), NARRATION_MAX)
    const named = this.#namedIn(narration)
    const of = (column: Column) => cell(column) || named[column]
    const isReversal =
      narration !== null && this.#profile.reversals.some((pattern) => pattern.test(narration))
    const isCredit = amountKobo > 0n
    return {
      lineNo,
      bookedOn,
      valueOn,
      amountKobo,
      currency: cell('currency').toUpperCase() || currency,
      isReversal,
      kind: kindOf({ isCredit, isReversal, narration }, this.#profile.kinds),
      sessionId: cleanSessionId(of('sessionId')) ?? findSessionId(narration),
      bankReference: cleanReference(of('bankReference')),
      endToEndId: cleanReference(of('endToEndId')),
      accountNumber: cleanReference(of('accountNumber')),
      counterparty: {
        name: cleanText(of('counterpartyName'), REFERENCE_MAX),
        account: cleanReference(of('counterpartyAccount')),
        bank: cleanReference(of('counterpartyBank')),
      },
      narration,
    }
  }

  // If several patterns name a field, the first decides.
  #namedIn(narration: string | null): Readonly<Record<string, string | undefined>> {
    const named: Record<string, string | undefined> = {}
    if (narration === null) return named
    for (const pattern of this.#profile.narrationPatterns) {
      const groups = pattern.exec(narration)?.groups
      for (const field in groups) named[field] ??= groups[field]
    }
    return named
  }
}

// Spreadsheets print an empty amount as a dash.
function isNone(text: string): boolean {
  return text === '' || text === '-'
}

function unreadable(text: string): string {
  return text === '' ? 'The line has no amount.' : `The amount ${quoted(text)} cannot be read.`
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

// readRows() reads the rows of a CSV file (RFC 4180, any delimiter), each with the line on which it begins.
//
// Measured: csv-parse takes 6 µs a row of 140 characters as plain arrays; its casts, its objects and its own
// line numbers would double that. So we count lines: one for each row, and one for each line end in the cells
// of the row.

export type CsvRow = { cells: readonly string[]; line: number }

// Yields one batch of rows for each piece of the text, because awaiting each row would cost as much as
// reading it.
export async function* readRows(
  text: AsyncIterable<string>,
  { delimiter, quote }: { delimiter: string; quote: string | null },
): AsyncGenerator<readonly CsvRow[]> {
  const parser = parse({
    delimiter,
    quote,
    escape: quote ?? '"',
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: LINE_CHARS_MAX,
  })
  const ended = finished(parser, { readable: false })
  ended.catch(() => {}) // Awaited below, unless the caller stops reading.
  let line = 1
  const take = () => {
    const rows: CsvRow[] = []
    for (let cells = parser.read(); cells !== null; cells = parser.read()) {
      rows.push({ cells, line })
      line += 1 + lineEnds(cells)
    }
    return rows
  }
  try {
    for await (const piece of text) {
      // The parser works synchronously, so its rows can be read at once.
      parser.write(piece)
      yield take()
      if (parser.errored) throw parser.errored
    }
    parser.end()
    await ended
    yield take()
  } catch (error) {
    throw error instanceof CsvError ? problem(error, line) : error
  } finally {
    parser.destroy()
  }
}

function lineEnds(cells: readonly string[]): number {
  let count = 0
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count++
  }
  return count
}

// The parser is ahead of the rows read from it, so the error names its own line.
function problem(error: CsvError, line: number): StatementProblem {
  const at = typeof error.lines === 'number' ? error.lines : line
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new StatementProblem(at, `A row is longer than ${LINE_CHARS_MAX} characters.`)
  }
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return new StatementProblem(at, 'A quote is opened and not closed.')
  }
  return new StatementProblem(at, 'A quote stands within a cell, or text after a closing quote.')
}

// The rows around the lines have the header, which gives the place of each column, and labelled values, such
// as "Account Number: 0123456789". The value is in the same cell or in the next cell that is not empty.

export type Places = Readonly<Partial<Record<Column, number>>> // From 0.

// Banks print addresses and summaries above the table.
export const HEADER_ROWS_MAX = 100

// Returns undefined if the row is not the header. A header has every column that the profile names.
export function placesIn(row: CsvRow, profile: CsvProfile): Places | undefined {
  const headers = row.cells.map(plainHeader)
  const places: Partial<Record<Column, number>> = {}
  for (const [column, source] of Object.entries(profile.columns) as [Column, string | number][]) {
    if (typeof source === 'number') {
      places[column] = source - 1
      continue
    }
    const name = plainHeader(source)
    const place = headers.indexOf(name)
    if (place === -1) return undefined
    if (headers.lastIndexOf(name) !== place) {
      throw new StatementProblem(row.line, `The header ${JSON.stringify(source)} occurs twice.`)
    }
    places[column] = place
  }
  return places
}

export function missingHeader(profile: CsvProfile): StatementProblem {
  const names = Object.values(profile.columns).filter((column) => typeof column === 'string')
  const message =
    `None of the first ${HEADER_ROWS_MAX} rows has every column that the profile ` +
    `${profile.name} names: ${names.join(', ')}.`
  return new StatementProblem(null, message)
}

function plainHeader(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}

// Keeps the first value of each label, with its line in the file.
export class LabelledValues {
  readonly #labels: readonly (readonly [Label, RegExp])[]
  readonly #found = new Map<Label, { text: string; line: number }>()

  constructor(labels: CsvProfile['labels']) {
    this.#labels = Object.entries(labels) as [Label, RegExp][]
  }

  // Returns whether the row has a label.
  take({ cells, line }: CsvRow): boolean {
    let isLabelled = false
    for (const [label, pattern] of this.#labels) {
      const at = cells.findIndex((cell) => pattern.test(cell.trim()))
      if (at === -1) continue
      isLabelled = true
      const inSameCell = pattern.exec((cells[at] as string).trim())?.groups?.value?.trim()
      const text = inSameCell || cells.slice(at + 1).find((cell) => cell.trim() !== '')
      if (text && !this.#found.has(label)) this.#found.set(label, { text: text.trim(), line })
    }
    return isLabelled
  }

  find(label: Label): { text: string; line: number } | undefined {
    return this.#found.get(label)
  }
}

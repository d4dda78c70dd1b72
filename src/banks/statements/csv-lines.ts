// Reads the rows of a CSV statement, finds its columns and labelled values, and converts rows to statement
// lines. A row with a date and an amount is a line whatever its narration says: the payer wrote the narration
// and must not be able to hide a line.

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

// Banks write amounts as "1,234.50", "(1.234,50)", "₦1,234.50 DR" or "1234.5-".
//
// The reader is strict where leniency could change the amount: it refuses a thousands mark that is not before
// three digits, and a third decimal other than zero.

type AmountMarks = { decimalMark: string; thousandsMark: string | null }

const CURRENCY_SIGN = /^(?:NGN|₦|N(?=[ 0-9(]))\s*|(?<!\s)\s*NGN$/i
const SIGN_AFTER = /(?<!\s)\s*(-|\+|CR|DR|C|D)\.?$/i
const SIGN_BEFORE = /^([-+−])\s*/

// Returns a function that reads an amount in kobo. The function returns undefined for text that is no amount.
function amountReader({ decimalMark, thousandsMark }: AmountMarks) {
  const [decimal, thousands] = [
    escapeForPattern(decimalMark),
    thousandsMark && escapeForPattern(thousandsMark),
  ]
  // Digits in groups of three, or digits without marks. Decimals after the second must be zero.
  const grouped = thousands ? `[0-9]{1,3}(?:${thousands}[0-9]{3})+|` : ''
  const digits = new RegExp(`^(${grouped}[0-9]{1,16})(?:${decimal}([0-9]{1,2})0{0,16})?$`)
  const readUnsigned = (text: string): Kobo | undefined => {
    const commonAmount = readCommonAmount(text, decimalMark)
    if (commonAmount !== undefined) return commonAmount
    const match = digits.exec(text)
    if (!match) return undefined
    const [, whole = '', fraction = ''] = match
    const plainWhole = thousandsMark ? whole.replaceAll(thousandsMark, '') : whole
    if (plainWhole.length > 16) return undefined
    return kobo(BigInt(plainWhole + fraction.padEnd(2, '0')))
  }
  return (text: string): Kobo | undefined => readUnsigned(text) ?? readSigned(text, readUnsigned)
}

const COMMON_LENGTH_MAX = 14
const DECIMALS = 2
const ZERO = 48

// Reads an amount of the usual form, such as 1234.50; undefined for any other. Nearly all amounts have this
// form, and a pattern would take three times as long. A double holds 13 digits exactly.
function readCommonAmount(text: string, decimalMark: string): Kobo | undefined {
  const { length } = text
  const markAt = length - DECIMALS - 1
  if (markAt < 1 || length > COMMON_LENGTH_MAX || text[markAt] !== decimalMark) return undefined
  let amount = 0
  for (let index = 0; index < length; index++) {
    if (index === markAt) continue
    const digit = text.charCodeAt(index) - ZERO
    if (digit < 0 || digit > 9) return undefined
    amount = amount * 10 + digit
  }
  return kobo(BigInt(amount))
}

// Reads an amount with a sign, a currency sign or both. The suffixes CR and DR, + and -, and parentheses
// count as signs.
function readSigned(
  text: string,
  readUnsigned: (text: string) => Kobo | undefined,
): Kobo | undefined {
  let remaining = text.replaceAll('\u00a0', ' ').trim().replace(CURRENCY_SIGN, '')
  let isNegative = false
  let signCount = 0
  const leadingSign = SIGN_BEFORE.exec(remaining)
  if (leadingSign) {
    remaining = remaining.slice(leadingSign[0].length).replace(CURRENCY_SIGN, '')
    isNegative = leadingSign[1] !== '+'
    signCount++
  }
  const trailingSign = SIGN_AFTER.exec(remaining)
  if (trailingSign) {
    remaining = remaining.slice(0, -trailingSign[0].length)
    isNegative = /^(?:-|DR?)$/i.test(trailingSign[1] as string)
    signCount++
  }
  if (remaining.startsWith('(') && remaining.endsWith(')')) {
    remaining = remaining.slice(1, -1).trim()
    isNegative = true
    signCount++
  }
  // Refuses two signs, because it is unclear whether they cancel out.
  const amount = signCount > 1 ? undefined : readUnsigned(remaining)
  return amount !== undefined && isNegative ? kobo(-amount) : amount
}

function escapeForPattern(mark: string): string {
  return mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

// A line and its running balance. `line` is undefined if the amount is zero.
type CsvLine = { line: StatementLine | undefined; balanceKobo: Kobo | undefined }
// Returns the trimmed text of a column in the current row; empty if the profile does not have the column.
type Cell = (column: Column) => string
// The values that a row needs to be a line at all.
type LineBasics = Pick<StatementLine, 'lineNo' | 'bookedOn' | 'valueOn' | 'amountKobo' | 'currency'>
type Amount = { amountKobo: Kobo } | { problem: string }

// Converts rows to lines, once the places of the columns are known.
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
  // not a line.
  read(row: CsvRow, currency: string): CsvLine | { problem: string } {
    const cell: Cell = (column) => {
      const place = this.#places[column]
      return place === undefined ? '' : (row.cells[place]?.trim() ?? '')
    }
    const booked = cell('booked')
    const bookedOn = this.#readDay(booked)
    if (bookedOn === undefined) return { problem: this.#describeBadDate(booked) }
    const amount = this.#amountOf(cell)
    if ('problem' in amount) return amount
    const balanceKobo = this.#balanceOf(cell, row.line)
    if (amount.amountKobo === 0n) return { line: undefined, balanceKobo }
    const valueOn = this.#valueDay(cell('value'), row.line)
    const { amountKobo } = amount
    const basics = { lineNo: row.line, bookedOn, valueOn, amountKobo, currency }
    return { line: this.#lineOf(cell, basics), balanceKobo }
  }

  readDay(text: string): string | undefined {
    return this.#readDay(text)
  }

  readAmount(text: string): Kobo | undefined {
    return this.#readAmount(text)
  }

  #describeBadDate(text: string): string {
    if (text === '') return 'The line has no date.'
    const formats = this.#profile.dateFormats.join(' or ')
    return `The date ${quoteShort(text)} is not a day in the format ${formats}.`
  }

  // Returns the value day of a row; null if the row has none.
  #valueDay(text: string, line: number): string | null {
    if (text === '') return null
    const day = this.#readValueDay(text)
    if (day === undefined) throw new StatementProblem(line, this.#describeBadDate(text))
    return day
  }

  // Returns the signed amount of a row, from one column or from the columns debit and credit.
  #amountOf(cell: Cell): Amount {
    return this.#places.amount === undefined ? this.#debitOrCredit(cell) : this.#oneAmount(cell)
  }

  // Returns the amount of a single column, whose sign or indicator shows the direction.
  #oneAmount(cell: Cell): Amount {
    const text = cell('amount')
    const amount = this.#readAmount(text)
    if (amount === undefined) return { problem: describeUnreadable(text) }
    const { indicators, sign } = this.#profile
    if (this.#places.indicator === undefined) {
      return { amountKobo: sign === 'debit_positive' ? kobo(-amount) : amount }
    }
    const indicator = cell('indicator').toUpperCase()
    const isCredit = indicators.credit.includes(indicator)
    if (!isCredit && !indicators.debit.includes(indicator)) {
      return { problem: `${quoteShort(indicator)} says neither debit nor credit.` }
    }
    // Some banks also write a sign. A negative credit contradicts itself.
    if (isCredit && amount < 0n) return { problem: `The credit ${quoteShort(text)} is below zero.` }
    return { amountKobo: isCredit || amount < 0n ? amount : kobo(-amount) }
  }

  // Returns the amount from two columns, of which one must be empty or zero.
  #debitOrCredit(cell: Cell): Amount {
    const [debitText, creditText] = [cell('debit'), cell('credit')]
    if (isEmptyAmount(debitText) && isEmptyAmount(creditText))
      return { problem: 'The line has no amount.' }
    const debit = isEmptyAmount(debitText) ? kobo(0n) : this.#readAmount(debitText)
    const credit = isEmptyAmount(creditText) ? kobo(0n) : this.#readAmount(creditText)
    if (debit === undefined) return { problem: describeUnreadable(debitText) }
    if (credit === undefined) return { problem: describeUnreadable(creditText) }
    if (debit !== 0n && credit !== 0n) return { problem: 'The line is both a debit and a credit.' }
    const debited = this.#profile.isDebitNegative ? kobo(-debit) : debit
    if (debited < 0n || credit < 0n) {
      return {
        problem: `The amount ${quoteShort(debited < 0n ? debitText : creditText)} has a sign.`,
      }
    }
    return { amountKobo: kobo(credit - debited) }
  }

  // Returns the running balance of a row; undefined if the profile has no running balances.
  #balanceOf(cell: Cell, line: number): Kobo | undefined {
    if (this.#profile.balances !== 'running') return undefined
    const text = cell('balance')
    const balance = this.#readAmount(text)
    if (balance === undefined) {
      throw new StatementProblem(line, `The balance ${quoteShort(text)} cannot be read.`)
    }
    return balance
  }

  #lineOf(
    cell: Cell,
    { lineNo, bookedOn, valueOn, amountKobo, currency }: LineBasics,
  ): StatementLine {
    const narration = cleanText(cell('narration'), NARRATION_MAX)
    const named = this.#namedIn(narration)
    const fieldText = (column: Column) => cell(column) || named[column]
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
      sessionId: cleanSessionId(fieldText('sessionId')) ?? findSessionId(narration),
      bankReference: cleanReference(fieldText('bankReference')),
      endToEndId: cleanReference(fieldText('endToEndId')),
      accountNumber: cleanReference(fieldText('accountNumber')),
      counterparty: {
        name: cleanText(fieldText('counterpartyName'), REFERENCE_MAX),
        account: cleanReference(fieldText('counterpartyAccount')),
        bank: cleanReference(fieldText('counterpartyBank')),
      },
      narration,
    }
  }

  // Returns the fields that the patterns of the profile find in a narration. If several patterns name a
  // field, the first decides.
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

// Returns whether the cell has no amount. Spreadsheets print an empty amount as a dash.
function isEmptyAmount(text: string): boolean {
  return text === '' || text === '-'
}

function describeUnreadable(text: string): string {
  return text === '' ? 'The line has no amount.' : `The amount ${quoteShort(text)} cannot be read.`
}

// Quotes a text in a problem, cut to 40 characters.
function quoteShort(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

// readRows() reads the rows of a CSV file (RFC 4180, any delimiter), each with the line on which it begins.
//
// Measured: csv-parse takes 6 µs a row of 140 characters as plain arrays; its casts, its objects and its own
// line numbers would double that. So we count lines: one for each row, and one for each line end in the cells
// of the row.

const CELL_CHARS_MAX = 8_192 // The longest narration that is kept has 1,000.

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
  // Takes the rows that the parser has completed.
  const takeRows = () => {
    const rows: CsvRow[] = []
    for (let cells = parser.read(); cells !== null; cells = parser.read()) {
      rows.push({ cells, line })
      line += 1 + lineEnds(cells, line)
    }
    return rows
  }
  try {
    for await (const piece of text) {
      // The parser works synchronously, so its rows can be read at once.
      parser.write(piece)
      yield takeRows()
      if (parser.errored) throw parser.errored
    }
    parser.end()
    await ended
    yield takeRows()
  } catch (error) {
    throw error instanceof CsvError ? toStatementProblem(error, line) : error
  } finally {
    parser.destroy()
  }
}

// Counts the line ends within the cells of a row. Refuses a cell that is too long.
function lineEnds(cells: readonly string[], line: number): number {
  let count = 0
  for (const cell of cells) {
    if (cell.length > CELL_CHARS_MAX) {
      throw new StatementProblem(line, `A cell is longer than ${CELL_CHARS_MAX} characters.`)
    }
    for (let index = cell.indexOf('\n'); index >= 0; index = cell.indexOf('\n', index + 1)) count++
  }
  return count
}

// Returns the problem for an error of the parser. The parser is ahead of the rows read from it, so the error
// names its own line.
function toStatementProblem(error: CsvError, line: number): StatementProblem {
  const errorLine = typeof error.lines === 'number' ? error.lines : line
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new StatementProblem(errorLine, `A row is longer than ${LINE_CHARS_MAX} characters.`)
  }
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return new StatementProblem(errorLine, 'A quote is opened and not closed.')
  }
  return new StatementProblem(
    errorLine,
    'A quote stands within a cell, or text after a closing quote.',
  )
}

// Besides the lines, a file has a header row, which shows the place of each column, and labelled values, such
// as "Account Number: 0123456789". The value is in the same cell as the label or in the next cell that is not
// empty.

export type Places = Readonly<Partial<Record<Column, number>>> // From 0.

// The header must be among this many rows: banks print addresses and summaries above the table.
export const HEADER_ROWS_MAX = 100

// Returns the places of the columns if the row is the header, otherwise undefined. A header has every column
// that the profile names.
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

// Returns the problem of a file in which no row is the header.
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

// The labelled values of a statement. Keeps the first value of each label, with its line in the file.
export class LabelledValues {
  readonly #labels: readonly (readonly [Label, RegExp])[]
  readonly #found = new Map<Label, { text: string; line: number }>()

  constructor(labels: CsvProfile['labels']) {
    this.#labels = Object.entries(labels) as [Label, RegExp][]
  }

  // Takes the labelled values of a row. Returns whether the row has a label.
  take({ cells, line }: CsvRow): boolean {
    let isLabelled = false
    for (const [label, pattern] of this.#labels) {
      const labelAt = cells.findIndex((cell) => pattern.test(cell.trim()))
      if (labelAt === -1) continue
      isLabelled = true
      const inSameCell = pattern.exec((cells[labelAt] as string).trim())?.groups?.value?.trim()
      const text = inSameCell || cells.slice(labelAt + 1).find((cell) => cell.trim() !== '')
      if (text && !this.#found.has(label)) this.#found.set(label, { text: text.trim(), line })
    }
    return isLabelled
  }

  find(label: Label): { text: string; line: number } | undefined {
    return this.#found.get(label)
  }
}

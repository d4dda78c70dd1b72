// Reads a statement that a bank exports as CSV, by the bank's profile. One file is one statement.
//
//   rows above the header   labelled values (account number, balances, period)
//   rows below the header   lines, labelled values, and rows that the profile ignores. Any other row makes
//                           the service refuse the file, and the problem names the line of that row
//
// A running balance is checked line by line. If the newest line comes first, each balance less its amount is
// the balance of the next line, and the opening balance is known only at the end.

import { formatKobo, type Kobo, kobo } from '#money.ts'
import {
  CsvLines,
  type CsvRow,
  HEADER_ROWS_MAX,
  LabelledValues,
  missingHeader,
  type Places,
  placesIn,
  readRows,
} from './csv-lines.ts'
import type { CsvProfile, Label } from './csv-profile.ts'
import { decodeText } from './decode.ts'
import { cleanReference } from './lines.ts'
import {
  checkSum,
  type StatementHead,
  type StatementLine,
  type StatementPart,
  StatementProblem,
} from './statement.ts'

const BLANK_ROWS_MAX = 10_000

// Yields the parts of the statement, one batch of lines for each piece of the file.
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  profile: CsvProfile,
): AsyncGenerator<StatementPart> {
  const statement = new CsvStatement(profile)
  const text = decodeText(bytes, { encoding: profile.encoding })
  for await (const rows of readRows(text, profile)) {
    const { head, lines, problem } = takeRows(statement, rows)
    if (head) yield { part: 'opening', statement: head }
    if (lines.length > 0) yield { part: 'lines', lines }
    if (problem !== undefined) throw problem // After the lines above it, which may have an earlier problem.
  }
  yield* statement.close()
}

type RowResult = { head: StatementHead | undefined; lines: StatementLine[]; problem: unknown }

// Takes a batch of rows, up to the first problem. The caller yields the lines before it throws the problem.
function takeRows(statement: CsvStatement, rows: readonly CsvRow[]): RowResult {
  const result: RowResult = { head: undefined, lines: [], problem: undefined }
  try {
    for (const row of rows) {
      const line = statement.take(row)
      if (!line) continue
      if (statement.lines === 1) result.head = statement.head()
      result.lines.push(line)
    }
  } catch (error) {
    result.problem = error
  }
  return result
}

// The statement of one file, with its sums and balances so far.
class CsvStatement {
  lines = 0
  readonly #profile: CsvProfile
  readonly #labels: LabelledValues
  readonly #reader: CsvLines // Reads days and amounts before the columns are known.
  #rows = 0
  #blankRows = 0
  #width = 0
  #table: CsvLines | undefined
  #sumKobo = 0n
  #openingKobo: Kobo | undefined
  #balanceKobo: Kobo | undefined // The balance that the next line is checked against.
  #closingKobo: Kobo | undefined
  #lastLine = 1
  #lastDay: string | undefined
  #isOpeningLate = false // Whether the opening part lacked the opening balance; the closing part then has it.

  constructor(profile: CsvProfile) {
    this.#profile = profile
    this.#labels = new LabelledValues(profile.labels)
    this.#reader = new CsvLines(profile, {})
  }

  // Takes the next row. Returns its line, or undefined if it is no line.
  take(row: CsvRow): StatementLine | undefined {
    if (row.cells.every((cell) => cell.trim() === '')) return this.#passBlank(row)
    if (++this.#rows <= this.#profile.skippedRows) return undefined
    if (!this.#table) {
      if (this.#profile.hasHeader) return this.#takeAbove(row)
      this.#begin(row, placesIn(row, this.#profile) as Places)
    }
    return this.#takeBelow(row)
  }

  // Spreadsheets leave empty rows. Refuses a file that has far more empty rows than other rows.
  #passBlank({ line }: CsvRow): undefined {
    if (++this.#blankRows <= BLANK_ROWS_MAX + this.#rows) return
    throw new StatementProblem(line, 'The file has too many empty rows.')
  }

  // Returns the opening part. Call it after the first line, whose running balance gives the opening balance.
  head(): StatementHead {
    const { balances, isNewestFirst } = this.#profile
    const labelled = balances === 'none' ? undefined : this.#labelledAmount('opening')?.kobo
    const isOpeningFirst = balances === 'running' && !isNewestFirst
    const openingKobo = isOpeningFirst ? (this.#openingKobo ?? labelled) : labelled
    this.#isOpeningLate = openingKobo === undefined
    return {
      accountNumber: cleanReference(this.#labels.find('accountNumber')?.text),
      reference: null,
      sequence: null,
      currency: this.#currency(),
      openingKobo: openingKobo ?? null,
      fromDay: this.#labelledDay('from'),
    }
  }

  // Checks the balances, and yields the closing part. An opening balance that was unknown at the first line
  // is part of it.
  *close(): Generator<StatementPart> {
    if (!this.#table) throw missingHeader(this.#profile)
    if (this.lines === 0) yield { part: 'opening', statement: this.#emptyHead() }
    this.#checkBalances()
    const openingKobo = this.#openingKobo
    const toDay = this.#labelledDay('to') ?? this.#lastDay ?? null
    const closing = { closingKobo: this.#closingKobo ?? null, toDay }
    const fromDay = this.#labelledDay('from')
    if (fromDay && toDay && fromDay > toDay) {
      throw new StatementProblem(null, `The statement runs from ${fromDay} to ${toDay}.`)
    }
    const isLate = openingKobo !== undefined && this.#isOpeningLate
    yield { part: 'closing', closing: isLate ? { openingKobo, ...closing } : closing }
  }

  // Takes a row above the header, or the header itself.
  #takeAbove(row: CsvRow): undefined {
    const places = placesIn(row, this.#profile)
    if (places) this.#begin(row, places)
    else if (this.#rows - this.#profile.skippedRows > HEADER_ROWS_MAX) {
      throw missingHeader(this.#profile)
    } else this.#labels.take(row)
  }

  #begin(row: CsvRow, places: Places): void {
    this.#table = new CsvLines(this.#profile, places)
    this.#width = row.cells.length
  }

  #takeBelow(row: CsvRow): StatementLine | undefined {
    this.#lastLine = row.line
    const result = (this.#table as CsvLines).read(row, this.#currency())
    if ('problem' in result) {
      if (this.#isIgnorable(row)) return undefined
      throw new StatementProblem(row.line, result.problem)
    }
    const hasExtraCells = row.cells.slice(this.#width).some((cell) => cell.trim() !== '')
    if (hasExtraCells && this.#profile.hasHeader) {
      const message = `The line has more cells than the header, which has ${this.#width}.`
      throw new StatementProblem(row.line, message)
    }
    const { line, balanceKobo } = result
    this.#checkRunningBalance(line?.amountKobo ?? kobo(0n), balanceKobo, row)
    if (!line) return undefined
    this.lines++
    if (this.#lastDay === undefined || line.bookedOn > this.#lastDay) this.#lastDay = line.bookedOn
    return line
  }

  // Returns whether the row is a label, a total or a repeated header, none of which has both a date and an
  // amount.
  #isIgnorable(row: CsvRow): boolean {
    if (this.#labels.take(row)) return true
    if (this.#profile.hasHeader && placesIn(row, this.#profile)) return true
    return this.#profile.ignoredRows.some((pattern) =>
      row.cells.some((cell) => pattern.test(cell.trim())),
    )
  }

  // Adds a line to the sum, and checks its running balance against the line before.
  #checkRunningBalance(amountKobo: Kobo, balanceKobo: Kobo | undefined, { line }: CsvRow): void {
    this.#sumKobo += amountKobo
    if (balanceKobo === undefined) return
    const before = kobo(balanceKobo - amountKobo)
    if (this.#profile.isNewestFirst) {
      this.#requireBalance(balanceKobo, this.#balanceKobo, line)
      this.#closingKobo ??= balanceKobo
      this.#balanceKobo = before
      this.#openingKobo = before
      return
    }
    const opening = this.#balanceKobo ?? this.#labelledAmount('opening')?.kobo
    this.#openingKobo ??= opening ?? before
    this.#requireBalance(
      balanceKobo,
      opening === undefined ? undefined : kobo(opening + amountKobo),
      line,
    )
    this.#balanceKobo = balanceKobo
    this.#closingKobo = balanceKobo
  }

  // Throws a problem if the balance is not the expected one.
  #requireBalance(balance: Kobo, expected: Kobo | undefined, line: number): void {
    if (expected === undefined || expected === balance) return
    const difference = formatKobo(kobo(balance - expected))
    const actual = `and is ${formatKobo(balance)}: a difference of ${difference}.`
    throw new StatementProblem(line, `The balance should be ${formatKobo(expected)}, ${actual}`)
  }

  // Checks at the end that the opening balance and the lines make the closing balance.
  #checkBalances(): void {
    if (this.#profile.balances === 'none') return
    const [opening, closing] = [this.#labelledAmount('opening'), this.#labelledAmount('closing')]
    if (this.#profile.balances === 'labelled' && (!opening || !closing)) {
      const missingBalance = opening ? 'closing' : 'opening'
      throw new StatementProblem(null, `The file does not state its ${missingBalance} balance.`)
    }
    this.#openingKobo ??= opening?.kobo
    const line = closing?.line ?? this.#lastLine
    this.#closingKobo = closing?.kobo ?? this.#closingKobo
    if (this.#openingKobo === undefined || this.#closingKobo === undefined) return
    const sumKobo = kobo(this.#sumKobo)
    const openingKobo = opening?.kobo ?? this.#openingKobo
    checkSum({ openingKobo, sumKobo, closingKobo: this.#closingKobo, line })
  }

  // Returns the opening part of a file without lines. Such a file is a statement if it names its period and
  // its opening balance.
  #emptyHead(): StatementHead {
    const head = this.head()
    const hasDay = head.fromDay !== null && this.#labelledDay('to') !== null
    if (hasDay && head.openingKobo !== null) {
      this.#openingKobo = head.openingKobo
      this.#closingKobo ??= head.openingKobo
      return head
    }
    throw new StatementProblem(this.#lastLine, 'The file has no lines.')
  }

  // Returns the currency that the file names, or else that of the profile.
  #currency(): string {
    const label = this.#labels.find('currency')
    if (!label) return this.#profile.currency
    if (/^[A-Z]{3}$/i.test(label.text)) return label.text.toUpperCase()
    if (/\bnaira\b/i.test(label.text)) return 'NGN'
    throw new StatementProblem(label.line, 'The currency is not a code of three letters.')
  }

  #labelledAmount(label: Label): { kobo: Kobo; line: number } | undefined {
    const value = this.#labels.find(label)
    if (!value) return undefined
    const amount = this.#reader.readAmount(value.text)
    if (amount !== undefined) return { kobo: amount, line: value.line }
    throw new StatementProblem(value.line, `The ${label} balance cannot be read.`)
  }

  #labelledDay(label: Label): string | null {
    const value = this.#labels.find(label)
    if (!value) return null
    const day = this.#reader.readDay(value.text)
    if (day !== undefined) return day
    const message = `The day that the statement runs ${label} cannot be read.`
    throw new StatementProblem(value.line, message)
  }
}

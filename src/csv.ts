// The text of CSV files, of the service and of the rows that a user selects in the dashboard.
//
// A cell that a spreadsheet would read as a formula (= + - @) is prefixed with an apostrophe, and so is a
// formula after a separator at which some locales split. A cell with separators is quoted. Amounts stay
// unchanged.
//
// For a spreadsheet, digits that are not an amount (session ids, bank codes, account numbers) are written as
// ="0001", which spreadsheets read as text. Otherwise they would drop leading zeros and round 30 digits.

export type Cell = string | number | boolean | null | undefined

const BYTE_ORDER_MARK = '\ufeff' // Declares UTF-8.
const LINE_END = '\r\n'

// Returns the line with the names of the columns. `hasMark` puts the byte order mark before it.
export function headerLine(names: readonly string[], hasMark: boolean): string {
  return `${hasMark ? BYTE_ORDER_MARK : ''}${csvLine(names)}`
}

// Returns a line of cells that are written by cellText().
export function csvLine(cells: readonly string[]): string {
  return cells.join(',') + LINE_END
}

// Formats our timestamps, which are in West Africa Time, as yyyy-MM-dd HH:mm:ss for spreadsheets: they do not
// read a fraction or an offset as parts of a date.
export function plainTime(timestamp: string): string {
  return timestamp.slice(0, 'yyyy-MM-ddTHH:mm:ss'.length).replace('T', ' ')
}

// A sign that begins a formula, with the whole run before it of what a spreadsheet skips or splits at.
const FORMULA =
  /(?<![;|\s"\p{Cc}\u200b\ufeff])([;|\s"\p{Cc}\u200b\ufeff]*)([=+\-@\uff1d\uff0b\uff0d\uff20\u2212])/gu
// Fast path for most cells: nothing to quote, and no formula.
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9 ._/:-]*$/
const AMOUNT = /^-?[0-9]+(?:\.[0-9]+)?$/
// Text that a spreadsheet would read as a number: digits, a telephone number, 1E10.
const DIGITS = /^\+?[0-9]+(?:[eE][0-9]+)?$/
const NEEDS_QUOTES = /[",;|\t\r\n]/

// Returns the cell as the file has it: with an apostrophe before anything that a spreadsheet would read as a
// formula, and quoted if necessary. `isForSpreadsheet` writes digits as ="0001", which stays text.
export function cellText(cell: Cell, isForSpreadsheet = false): string {
  if (cell === null || cell === undefined) return ''
  const text = String(cell)
  if (isForSpreadsheet && typeof cell === 'string' && DIGITS.test(text)) return `"=""${text}"""`
  if (text === '' || PLAIN.test(text)) return text
  const safe = AMOUNT.test(text) ? text : withoutFormulas(text)
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

// Puts an apostrophe wherever a spreadsheet could begin to read a formula: at the start of the cell, and
// after the last separator before the sign. A blank that some programs split at, such as a tab, counts as
// both.
function withoutFormulas(text: string): string {
  const safe = text.replace(FORMULA, (_, run: string, sign: string, offset: number) => {
    const lastSeparator = Math.max(run.lastIndexOf(';'), run.lastIndexOf('|'))
    const start = Math.max(lastSeparator, 0)
    const guarded = run.slice(0, start) + run.slice(start).replace(/[;|\t\r\n]+/g, "$&'")
    return `${offset === 0 && lastSeparator < 0 ? "'" : ''}${guarded}${sign}`
  })
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}

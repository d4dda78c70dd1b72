// Reads a CSV file of collection accounts. It may have commas, semicolons or tabs as separators, quoted
// cells, and a byte order mark. The API validates the cells.

import type { components } from '../../../../sdk/src/api-types.ts'
import { accountsStrings } from '../../../copy.ts'

type Schemas = components['schemas']

export type Row = {
  line: number // The line number, from 1.
  cells: readonly string[]
  account: Schemas['AccountRequest']
  faults: readonly Schemas['FieldError'][]
}

const REQUIRED = [
  'accountName',
  'bvn',
  'email',
  'phoneNumber',
  'merchantId',
  'merchantCode',
  'notificationUrl',
] as const
const OPTIONAL = ['channel', 'nin', 'kycTier', 'verifiedName', 'banks', 'splitCode'] as const
const CHANNEL = 'dashboard'
export const ROWS_MAX = 5_000

const EXAMPLE =
  'Ada Obi,22212345654,ada@shop.example,+2348012345678,42,SHOP,https://shop.example/hooks'
export const TEMPLATE = `${REQUIRED.join(',')},kycTier\r\n${EXAMPLE},3\r\n`

const { problems: strings } = accountsStrings.upload

export class WrongFile extends Error {}

export type AccountFile = { header: readonly string[]; rows: readonly Row[] }

// Throws WrongFile if the file as a whole is unusable. Cells are not checked here.
export function readAccounts(text: string): AccountFile {
  const [header, ...lines] = parseCsv(text.replace(/^\ufeff/, ''))
  if (!header || lines.length === 0) throw wrongFile(strings.empty)
  const names = header.cells.map((cell) => cell.trim())
  checkHeader(names)
  if (lines.length > ROWS_MAX) throw wrongFile(strings.tooMany(`${ROWS_MAX}`))
  // A line with more cells than the header has gets an error, because its cells may be shifted.
  const rows = lines.map(({ line, cells }): Row => {
    const values = Object.fromEntries(
      names.map((name, index) => [name, cells[index]?.trim() ?? '']),
    )
    const faults = cells.length > names.length ? [{ field: '', message: strings.cells }] : []
    return { line, cells, account: toAccount(values), faults }
  })
  return { header: names, rows }
}

// The header must have each required column, no unknown column and none twice.
function checkHeader(names: readonly string[]): void {
  const allowedNames: readonly string[] = [...REQUIRED, ...OPTIONAL]
  const unknown = names.filter((name) => !allowedNames.includes(name))
  const missing = REQUIRED.filter((name) => !names.includes(name))
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  if (missing.length > 0) throw wrongFile(strings.missing(missing.join(', ')))
  if (unknown.length > 0) throw wrongFile(strings.unknown(unknown.join(', ')))
  if (repeated.length > 0) throw wrongFile(strings.twice(repeated.join(', ')))
}

// Makes the account from the cells of a line, which `values` has by column. Omits empty optional cells.
function toAccount(values: Record<string, string>): Row['account'] {
  const { kycTier, banks, channel } = values
  const required = Object.fromEntries(REQUIRED.map((name) => [name, values[name] ?? '']))
  const optional = (['nin', 'verifiedName', 'splitCode'] as const).filter((name) => values[name])
  const account = {
    ...required,
    channel: channel || CHANNEL,
    ...Object.fromEntries(optional.map((name) => [name, values[name]])),
    ...(kycTier ? { kycTier: /^[0-9]$/.test(kycTier) ? Number(kycTier) : kycTier } : {}),
    ...(banks ? { banks: banks.split(/[\s,;|]+/).filter(Boolean) } : {}),
  }
  return account as Row['account'] // The API validates each row.
}

type Line = { line: number; cells: string[] }

// Splits a CSV into lines of cells. The separator is the one that occurs most often in the first line. A
// quoted cell may contain line breaks, so a line number is that of the line's first character. Blank lines
// are skipped.
function parseCsv(text: string): Line[] {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const count = (separator: string) => firstLine.split(separator).length
  const separator = [',', ';', '\t'].reduce((best, candidate) =>
    count(candidate) > count(best) ? candidate : best,
  )
  // Matches a quoted or plain cell, and the separator or line end after it.
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"[^\\S\\r\\n]*|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`,
    'y',
  )
  const lines: Line[] = []
  let line = 1
  let current: Line = { line, cells: [] }
  while (cell.lastIndex < text.length || current.cells.length > 0) {
    const startIndex = cell.lastIndex
    const match = cell.exec(text)
    if (!match || (match[1] === undefined && match[2]?.trimStart().startsWith('"'))) {
      throw wrongFile(strings.quote(line))
    }
    const [wholeMatch, quoted, plain, end] = match
    current.cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    line += wholeMatch.split(/\r\n|\r|\n/).length - 1
    if (end !== separator) {
      if (current.cells.some((text) => text.trim() !== '')) lines.push(current)
      current = { line, cells: [] }
    }
    // An empty match at the end of the text would repeat without end.
    if (cell.lastIndex === startIndex && end === '') break
  }
  return lines
}

const wrongFile = (message: string) => new WrongFile(message)

// Returns a line of CSV. A cell that a spreadsheet would run as a formula gets an apostrophe; phone numbers
// stay as they are.
export function csvLine(cells: readonly string[]): string {
  const escaped = cells.map((cell) => {
    const isHarmless = /^\+?[0-9]+$/.test(cell) || !/^\s*[=+\-@]/.test(cell)
    return `"${(isHarmless ? cell : `'${cell}`).replaceAll('"', '""')}"`
  })
  return `${escaped.join(',')}\r\n`
}

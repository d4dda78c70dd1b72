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

const NEEDED = [
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
export const TEMPLATE = `${NEEDED.join(',')},kycTier\r\n${EXAMPLE},3\r\n`

const { problems: strings } = accountsStrings.upload

export class WrongFile extends Error {}

export type AccountFile = { header: readonly string[]; rows: readonly Row[] }

export function readAccounts(text: string): AccountFile {
  const [header, ...lines] = parseCsv(text.replace(/^\ufeff/, ''))
  if (!header || lines.length === 0) throw refused(strings.empty)
  const names = header.cells.map((cell) => cell.trim())
  checkHeader(names)
  if (lines.length > ROWS_MAX) throw refused(strings.tooMany(`${ROWS_MAX}`))
  const rows = lines.map(({ line, cells }): Row => {
    const values = Object.fromEntries(names.map((name, at) => [name, cells[at]?.trim() ?? '']))
    const faults = cells.length > names.length ? [{ field: '', message: strings.cells }] : []
    return { line, cells, account: accountOf(values), faults }
  })
  return { header: names, rows }
}

function checkHeader(names: readonly string[]): void {
  const known: readonly string[] = [...NEEDED, ...OPTIONAL]
  const unknown = names.filter((name) => !known.includes(name))
  const missing = NEEDED.filter((name) => !names.includes(name))
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  if (missing.length > 0) throw refused(strings.missing(missing.join(', ')))
  if (unknown.length > 0) throw refused(strings.unknown(unknown.join(', ')))
  if (twice.length > 0) throw refused(strings.twice(twice.join(', ')))
}

// Omits empty optional cells.
function accountOf(values: Record<string, string>): Row['account'] {
  const { kycTier, banks, channel } = values
  const needed = Object.fromEntries(NEEDED.map((name) => [name, values[name] ?? '']))
  const optional = (['nin', 'verifiedName', 'splitCode'] as const).filter((name) => values[name])
  const account = {
    ...needed,
    channel: channel || CHANNEL,
    ...Object.fromEntries(optional.map((name) => [name, values[name]])),
    ...(kycTier ? { kycTier: /^[0-9]$/.test(kycTier) ? Number(kycTier) : kycTier } : {}),
    ...(banks ? { banks: banks.split(/[\s,;|]+/).filter(Boolean) } : {}),
  }
  return account as Row['account'] // The API validates each row.
}

type Line = { line: number; cells: string[] }

// Uses the most frequent separator of the first line. Skips blank lines.
function parseCsv(text: string): Line[] {
  const first = text.slice(0, text.search(/[\r\n]|$/))
  const count = (separator: string) => first.split(separator).length
  const separator = [',', ';', '\t'].reduce((best, each) =>
    count(each) > count(best) ? each : best,
  )
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"[^\\S\\r\\n]*|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`,
    'y',
  )
  const lines: Line[] = []
  let line = 1
  let current: Line = { line, cells: [] }
  while (cell.lastIndex < text.length || current.cells.length > 0) {
    const from = cell.lastIndex
    const found = cell.exec(text)
    if (!found || (found[1] === undefined && found[2]?.trimStart().startsWith('"'))) {
      throw refused(strings.quote(line))
    }
    const [whole, quoted, plain, end] = found
    current.cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    line += whole.split(/\r\n|\r|\n/).length - 1
    if (end !== separator) {
      if (current.cells.some((text) => text.trim() !== '')) lines.push(current)
      current = { line, cells: [] }
    }
    if (cell.lastIndex === from && end === '') break
  }
  return lines
}

const refused = (message: string) => new WrongFile(message)

// Returns a line of CSV. Escapes cells that a spreadsheet would read as formulas, except phone numbers.
export function csvLine(cells: readonly string[]): string {
  const written = cells.map((cell) => {
    const isPlain = /^\+?[0-9]+$/.test(cell) || !/^\s*[=+\-@]/.test(cell)
    return `"${(isPlain ? cell : `'${cell}`).replaceAll('"', '""')}"`
  })
  return `${written.join(',')}\r\n`
}

// Text for people and for pipes. On a terminal: tables and details with headers and colours.
// Elsewhere: tab-separated lines without them. Control characters are removed from data, so that no
// name can move the cursor or change colours.

import { styleText } from 'node:util'
import type { Terminal } from './terminal.ts'

export type Color = 'green' | 'red' | 'yellow' | 'dim' | 'bold'
type Cell = string | number | boolean | null | undefined
export type Column<Row> = {
  title: string
  value(row: Row): Cell
  isRight?: boolean
  isExtra?: boolean
}
type Look = Pick<Terminal, 'isTerminal' | 'hasColor' | 'columns'>

const GAP = '  '

export function paint({ hasColor }: Pick<Look, 'hasColor'>, color: Color, text: string): string {
  return hasColor ? styleText(color, text, { validateStream: false }) : text
}

export function plain(cell: Cell): string {
  return String(cell ?? '').replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

// Formats rows as a table. On a narrow terminal, extra columns are dropped, the last ones first, to keep
// references complete.
export function table<Row>(
  look: Look,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string {
  if (rows.length === 0) return look.isTerminal ? 'None.' : ''
  const extra = columns.findLast(({ isExtra }) => isExtra)
  const text = layOut(look, columns, rows)
  const isWide = text.split('\n').some((line) => widthOf(line) > look.columns)
  if (look.isTerminal && isWide && extra) {
    return table(
      look,
      columns.filter((column) => column !== extra),
      rows,
    )
  }
  if (!look.isTerminal) return text
  const [titles = '', ...lines] = text.split('\n').map((line) => fit(line, look.columns))
  return [paint(look, 'dim', titles), ...lines].join('\n')
}

function layOut<Row>(look: Look, columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map(({ value }) => plain(value(row))))
  if (!look.isTerminal) return cells.map((line) => line.join('\t')).join('\n')
  const titles = columns.map(({ title }) => title.toUpperCase())
  const widths = columns.map((_, at) =>
    Math.max(...[titles, ...cells].map((line) => widthOf(line[at] as string))),
  )
  const lay = (line: readonly string[]) => {
    const padded = line.map((cell, at) => pad(cell, widths[at] as number, columns[at]?.isRight))
    return padded.join(GAP).trimEnd()
  }
  return [titles, ...cells].map(lay).join('\n')
}

// Formats fields one per line. Omits fields without a value.
export function details(look: Look, fields: readonly (readonly [string, Cell])[]): string {
  const visible = fields
    .map(([name, cell]) => [name, plain(cell)] as const)
    .filter(([, text]) => text)
  if (!look.isTerminal) return visible.map((field) => field.join('\t')).join('\n')
  const width = Math.max(...visible.map(([name]) => name.length))
  return visible
    .map(([name, text]) => paint(look, 'dim', name.padEnd(width)) + GAP + text)
    .join('\n')
}

export function naira(amount: number | null | undefined, currency?: string | null): string {
  if (amount === null || amount === undefined) return ''
  const text = amount.toLocaleString('en-NG', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
  return currency ? `${currency} ${text}` : text
}

// Formats a timestamp of the service, which is in Nigerian time, to the second.
export function time(iso: string | null | undefined): string {
  return iso ? iso.slice(0, 19).replace('T', ' ') : ''
}

function pad(text: string, width: number, isRight = false): string {
  const blank = ' '.repeat(width - widthOf(text))
  return isRight ? blank + text : text + blank
}

function fit(line: string, columns: number): string {
  return widthOf(line) > columns ? `${[...line].slice(0, columns - 1).join('')}…` : line
}

function widthOf(text: string): number {
  return [...text].length
}

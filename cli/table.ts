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
  isRight?: boolean // Right-aligned, for numbers.
  isExtra?: boolean // Dropped first if the terminal is too narrow.
}
type Style = Pick<Terminal, 'isTerminal' | 'hasColor' | 'columns'>

const GAP = '  '

export function paint({ hasColor }: Pick<Style, 'hasColor'>, color: Color, text: string): string {
  return hasColor ? styleText(color, text, { validateStream: false }) : text
}

// Replaces control characters and line breaks with a space.
export function cleanText(cell: Cell): string {
  return String(cell ?? '').replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

// Formats rows as a table. If the terminal is too narrow, extra columns are dropped, the last one first,
// because a truncated reference would be useless.
export function table<Row>(
  style: Style,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string {
  if (rows.length === 0) return style.isTerminal ? 'None.' : ''
  const extra = columns.findLast(({ isExtra }) => isExtra)
  const text = layOut(style, columns, rows)
  const isWide = text.split('\n').some((line) => widthOf(line) > style.columns)
  if (style.isTerminal && isWide && extra) {
    return table(
      style,
      columns.filter((column) => column !== extra),
      rows,
    )
  }
  if (!style.isTerminal) return text
  const [titles = '', ...lines] = text.split('\n').map((line) => truncate(line, style.columns))
  return [paint(style, 'dim', titles), ...lines].join('\n')
}

// Pads the cells to columns; for a pipe it separates them with tabs.
function layOut<Row>(style: Style, columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map(({ value }) => cleanText(value(row))))
  if (!style.isTerminal) return cells.map((line) => line.join('\t')).join('\n')
  const titles = columns.map(({ title }) => title.toUpperCase())
  const widths = columns.map((_, index) =>
    Math.max(...[titles, ...cells].map((line) => widthOf(line[index] as string))),
  )
  // Pads each cell of a line to the width of its column.
  const alignLine = (line: readonly string[]) => {
    const padded = line.map((cell, index) =>
      alignText(cell, widths[index] as number, columns[index]?.isRight),
    )
    return padded.join(GAP).trimEnd()
  }
  return [titles, ...cells].map(alignLine).join('\n')
}

// Formats fields one per line. Omits fields without a value.
export function details(style: Style, fields: readonly (readonly [string, Cell])[]): string {
  const visible = fields
    .map(([name, cell]) => [name, cleanText(cell)] as const)
    .filter(([, text]) => text)
  if (!style.isTerminal) return visible.map((field) => field.join('\t')).join('\n')
  const width = Math.max(...visible.map(([name]) => name.length))
  return visible
    .map(([name, text]) => paint(style, 'dim', name.padEnd(width)) + GAP + text)
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

function alignText(text: string, width: number, isRight = false): string {
  const blank = ' '.repeat(width - widthOf(text))
  return isRight ? blank + text : text + blank
}

function truncate(line: string, columns: number): string {
  return widthOf(line) > columns ? `${[...line].slice(0, columns - 1).join('')}…` : line
}

function widthOf(text: string): number {
  return [...text].length
}

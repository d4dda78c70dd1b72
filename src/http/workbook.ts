// Exports as .xlsx, beside every .csv: the same rows, with typed cells. Amounts are numbers, times are dates,
// and everything else is text, so that a session id keeps its 30 digits and a bank code its zeros. A text
// cell is never a formula, so nothing is escaped.
//
// hucre writes the file while the rows are read, so memory does not grow with the rows.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { type ColumnDef, writeXlsxStream } from 'hucre/xlsx'
import type { Cell } from '#csv.ts'

// The name of a column, the function that reads its cell from a row, and its type if it is not text.
export type Columns<Row> = readonly (readonly [
  name: string,
  read: (row: Row) => Cell,
  kind?: 'amount' | 'time' | undefined,
])[]

export const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const FORMATS = { amount: '#,##0.00', time: 'yyyy-mm-dd hh:mm:ss', text: '@' } as const
const WIDTHS = { amount: 16, time: 20, text: 22 } as const
// A spreadsheet's numbers have 15 digits. A larger amount is text, because a number would be wrong.
const DIGITS_MAX = 15
const DAY_LENGTH = 'yyyy-MM-dd'.length

type Value = string | number | boolean | Date | null

export function workbookOf<Row>(
  columns: Columns<Row>,
  batches: AsyncIterable<readonly Row[]>,
): ReadableStream<Uint8Array> {
  const head = columns.map(([header, , type]): ColumnDef => {
    const kind = type ?? 'text'
    return { header, numFmt: FORMATS[kind], width: WIDTHS[kind] }
  })
  async function* rows() {
    for await (const batch of batches) {
      for (const row of batch) yield columns.map(([, read, kind]) => toValue(read(row), kind))
    }
  }
  return writeXlsxStream(rows(), { name: 'Export', columns: head, freezePane: { rows: 1 } })
}

function toValue(cell: Cell, kind: Columns<never>[number][2]): Value {
  if (cell === null || cell === undefined || cell === '') return null
  if (typeof cell !== 'string') return cell
  if (kind === 'amount' && cell.replace(/\D/g, '').length <= DIGITS_MAX) return Number(cell)
  return kind === 'time' ? toDate(cell) : cell
}

// Times are in West Africa Time, and dates in a workbook have no offset, so the digits stay the same.
function toDate(text: string): Date | string {
  const digits = text.length === DAY_LENGTH ? text : text.slice(0, 'yyyy-MM-ddTHH:mm:ss'.length)
  const date = new Date(digits.length === DAY_LENGTH ? digits : `${digits}Z`)
  return Number.isNaN(date.getTime()) ? text : date
}

const CSV_END = /\.csv$/

// Registers a twin `….xlsx` of every route `….csv`. The export reads the route to see which of the two it
// serves.
export function addWorkbooks(app: FastifyInstance): void {
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    if (route.method !== 'GET' || !CSV_END.test(route.url)) return
    this.route({ ...route, url: route.url.replace(CSV_END, '.xlsx'), schema: twinOf(route) })
  })
}

export function isWorkbook(url: string | undefined): boolean {
  return url?.endsWith('.xlsx') === true
}

function twinOf({ schema = {} }: RouteOptions): object {
  const { operationId, summary, querystring, ...rest } = schema
  const { properties } = querystring as { properties: object }
  const fields = Object.entries(properties).filter(([name]) => name !== 'for')
  return {
    ...rest,
    operationId: `${operationId}Xlsx`,
    summary: summary?.replace('CSV', 'XLSX'),
    description: 'The rows of the CSV with typed cells: numbers, dates and text.',
    querystring: { ...(querystring as object), properties: Object.fromEntries(fields) },
    response: { 200: { content: { [WORKBOOK]: { schema: Type.String({ format: 'binary' }) } } } },
  }
}

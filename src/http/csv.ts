// Exports as CSV and as workbooks, streamed batch by batch at the client's pace: a list of millions needs the
// memory of one batch, and no database connection while a slow client reads.
//
// A byte order mark declares UTF-8. On error the connection is cut: a file that ends cleanly is complete.
//
// With `for=spreadsheet`, digits are written as text (src/csv.ts). Times lose their fraction and offset,
// which spreadsheets do not read as a date.
//
// With `columns`, a file has only those columns.
//
// Every export is also available as a workbook with typed cells (workbookOf). Scheduled reports choose from
// all exports (ExportRegistry).

import { Readable } from 'node:stream'
import { Type } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import { type ColumnDef, writeXlsxStream } from 'hucre/xlsx'
import type { Scope } from '#access/permissions.ts'
import { watDay } from '#clock.ts'
import { type Cell, cellText } from '#csv.ts'
import { keepReading } from '#db/replica.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo, koboOf } from '#money.ts'
import { parseWindow } from './lists.ts'

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'
const CSV_END = /\.csv$/
// A client that stops reading is disconnected after this time.
const STALLED_MS = 60_000
export const EXPORTS_MAX = 3 // Concurrent exports per client and process.

export const FileQuery = {
  for: Type.Optional(
    Type.Unsafe<'spreadsheet'>({
      type: 'string',
      enum: ['spreadsheet'],
      description:
        'Writes digits that are no amount as ="0001", so that spreadsheets keep them. For people ' +
        'who open the file, not for programs.',
      'x-says': 'Must be spreadsheet.',
    }),
  ),
  columns: Type.Optional(
    Type.String({
      maxLength: 1_000,
      pattern: '^[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*$',
      description: 'The columns of the file, in this order, separated by commas. Default: all.',
      'x-says': 'Must be names of columns, separated by commas.',
    }),
  ),
}

function chosenColumns<Row>(columns: Columns<Row>, { columns: names }: { columns?: string }) {
  if (names === undefined) return columns
  return [...new Set(names.split(','))].map((name) => {
    const column = columns.find(([each]) => each === name)
    if (column) return column
    const message = `${name} is no column. The columns: ${columns.map(([each]) => each).join(', ')}.`
    throw new Refusal('invalid_request', [{ field: 'columns', message }])
  })
}

// Formats an amount with two decimals.
export function decimal(amount: number): string {
  if (amount < 0) return `-${decimal(-amount)}`
  return formatKobo(koboOf(amount) as Kobo)
}

function csvLines<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  isForSpreadsheet = false,
): string {
  const text = ([, read, kind]: Columns<Row>[number], row: Row) => {
    const cell = read(row)
    const isTime = isForSpreadsheet && kind === 'time' && typeof cell === 'string'
    return cellText(isTime ? plainTime(cell) : cell, isForSpreadsheet)
  }
  const lines = rows.map((row) => columns.map((column) => text(column, row)).join(','))
  return lines.map((line) => line + LINE_END).join('')
}

// Formats a time as yyyy-MM-dd HH:mm:ss, in West Africa Time.
function plainTime(timestamp: string): string {
  return timestamp.slice(0, 'yyyy-MM-ddTHH:mm:ss'.length).replace('T', ' ')
}

// Returns a whole file, the same as CsvExports.send() streams.
export function csvText<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  return headerLine(columns, true) + csvLines(columns, rows)
}

function headerLine<Row>(columns: Columns<Row>, hasMark: boolean): string {
  const names = columns.map(([name]) => name).join(',')
  return `${hasMark ? BYTE_ORDER_MARK : ''}${names}${LINE_END}`
}

type Export<Row> = {
  name: string
  columns: Columns<Row>
  batches: Batches<Row>
  hasMark?: boolean // False for programs that read the mark as part of the first column's name.
}

// Limits concurrent exports per client.
export class CsvExports {
  readonly #open = new Map<ClientId, number>()

  // The first batch is read before the headers are sent, so that errors get a regular response.
  async send<Row>(
    reply: FastifyReply,
    clientId: ClientId,
    { name, columns: all, batches, hasMark = true }: Export<Row>,
  ): Promise<FastifyReply> {
    const query = reply.request.query as { for?: string; columns?: string }
    const columns = chosenColumns(all, query)
    const open = this.#open.get(clientId) ?? 0
    if (open >= EXPORTS_MAX) throw new Refusal('too_many_exports')
    this.#open.set(clientId, open + 1)
    const release = () => this.#release(clientId)
    try {
      const next = keepReading(() => batches.next())
      const first = await next()
      const cut = () => void stream.destroy(new Error('export stalled: the client stopped reading'))
      const isForSpreadsheet = query.for === 'spreadsheet'
      const shape = { columns, batches, hasMark, isForSpreadsheet, next }
      const isXlsx = isWorkbook(reply.request.routeOptions.url)
      const content = isXlsx ? workbookOf(columns, rowsOf(shape, first)) : textOf(shape, first)
      const stream = Readable.from(watched<string | Uint8Array>(content, cut), {
        objectMode: false,
      })
      stream.once('close', release)
      const file = `${name}${periodOf(query)}.${isXlsx ? 'xlsx' : 'csv'}`
      return reply
        .type(isXlsx ? WORKBOOK : 'text/csv; charset=utf-8')
        .headers({
          'content-disposition': `attachment; filename="${file}"`,
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        })
        .send(stream)
    } catch (error) {
      release()
      throw error
    }
  }

  #release(clientId: ClientId): void {
    const open = (this.#open.get(clientId) ?? 1) - 1
    if (open === 0) this.#open.delete(clientId)
    else this.#open.set(clientId, open)
  }
}

export type Batches<Row> = AsyncGenerator<readonly Row[], void>

type Shape<Row> = Required<Omit<Export<Row>, 'name'>> & {
  isForSpreadsheet: boolean
  next: () => Promise<IteratorResult<readonly Row[], void>>
}

async function* textOf<Row>(shape: Shape<Row>, first: IteratorResult<readonly Row[], void>) {
  const { columns, hasMark, isForSpreadsheet } = shape
  yield headerLine(columns, hasMark)
  for await (const rows of rowsOf(shape, first)) {
    if (rows.length > 0) yield csvLines(columns, rows, isForSpreadsheet)
  }
}

async function* rowsOf<Row>(
  { batches, next }: Shape<Row>,
  first: IteratorResult<readonly Row[], void>,
) {
  try {
    for (let batch = first; !batch.done; batch = await next()) yield batch.value
  } finally {
    await batches.return()
  }
}

// Returns the part of the file's name that states its days. `to` is exclusive, so the last day ends before
// it.
function periodOf(query: unknown): string {
  const { from, to } = parseWindow(query as { from?: string; to?: string })
  const last = to && watDay(new Date(to.getTime() - 1))
  if (from) return last ? `-${watDay(from)}-to-${last}` : `-from-${watDay(from)}`
  return last ? `-until-${last}` : ''
}

// Calls `cut` if the client does not read a chunk in time. The response requests the next chunk only when it
// has room, so only the client can cause a pause.
async function* watched<Chunk>(chunks: AsyncIterable<Chunk>, cut: () => void) {
  for await (const chunk of chunks) {
    const timer = setTimeout(cut, STALLED_MS)
    try {
      yield chunk
    } finally {
      clearTimeout(timer)
    }
  }
}

// Reads a whole list, batch by batch. Each batch starts where the last one ended.
export async function* readBatches<Row, Position>(
  read: (after: Position | undefined) => Promise<{ rows: readonly Row[]; next: Position | null }>,
): Batches<Row> {
  let after: Position | undefined
  for (;;) {
    const { rows, next } = await read(after)
    yield rows
    if (next === null) return
    after = next
  }
}

// The name of a column, the function that reads its cell from a row, and its type if it is not text.
export type Columns<Row> = readonly (readonly [
  name: string,
  read: (row: Row) => Cell,
  kind?: 'amount' | 'time' | undefined,
])[]

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const FORMATS = { amount: '#,##0.00', time: 'yyyy-mm-dd hh:mm:ss', text: '@' } as const
const WIDTHS = { amount: 16, time: 20, text: 22 } as const
// A spreadsheet's numbers have 15 digits. A larger amount is text, because a number would be wrong.
const DIGITS_MAX = 15
const DAY_LENGTH = 'yyyy-MM-dd'.length

type Value = string | number | boolean | Date | null

// Returns an export as .xlsx: the rows of the .csv, with typed cells. Amounts are numbers, times are dates,
// and all other values are text, so that a session id keeps its 30 digits and a bank code its zeros. A text
// cell is never a formula, so nothing is escaped.
//
// The library hucre writes the file while the rows are read, so memory does not grow with the number of rows.
function workbookOf<Row>(
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

// Registers a twin `….xlsx` of every route `….csv`. The export reads the route to see which of the two it
// serves.
export function addWorkbooks(app: FastifyInstance): void {
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    if (route.method !== 'GET' || !CSV_END.test(route.url)) return
    this.route({ ...route, url: route.url.replace(CSV_END, '.xlsx'), schema: twinOf(route) })
  })
}

function isWorkbook(url: string | undefined): boolean {
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

declare module 'fastify' {
  interface FastifyInstance {
    listExports: ExportRegistry
  }
}

export type ExportRoute = {
  operation: string
  path: string // Without its extension.
  scope: Scope
  filters: Readonly<Record<string, object>> // The schema of each filter, without the period.
  timing: Timing
  isForSpreadsheets: boolean // The CSV can keep the digits of references.
}

// How the query of an export names its period: by a window, a day, a month or its end. With `now` it names
// none, and the file lists the rows that exist when it is made.
type Timing = 'window' | 'day' | 'month' | 'end' | 'now'

const NOT_FILTERS = ['from', 'to', 'at', 'for', 'columns']

// Every export of a whole list or report, as its route was registered. Scheduled reports choose from these,
// so a new export can be scheduled without being named anywhere else.
class ExportRegistry {
  readonly #routes = new Map<string, ExportRoute>()

  add({ url, onRequest, schema }: RouteOptions): void {
    const { operationId, querystring } = schema ?? {}
    const scope = [onRequest].flat().find((hook) => hook && 'scope' in hook) as
      | { scope: Scope }
      | undefined
    if (!CSV_END.test(url) || url.includes(':') || !operationId || !scope) return
    const shape = querystring as { properties: Record<string, object>; required?: string[] }
    const { properties, required = [] } = shape
    const filters = Object.entries(properties).filter(
      ([name]) => !NOT_FILTERS.includes(name) && !required.includes(name),
    )
    this.#routes.set(operationId, {
      operation: operationId,
      path: url.replace(CSV_END, ''),
      scope: scope.scope,
      filters: Object.fromEntries(filters),
      timing: timingOf(properties, required),
      isForSpreadsheets: 'for' in properties,
    })
  }

  find(operation: string): ExportRoute | undefined {
    return this.#routes.get(operation)
  }

  get all(): readonly ExportRoute[] {
    return [...this.#routes.values()]
  }
}

function timingOf(properties: object, required: readonly string[]): Timing {
  if (required.includes('day')) return 'day'
  if (required.includes('month')) return 'month'
  if ('from' in properties && 'to' in properties) return 'window'
  return 'at' in properties ? 'end' : 'now'
}

// Call before routes are registered.
export function registerExports(app: FastifyInstance): void {
  const registry = new ExportRegistry()
  app.decorate('listExports', registry)
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') registry.add(route)
  })
}

// Exports as CSV and as workbooks, streamed batch by batch at the client's pace: a list of millions needs the
// memory of one batch, and no database connection while a slow client reads.
//
// src/csv.ts writes the lines and cells. If an error occurs while the file is sent, the service cuts the
// connection, so a file that ends cleanly is complete.
//
// With `for=spreadsheet`, digits are written as text, and times without fraction and offset.
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
import { type Cell, cellText, csvLine, headerLine, plainTime } from '#csv.ts'
import { keepReading } from '#db/replica.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo, koboOf } from '#money.ts'
import { parseWindow } from './lists.ts'

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

// Returns the columns that the query's `columns` names, in its order. By default, returns all.
function chosenColumns<Row>(columns: Columns<Row>, { columns: names }: { columns?: string }) {
  if (names === undefined) return columns
  return [...new Set(names.split(','))].map((name) => {
    const column = columns.find(([columnName]) => columnName === name)
    if (column) return column
    throw invalidField(
      'columns',
      `${name} is no column. The columns: ${columns.map(([title]) => title).join(', ')}.`,
    )
  })
}

// Formats an amount in naira with two decimals.
export function decimal(amount: number): string {
  if (amount < 0) return `-${decimal(-amount)}`
  return formatKobo(koboOf(amount) as Kobo)
}

// Writes the rows as lines of CSV. `isForSpreadsheet` writes cells for people who open the file in a
// spreadsheet (FileQuery.for).
function csvLines<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  isForSpreadsheet = false,
): string {
  const textOfCell = ([, read, kind]: Columns<Row>[number], row: Row) => {
    const cell = read(row)
    const isTime = isForSpreadsheet && kind === 'time' && typeof cell === 'string'
    return cellText(isTime ? plainTime(cell) : cell, isForSpreadsheet)
  }
  return rows.map((row) => csvLine(columns.map((column) => textOfCell(column, row)))).join('')
}

const namesOf = <Row>(columns: Columns<Row>) => columns.map(([name]) => name)

// Returns a whole file, the same as CsvExports.send() streams.
export function csvText<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  return headerLine(namesOf(columns), true) + csvLines(columns, rows)
}

type Export<Row> = {
  name: string
  columns: Columns<Row>
  batches: Batches<Row>
  hasMark?: boolean // False for programs that read the mark as part of the first column's name.
}

// Streams exports as responses, and limits the concurrent exports of each client.
export class CsvExports {
  readonly #open = new Map<ClientId, number>()

  // Sends one file. The first batch is read before the headers are sent, so that errors get a regular
  // response.
  async send<Row>(
    reply: FastifyReply,
    clientId: ClientId,
    { name, columns: allColumns, batches, hasMark = true }: Export<Row>,
  ): Promise<FastifyReply> {
    const query = reply.request.query as { for?: string; columns?: string }
    const columns = chosenColumns(allColumns, query)
    const openCount = this.#open.get(clientId) ?? 0
    if (openCount >= EXPORTS_MAX) throw new Refusal('too_many_exports')
    this.#open.set(clientId, openCount + 1)
    const release = () => this.#release(clientId)
    try {
      const next = keepReading(() => batches.next())
      const firstBatch = await next()
      const disconnect = () =>
        void stream.destroy(new Error('export stalled: the client stopped reading'))
      const isForSpreadsheet = query.for === 'spreadsheet'
      const state = { columns, batches, hasMark, isForSpreadsheet, next }
      const isXlsx = isWorkbook(reply.request.routeOptions.url)
      const content = isXlsx
        ? workbookOf(columns, remainingBatches(state, firstBatch))
        : csvChunks(state, firstBatch)
      const chunks = disconnectIfStalled<string | Uint8Array>(content, disconnect)
      const stream = Readable.from(chunks, { objectMode: false })
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

  // Lowers the number of the client's open exports when one of them has ended.
  #release(clientId: ClientId): void {
    const openCount = (this.#open.get(clientId) ?? 1) - 1
    if (openCount === 0) this.#open.delete(clientId)
    else this.#open.set(clientId, openCount)
  }
}

export type Batches<Row> = AsyncGenerator<readonly Row[], void>

type ExportState<Row> = Required<Omit<Export<Row>, 'name'>> & {
  isForSpreadsheet: boolean
  next: () => Promise<IteratorResult<readonly Row[], void>>
}

// Yields a CSV file: its header, then the lines of each batch.
async function* csvChunks<Row>(
  state: ExportState<Row>,
  firstBatch: IteratorResult<readonly Row[], void>,
) {
  const { columns, hasMark, isForSpreadsheet } = state
  yield headerLine(namesOf(columns), hasMark)
  for await (const rows of remainingBatches(state, firstBatch)) {
    if (rows.length > 0) yield csvLines(columns, rows, isForSpreadsheet)
  }
}

// Yields the batch that was read before the headers were sent, then the others. Ends the reading if the
// client disconnects.
async function* remainingBatches<Row>(
  { batches, next }: ExportState<Row>,
  firstBatch: IteratorResult<readonly Row[], void>,
) {
  try {
    for (let batch = firstBatch; !batch.done; batch = await next()) yield batch.value
  } finally {
    await batches.return()
  }
}

// Returns the part of the file's name that states its period, such as -2026-11-01-to-2026-11-15. The query's
// `to` is exclusive, so the last day is the one just before it.
function periodOf(query: unknown): string {
  const { from, to } = parseWindow(query as { from?: string; to?: string })
  const lastDay = to && watDay(new Date(to.getTime() - 1))
  if (from) return lastDay ? `-${watDay(from)}-to-${lastDay}` : `-from-${watDay(from)}`
  return lastDay ? `-until-${lastDay}` : ''
}

// Passes chunks on, and calls `disconnect` if the client does not read one within STALLED_MS. The response
// pulls the next chunk as soon as it has room, so a pause after a chunk means that the client does not read.
async function* disconnectIfStalled<Chunk>(chunks: AsyncIterable<Chunk>, disconnect: () => void) {
  for await (const chunk of chunks) {
    const timer = setTimeout(disconnect, STALLED_MS)
    try {
      yield chunk
    } finally {
      clearTimeout(timer)
    }
  }
}

// Reads a whole list for an export, batch by batch. Each batch starts where the last one ended.
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

// Converts a cell of the CSV to a typed cell of the workbook.
function toValue(cell: Cell, kind: Columns<never>[number][2]): Value {
  if (cell === null || cell === undefined || cell === '') return null
  if (typeof cell !== 'string') return cell
  if (kind === 'amount' && cell.replace(/\D/g, '').length <= DIGITS_MAX) return Number(cell)
  return kind === 'time' ? toDate(cell) : cell
}

// Parses a timestamp for a workbook, as if it were in UTC. Dates in a workbook have no offset, so the cell
// shows the digits of the timestamp, which are in West Africa Time.
function toDate(text: string): Date | string {
  const digits = text.length === DAY_LENGTH ? text : text.slice(0, 'yyyy-MM-ddTHH:mm:ss'.length)
  const date = new Date(digits.length === DAY_LENGTH ? digits : `${digits}Z`)
  return Number.isNaN(date.getTime()) ? text : date
}

// For every route `….csv`, registers a route `….xlsx` with the same handler, which then writes a workbook
// (isWorkbook). Must be called before the routes are registered.
export function addWorkbooks(app: FastifyInstance): void {
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    if (route.method !== 'GET' || !CSV_END.test(route.url)) return
    this.route({
      ...route,
      url: route.url.replace(CSV_END, '.xlsx'),
      schema: workbookSchema(route),
    })
  })
}

// Whether the route is the one that addWorkbooks() has derived.
function isWorkbook(url: string | undefined): boolean {
  return url?.endsWith('.xlsx') === true
}

// Derives the schema of the workbook's route from that of the CSV's. It has no `for`: workbooks have typed
// cells.
function workbookSchema({ schema = {} }: RouteOptions): object {
  const { operationId, summary, querystring, ...otherParts } = schema
  const { properties } = querystring as { properties: object }
  const fields = Object.entries(properties).filter(([name]) => name !== 'for')
  return {
    ...otherParts,
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

// How the query of an export states its period: from and to (`window`), a day, a month, or only its end
// (`at`). With `now` it states none, and the file lists the rows that exist when it is made.
type Timing = 'window' | 'day' | 'month' | 'end' | 'now'

const NOT_FILTERS = ['from', 'to', 'at', 'for', 'columns']

// All exports of whole lists and reports, collected from the routes as they are registered. Users choose from
// these for scheduled reports, so a new export can be scheduled without being named anywhere else.
class ExportRegistry {
  readonly #routes = new Map<string, ExportRoute>()

  // Adds a route if it exports a whole list: it ends in .csv, has no path parameter and requires a scope.
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

// Derives from the query parameters of an export how it states its period: as a day, a month, a window from
// one time to another, only the end, or not at all (`now`).
function timingOf(properties: object, required: readonly string[]): Timing {
  if (required.includes('day')) return 'day'
  if (required.includes('month')) return 'month'
  if ('from' in properties && 'to' in properties) return 'window'
  return 'at' in properties ? 'end' : 'now'
}

// Collects the exports for scheduled reports. Must be called before the routes are registered.
export function registerExports(app: FastifyInstance): void {
  const registry = new ExportRegistry()
  app.decorate('listExports', registry)
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') registry.add(route)
  })
}

// CSV exports, streamed batch by batch at the client's pace: a list of millions needs the memory of one
// page, and no database connection while a slow client reads.
//
// A byte order mark declares UTF-8. On error the connection is cut: a file that ends cleanly is complete.
//
// With `for=spreadsheet`, digits are written as text (csv.ts). Times lose their fraction and offset, which
// spreadsheets do not read as a date.
//
// With `columns`, a file has those columns only.
//
// Every export is also a workbook with typed cells (workbook.ts).

import { Readable } from 'node:stream'
import { Type } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { watDay } from '#clock.ts'
import { cellText } from '#csv.ts'
import { keepReading } from '#db/replica.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo, koboOf } from '#money.ts'
import { parseWindow } from './lists.ts'
import { type Columns, isWorkbook, WORKBOOK, workbookOf } from './workbook.ts'

export type { Columns } from './workbook.ts'

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'
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

// Always two decimals.
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

// yyyy-MM-dd HH:mm:ss, in West Africa Time.
function plainTime(timestamp: string): string {
  return timestamp.slice(0, 'yyyy-MM-ddTHH:mm:ss'.length).replace('T', ' ')
}

// Returns a whole file, the same as `send` streams.
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

// Names the days of the file. `to` is exclusive, so the last day is the one before it.
function periodOf(query: unknown): string {
  const { from, to } = parseWindow(query as { from?: string; to?: string })
  const last = to && watDay(new Date(to.getTime() - 1))
  if (from) return last ? `-${watDay(from)}-to-${last}` : `-from-${watDay(from)}`
  return last ? `-until-${last}` : ''
}

// The response requests the next chunk only when it has room, so a pause is the client's.
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

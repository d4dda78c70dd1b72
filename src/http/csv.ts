// CSV exports, streamed batch by batch at the reader’s pace: a list of millions needs the memory of
// one page, and no database connection while a slow reader reads.
//
// Cells that a spreadsheet would read as a formula (= + - @) are prefixed with an apostrophe, also
// after separators that some locales split at; cells with separators are quoted. Amounts are left
// alone. A byte order mark declares UTF-8. On error the connection is cut: a file that ends cleanly
// is complete.
//
// With `for=spreadsheet`, digits that are no amount (session ids, bank codes, account numbers) are written
// as ="0001", the form that spreadsheets read as text: they would drop leading zeros and round 30 digits.

import { Readable } from 'node:stream'
import { Type } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { keepReading } from '#db/replica-reads.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo, koboOf } from '#money.ts'

type Cell = string | number | boolean | null | undefined
// A name of a column, or one with how to read it off the row.
export type Columns<Row> = readonly (readonly [name: string, read: (row: Row) => Cell])[]

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'
// At the beginning of a cell, or after what some reader splits at (and after an opening quote).
const FORMULA =
  /(^|[;|\t\r\n]+)(?=[\s"\p{Cc}\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212])|^(?=[\t\r\n])/gu
// Most cells: nothing that is quoted, or that a formula could begin with. Saves the three below.
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9 ._/:-]*$/
const AMOUNT = /^-?[0-9]+(?:\.[0-9]+)?$/
// Text that a spreadsheet would read as a number: digits, a telephone number, 1E10.
const DIGITS = /^\+?[0-9]+(?:[eE][0-9]+)?$/
const NEEDS_QUOTES = /[",;|\t\r\n]/
// A stalled reader is disconnected after this time.
const STALLED_MS = 60_000
export const EXPORTS_MAX = 3 // Of one client at once, in one process.

export const SpreadsheetQuery = {
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
}

export function cellText(cell: Cell, isForSpreadsheet = false): string {
  if (cell === null || cell === undefined) return ''
  const text = String(cell)
  if (isForSpreadsheet && typeof cell === 'string' && DIGITS.test(text)) return `"=""${text}"""`
  if (text === '' || PLAIN.test(text)) return text
  const safe = AMOUNT.test(text) ? text : text.replace(FORMULA, "$1'")
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

// An amount of money, always with two decimals.
export function decimal(amount: number): string {
  if (amount < 0) return `-${decimal(-amount)}`
  return formatKobo(koboOf(amount) as Kobo)
}

function csvLines<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  isForSpreadsheet = false,
): string {
  const text = (cell: Cell) => cellText(cell, isForSpreadsheet)
  const lines = rows.map((row) => columns.map(([, read]) => text(read(row))).join(','))
  return lines.map((line) => line + LINE_END).join('')
}

// A whole file, as `send` would stream it.
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
  hasMark?: boolean // Not in files for programs that take it for a part of the first column's name.
}

// Limits concurrent exports per client.
export class CsvExports {
  readonly #open = new Map<ClientId, number>()

  // The first batch is read before the headers are sent, so that errors get a regular response.
  async send<Row>(
    reply: FastifyReply,
    clientId: ClientId,
    { name, columns, batches, hasMark = true }: Export<Row>,
  ): Promise<FastifyReply> {
    const open = this.#open.get(clientId) ?? 0
    if (open >= EXPORTS_MAX) throw new Refusal('too_many_exports')
    this.#open.set(clientId, open + 1)
    const release = () => this.#release(clientId)
    try {
      const next = keepReading(() => batches.next())
      const first = await next()
      const cut = () => void stream.destroy(new Error('export stalled: the client stopped reading'))
      const isForSpreadsheet = (reply.request.query as { for?: string }).for === 'spreadsheet'
      const shape = { columns, batches, hasMark, isForSpreadsheet, next }
      const text = watched(textOf(shape, first), cut)
      const stream = Readable.from(text, { objectMode: false })
      stream.once('close', release)
      return reply
        .type('text/csv; charset=utf-8')
        .headers({
          'content-disposition': `attachment; filename="${name}.csv"`,
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

async function* textOf<Row>(
  { columns, batches, hasMark, isForSpreadsheet, next }: Shape<Row>,
  first: IteratorResult<readonly Row[], void>,
) {
  yield headerLine(columns, hasMark)
  try {
    for (let batch = first; !batch.done; batch = await next()) {
      if (batch.value.length > 0) yield csvLines(columns, batch.value, isForSpreadsheet)
    }
  } finally {
    await batches.return()
  }
}

// The next chunk is requested only when there is room, so a pause is the reader’s.
async function* watched(chunks: AsyncIterable<string>, cut: () => void) {
  for await (const chunk of chunks) {
    const timer = setTimeout(cut, STALLED_MS)
    try {
      yield chunk
    } finally {
      clearTimeout(timer)
    }
  }
}

// Reads a whole list, from the position where each batch ended.
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

// Shared by the routes of accounting: query parameters, and the routes of a report as JSON, as CSV and as a
// page to print.

import { type FastifyPluginAsyncTypebox, type TSchema, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { parseBankTime, timestamp, watDay } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField } from '#errors.ts'
import { type Columns, CsvExports, FileQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { AtQuery, parseAt } from '#http/lists.ts'
import { escapeHtml, PRINTABLE_HEADERS, printablePage } from '#http/pages.ts'
import { resource } from '#http/resource.ts'
import { BEARER, strictObject } from '#http/schemas.ts'
import { type Fields, type View, view } from '#http/view.ts'
import { formatKobo, groupThousands, type Kobo, kobo } from '#money.ts'
import type { CurrencyTotal } from './journal.ts'

export const OPERATOR = '/api/v1/operator'
export const SCOPES = { read: 'accounting:read', write: 'accounting:write' } as const

const DAY = /^[12][0-9]{3}-[01][0-9]-[0-3][0-9]$/
const MONTH = /^([12][0-9]{3})-(0[1-9]|1[0-2])$/
const NOT_A_DAY = 'Must be a day as yyyy-MM-dd, e.g. 2026-11-15.'
const NOT_A_MONTH = 'Must be a month as yyyy-MM, e.g. 2026-11.'
const IN_THE_FUTURE = 'Must not be in the future.'

export const dayField = (description: string) =>
  Type.String({ description, maxLength: 10, 'x-says': NOT_A_DAY })

export const DayQuery = { day: dayField('Day in West Africa, as yyyy-MM-dd.') }

export const MonthQuery = {
  month: Type.String({
    description: 'Month in West Africa, as yyyy-MM.',
    maxLength: 7,
    'x-says': NOT_A_MONTH,
  }),
}

// Refuses a text that is not a day of the calendar.
export function parseDay(text: string, field = 'day'): string {
  if (!DAY.test(text) || !parseBankTime(text)) throw invalidField(field, NOT_A_DAY)
  return text
}

// Refuses a day that has not begun.
export function parsePastDay(text: string, now: Date): string {
  const day = parseDay(text)
  if (day > watDay(now)) throw invalidField('day', IN_THE_FUTURE)
  return day
}

// Returns the month as a period from midnight to midnight in West Africa. Refuses a month that has not begun.
export function parseMonth(text: string, now: Date): { from: Date; to: Date } {
  const [, year, month] = MONTH.exec(text) ?? []
  if (!year || !month) throw invalidField('month', NOT_A_MONTH)
  if (text > watDay(now).slice(0, 7)) throw invalidField('month', IN_THE_FUTURE)
  const nextMonth = month === '12' ? `${Number(year) + 1}-01` : `${year}-${pad(Number(month) + 1)}`
  return { from: parseBankTime(`${text}-01`) as Date, to: parseBankTime(`${nextMonth}-01`) as Date }
}

// Runs a report on one snapshot of the database, with enough memory to sum a million transfers without
// temporary files.
export function withReport<T>(db: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return withSnapshot(db, async (tx) => {
    await tx.query(`set local work_mem = '64MB'`)
    return work(tx)
  })
}

const pad = (month: number) => String(month).padStart(2, '0')

type Table<Row> = {
  heading?: string // Shown on the page, for a report of several tables.
  columns: Columns<Row>
  rows: readonly Row[]
  totals?: readonly Row[] // Shown below the rows on the page.
}

// biome-ignore lint/suspicious/noExplicitAny: each table has its own type of rows.
type AnyTable = Table<any>

// Schema of a response that is not JSON.
export const content = (type: 'text/csv' | 'text/html') => ({
  200: { content: { [type]: { schema: Type.String() } } },
})

export const CSV_NOTE =
  'UTF-8; amounts with two decimals. Cells that a spreadsheet would read as a formula are prefixed ' +
  'with an apostrophe. Columns: docs/exports.md.'

type Report<Span, Data, Row> = {
  path: string // The last part of the path names the files.
  noun: string
  title: string
  of: string // The report in summaries, such as "the trial balance".
  operation: string // Part of the operation ids: TrialBalance in exportTrialBalance.
  description: string
  columns: Columns<Row>
  // Returns the data of the JSON, the rows of the CSV, and the totals that the page adds to them.
  read: (
    tx: Transaction,
    span: Span,
    deps: Deps,
  ) => Promise<{ data: Data; rows: readonly Row[]; totals?: readonly Row[] }>
  hasPage?: boolean
}

// The view shows the data together with the month or the moment.
type ViewOf<Shown> = { schema: TSchema; present: (row: Shown) => unknown }
type MonthSpan = { month: string; from: Date; to: Date }
type MomentSpan = { at: Date | undefined; now: Date }

// Builds the routes of a report about a month: how its month is read from the query (`parse`), stated in JSON
// and CSV (`stampOf`), and shown on the page and in the file's name (`describe`).
export function monthReport<Shown extends { month: string }, Row>(
  report: Report<MonthSpan, Omit<NoInfer<Shown>, 'month'>, Row> & {
    view: ViewOf<Shown>
    about: string
  },
): FastifyPluginAsyncTypebox<Deps> {
  const { title, about } = report
  return reportRoutes(report, {
    fields: MonthQuery,
    parse: ({ month }: { month: string }, now) => ({ month, ...parseMonth(month, now) }),
    stampOf: ({ month }) => ['month', month],
    describe: ({ month }) => ({
      suffix: `-${month}`,
      title: `${title} of ${month}`,
      about: [`${about} (West Africa Time)`],
    }),
  })
}

// Builds the routes of a report as of a moment, by default now. `stampOf` gives the field of the JSON and the
// column of the CSV that state the moment; `suffix` ends the file's name with its day.
export function momentReport<Shown extends { at: string }, Row>(
  report: Report<MomentSpan, Omit<NoInfer<Shown>, 'at'>, Row> & { view: ViewOf<Shown> },
): FastifyPluginAsyncTypebox<Deps> {
  const stampOf = ({ at, now }: MomentSpan) => ['at', timestamp(at ?? now)] as const
  return reportRoutes(report, {
    fields: AtQuery,
    parse: (query: { at?: string }, now) => ({ at: parseAt(query, now), now }),
    stampOf,
    describe: (span) => {
      const [, at] = stampOf(span)
      const suffix = `-at-${at.slice(0, 'yyyy-MM-dd'.length)}`
      return { suffix, title: report.title, about: [`As of ${at} (West Africa Time)`] }
    },
  })
}

// How a report reads its month or moment (`Span`) from the query, and how its JSON, CSV and page state it.
type Spans<Query, Span> = {
  fields: Parameters<typeof strictObject>[0]
  parse: (query: Query, now: Date) => Span
  stampOf: (span: Span) => readonly [name: string, value: string]
  describe: (span: Span) => { suffix: string; title: string; about: string[] }
}

// Registers a report as JSON, as CSV and as a page to print. The last column of the CSV is the stamp: the
// month or the moment.
function reportRoutes<Query, Span, Data, Row>(
  report: Report<Span, Data, Row> & { view: ViewOf<never> },
  { fields, parse, stampOf, describe }: Spans<Query, Span>,
): FastifyPluginAsyncTypebox<Deps> {
  const { path, noun, of, operation, description, columns } = report
  // biome-ignore lint/suspicious/noExplicitAny: monthReport and momentReport fit the view to the data.
  const view = report.view as View<any, any, any>
  // Runs the report for a request of its JSON, its CSV or its page. `stamp` names the month or the moment.
  const read = async (deps: Deps, query: Query) => {
    const span = parse(query, deps.clock())
    const result = await withReport(deps.db, (tx) => report.read(tx, span, deps))
    return { ...result, span, stamp: stampOf(span) }
  }
  const json = resource(path, { tag: 'Accounting', noun, view, scopes: SCOPES }).get(
    `get${operation}`,
    {
      path: '',
      summary: `Retrieve ${of}`,
      description,
      query: fields,
      run: async (_db, call) => {
        const { data, stamp } = await read(call, call.query as Query)
        return { [stamp[0]]: stamp[1], ...data }
      },
    },
  )
  return async (app, deps) => {
    json.register(app, deps)
    const onRequest = deps.authentication.requires('accounting:read')
    const schema = { tags: ['Accounting'], security: BEARER, querystring: strictObject(fields) }
    const csv = {
      ...schema,
      querystring: strictObject({ ...fields, ...FileQuery }),
      operationId: `export${operation}`,
      summary: `Export ${of} as CSV`,
      description: CSV_NOTE,
      response: content('text/csv'),
    }
    const exports = new CsvExports()
    app.get(
      `${path}.csv`,
      { exposeHeadRoute: false, onRequest, schema: csv },
      async (request, reply) => {
        const { rows, span, stamp } = await read(deps, request.query as Query)
        const [name, value] = stamp
        const stamped: Columns<Row> = [[name, () => value, name === 'at' ? 'time' : undefined]]
        return exports.send(reply, request.client.id, {
          name: `${path.split('/').at(-1)}${describe(span).suffix}`,
          columns: [...columns, ...stamped],
          batches: oneBatch(rows),
        })
      },
    )
    if (report.hasPage === false) return
    const html = {
      ...schema,
      operationId: `print${operation}`,
      summary: `Retrieve ${of} as a page to print`,
      description: 'The same rows as the CSV, with totals.',
      response: content('text/html'),
    }
    app.get(
      `${path}.html`,
      { exposeHeadRoute: false, onRequest, schema: html },
      async (request, reply) => {
        const { rows, totals = [], span } = await read(deps, request.query as Query)
        const table = { columns, rows, totals }
        const { title, about: notes } = describe(span)
        return sendPage(reply, { title, about: notes, tables: [table] })
      },
    )
  }
}

// Rows that are already in memory, as the batches that an export expects.
async function* oneBatch<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[], void> {
  yield rows
}

type Page = { title: string; about: readonly string[]; tables: readonly AnyTable[] }

export function sendPage(reply: FastifyReply, { title, about, tables }: Page): FastifyReply {
  const body = `<header><h1>${escapeHtml(title)}</h1>
<p>${about.map(escapeHtml).join('<br>')}</p></header>
<main>${tables.map(tableHtml).join('\n')}</main>`
  return reply.headers(PRINTABLE_HEADERS).send(printablePage({ title, body }))
}

const AMOUNT = /^-?[0-9]+\.[0-9]{2}$/

// Writes a table as HTML. A column in which any cell looks like an amount is aligned right, and `data-name`
// repeats its label beside each amount on narrow screens, where the head is hidden.
function tableHtml({ heading, columns, rows, totals = [] }: AnyTable): string {
  const title = heading === undefined ? '' : `<h2>${escapeHtml(heading)}</h2>\n`
  if (rows.length === 0) return `${title}<p>Nothing to report.</p>`
  const cells = rows.map((row) => columns.map(([, read]) => String(read(row) ?? '')))
  const totalCells = totals.map((row) => columns.map(([, read]) => String(read(row) ?? '')))
  const isAmount = columns.map((_, index) =>
    [...cells, ...totalCells].some((row) => AMOUNT.test(row[index] ?? '')),
  )
  const labels = columns.map(([name]) => toLabel(name))
  const head = labels.map(
    (label, index) =>
      `<th scope="col"${isAmount[index] ? ' class="amount"' : ''}>${escapeHtml(label)}</th>`,
  )
  const rowHtml = (row: readonly string[]) =>
    row.map((text, index) => {
      if (!isAmount[index]) return `<td>${escapeHtml(text)}</td>`
      return `<td class="amount" data-name="${escapeHtml(labels[index] ?? '')}">${amountHtml(text)}</td>`
    })
  return `${title}<table>
<thead><tr>${head.join('')}</tr></thead>
<tbody>${cells.map((row) => `<tr>${rowHtml(row).join('')}</tr>`).join('\n')}
${totalCells.map((row) => `<tr class="total">${rowHtml(row).join('')}</tr>`).join('\n')}</tbody>
</table>`
}

const amountHtml = (text: string) => escapeHtml(groupThousands(text))

// Turns a column name into a label: accountCode becomes "Account code".
function toLabel(name: string): string {
  const words = name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

// The debits and credits of a currency, for every report that shows them.
export const SidesView = view('AccountingTotal', (f: Fields<CurrencyTotal>) => ({
  currency: f.text('currency'),
  debit: f.naira(({ debitKobo }) => kobo(debitKobo)),
  credit: f.naira(({ creditKobo }) => kobo(creditKobo)),
}))

// Formats an amount for a column of debits or credits, in which zero is left empty.
export function amountOrNone(amountKobo: Kobo): string {
  return amountKobo === 0n ? '' : formatKobo(amountKobo)
}

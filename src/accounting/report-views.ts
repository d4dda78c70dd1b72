// The query parameters of accounting reports: day, month, moment, and the currency of a journal.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { parseBankTime, watDay } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type Columns, CsvExports, FileQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { query } from '#http/lists.ts'
import { escapeHtml, PRINTABLE_HEADERS, printablePage } from '#http/pages.ts'
import { BEARER } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
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

export function refused(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }])
}

// Refuses a text that is not a day of the calendar.
export function parseDay(text: string, field = 'day'): string {
  if (!DAY.test(text) || !parseBankTime(text)) throw refused(field, NOT_A_DAY)
  return text
}

// Refuses a day that has not begun.
export function parsePastDay(text: string, now: Date): string {
  const day = parseDay(text)
  if (day > watDay(now)) throw refused('day', IN_THE_FUTURE)
  return day
}

export function parseMonth(text: string, now: Date): { from: Date; to: Date } {
  const [, year, month] = MONTH.exec(text) ?? []
  if (!year || !month) throw refused('month', NOT_A_MONTH)
  if (text > watDay(now).slice(0, 7)) throw refused('month', IN_THE_FUTURE)
  const next = month === '12' ? `${Number(year) + 1}-01` : `${year}-${pad(Number(month) + 1)}`
  return { from: parseBankTime(`${text}-01`) as Date, to: parseBankTime(`${next}-01`) as Date }
}

// Gives the query enough memory to sum a million transfers without temporary files.
export function withReport<T>(db: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return withSnapshot(db, async (tx) => {
    await tx.query(`set local work_mem = '64MB'`)
    return work(tx)
  })
}

const pad = (month: number) => String(month).padStart(2, '0')

// A report as CSV and as a page to print, from one table of columns.

type Table<Row> = {
  heading?: string // Shown on the page, for a report of several tables.
  columns: Columns<Row>
  rows: readonly Row[]
  totals?: readonly Row[] // Shown below the rows on the page.
}

// biome-ignore lint/suspicious/noExplicitAny: each table has rows of its own.
type AnyTable = Table<any>

export const content = (type: 'text/csv' | 'text/html') => ({
  200: { content: { [type]: { schema: Type.String() } } },
})

export const CSV_NOTE =
  'UTF-8; amounts with two decimals. Cells that a spreadsheet would read as a formula are prefixed ' +
  'with an apostrophe. Columns: docs/exports.md.'

type AnyReport = { name: string; title: string; about: string[]; table: AnyTable }

type Files<Query> = {
  path: string
  operation: string // Part of the operation ids: TrialBalance in exportTrialBalance.
  of: string // The report in the summary, such as "the trial balance".
  fields: Parameters<typeof query>[0]
  read: (query: Query) => Promise<AnyReport & { stamp: readonly [name: string, value: string] }>
  hasPage?: boolean
}

// Registers the report as CSV, whose last column is the stamp (day, month or moment), and as a page to print.
export function registerFiles<Query>(
  app: FastifyInstance,
  { authentication }: Deps,
  { path, operation, of, fields, read, hasPage = true }: Files<Query>,
): void {
  const exports = new CsvExports()
  const onRequest = authentication.requires('accounting:read')
  const about = { tags: ['Accounting'], security: BEARER, querystring: query(fields) }
  const csv = {
    ...about,
    querystring: query({ ...fields, ...FileQuery }),
    operationId: `export${operation}`,
    summary: `Export ${of} as CSV`,
    description: CSV_NOTE,
    response: content('text/csv'),
  }
  app.get(
    `${path}.csv`,
    { exposeHeadRoute: false, onRequest, schema: csv },
    async (request, reply) => {
      const { name, table, stamp } = await read(request.query as Query)
      const kind = stamp[0] === 'at' ? 'time' : undefined
      const columns: AnyTable['columns'] = [...table.columns, [stamp[0], () => stamp[1], kind]]
      const period = stamp[0] === 'at' ? `-at-${stamp[1].slice(0, 'yyyy-MM-dd'.length)}` : ''
      const file = { name: `${name}${period}`, columns, batches: once(table.rows) }
      return exports.send(reply, request.client.id, file)
    },
  )
  if (!hasPage) return
  const html = {
    ...about,
    operationId: `print${operation}`,
    summary: `Retrieve ${of} as a page to print`,
    description: 'The same rows as the CSV, with totals.',
    response: content('text/html'),
  }
  app.get(
    `${path}.html`,
    { exposeHeadRoute: false, onRequest, schema: html },
    async (request, reply) => {
      const { title, about: notes, table } = await read(request.query as Query)
      return sendPage(reply, { title, about: notes, tables: [table] })
    },
  )
}

async function* once<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[], void> {
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

function tableHtml({ heading, columns, rows, totals = [] }: AnyTable): string {
  const title = heading === undefined ? '' : `<h2>${escapeHtml(heading)}</h2>\n`
  if (rows.length === 0) return `${title}<p>Nothing to report.</p>`
  const cells = rows.map((row) => columns.map(([, read]) => String(read(row) ?? '')))
  const sums = totals.map((row) => columns.map(([, read]) => String(read(row) ?? '')))
  const isAmount = columns.map((_, at) =>
    [...cells, ...sums].some((row) => AMOUNT.test(row[at] ?? '')),
  )
  const labels = columns.map(([name]) => toLabel(name))
  const head = labels.map(
    (label, at) =>
      `<th scope="col"${isAmount[at] ? ' class="amount"' : ''}>${escapeHtml(label)}</th>`,
  )
  const line = (row: readonly string[]) =>
    row.map((text, at) => {
      if (!isAmount[at]) return `<td>${escapeHtml(text)}</td>`
      return `<td class="amount" data-name="${escapeHtml(labels[at] ?? '')}">${grouped(text)}</td>`
    })
  return `${title}<table>
<thead><tr>${head.join('')}</tr></thead>
<tbody>${cells.map((row) => `<tr>${line(row).join('')}</tr>`).join('\n')}
${sums.map((row) => `<tr class="total">${line(row).join('')}</tr>`).join('\n')}</tbody>
</table>`
}

// Turns a column name into a label: accountCode becomes "Account code".
function toLabel(name: string): string {
  const words = name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function grouped(text: string): string {
  return escapeHtml(text).replace(/\B(?=(\d{3})+(?=\.))/g, ',')
}

// The debits and credits of a currency, for every report that shows them.
export const SidesView = view('AccountingTotal', (f: Fields<CurrencyTotal>) => ({
  currency: f.text('currency'),
  debit: f.naira(({ debitKobo }) => kobo(debitKobo)),
  credit: f.naira(({ creditKobo }) => kobo(creditKobo)),
}))

// Returns an empty text for zero, as in a column of debits.
export function amountOrNone(amountKobo: Kobo): string {
  return amountKobo === 0n ? '' : formatKobo(amountKobo)
}

// A report as CSV and as a page to print, from one table of columns.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { CurrencyTotal } from '#domain/accounting/journal-lines.ts'
import { type Columns, CsvExports, SpreadsheetQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { query } from '#http/lists.ts'
import { escapeHtml, PRINTABLE_HEADERS, printablePage } from '#http/printable-page.ts'
import { BEARER } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'

export type Table<Row> = {
  heading?: string // On the page, where a report has several tables.
  columns: Columns<Row>
  rows: readonly Row[]
  totals?: readonly Row[] // Below them, on the page.
}

// biome-ignore lint/suspicious/noExplicitAny: each table has rows of its own.
type AnyTable = Table<any>
type AnyColumns = AnyTable['columns']

export const content = (type: 'text/csv' | 'text/html') => ({
  200: { content: { [type]: { schema: Type.String() } } },
})

export const CSV_NOTE =
  'UTF-8; amounts with two decimals. Cells that a spreadsheet would read as a formula are prefixed ' +
  'with an apostrophe. Columns: docs/exports.md.'

type AnyReport = { name: string; title: string; about: string[]; table: AnyTable }

type Files<Asked> = {
  path: string
  operation: string // As in exportTrialBalance.
  of: string // As in "the trial balance".
  fields: Parameters<typeof query>[0]
  read: (asked: Asked) => Promise<AnyReport & { stamp: readonly [name: string, value: string] }>
  hasPage?: boolean
}

// The report as CSV, with what it is of in a last column, and as a page.
export function registerFiles<Asked>(
  app: FastifyInstance,
  { authentication }: Deps,
  { path, operation, of, fields, read, hasPage = true }: Files<Asked>,
): void {
  const exports = new CsvExports()
  const onRequest = authentication.requires('accounting:read')
  const about = { tags: ['Accounting'], security: BEARER, querystring: query(fields) }
  const csv = {
    ...about,
    querystring: query({ ...fields, ...SpreadsheetQuery }),
    operationId: `export${operation}`,
    summary: `Export ${of} as CSV`,
    description: CSV_NOTE,
    response: content('text/csv'),
  }
  app.get(
    `${path}.csv`,
    { exposeHeadRoute: false, onRequest, schema: csv },
    async (request, reply) => {
      const { name, table, stamp } = await read(request.query as Asked)
      const columns: AnyColumns = [...table.columns, [stamp[0], () => stamp[1]]]
      return exports.send(reply, request.client.id, { name, columns, batches: once(table.rows) })
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
      const { title, about: notes, table } = await read(request.query as Asked)
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

// accountCode: Account code.
function toLabel(name: string): string {
  const words = name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function grouped(text: string): string {
  return escapeHtml(text).replace(/\B(?=(\d{3})+(?=\.))/g, ',')
}

// Both sides of a currency, in every report that has them.
export const SidesView = view('AccountingTotal', (f: Fields<CurrencyTotal>) => ({
  currency: f.text('currency'),
  debit: f.naira(({ debitKobo }) => kobo(debitKobo)),
  credit: f.naira(({ creditKobo }) => kobo(creditKobo)),
}))

// Empty where there is nothing, as in a column of debits.
export function amountOrNone(amountKobo: Kobo): string {
  return amountKobo === 0n ? '' : formatKobo(amountKobo)
}

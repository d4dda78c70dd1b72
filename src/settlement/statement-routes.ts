// The statement of a settlement: as CSV with all lines, and as a page to print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { refuseRestricted } from '#access/permissions.ts'
import { type Columns, CsvExports, FileQuery, readBatches } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { NoQuery } from '#http/lists.ts'
import { escapeHtml, PRINTABLE_HEADERS, printablePage } from '#http/pages.ts'
import { BEARER, strictObject } from '#http/schemas.ts'
import { listLines } from './queries.ts'
import { getSettlement } from './settlement.ts'
import { LineView, requireReference, SettlementView } from './views.ts'

type Statement = {
  client: string
  settlement: ReturnType<typeof SettlementView.present>
  lines: readonly ReturnType<typeof LineView.present>[]
}

const FORMAT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
// Returns a table cell with an amount. `name` is the label of the column, which narrow screens show.
const money = (amount: number, name = '') =>
  `<td class="amount" data-name="${name}">${FORMAT.format(amount)}</td>`
const cell = (text: string | null) => `<td>${escapeHtml(text ?? '')}</td>`
// Formats a timestamp in West Africa Time as yyyy-MM-dd HH:mm:ss.
const time = (at: string) => at.slice(0, 19).replace('T', ' ')

// The totals of the statement in the order in which they add up to the net amount, with their labels.
const TOTALS = [
  ['gross', 'Credits settled'],
  ['fees', 'Fees on credits and payouts'],
  ['vat', 'VAT on these fees'],
  ['reversed', 'Reversed before settlement'],
  ['refunds', 'Refunds drawn'],
  ['paidOut', 'Payouts drawn'],
  ['recovered', 'Recovered'],
  ['reserved', 'Reserve held back'],
  ['released', 'Reserve released'],
  ['carried', 'Carried forward'],
] as const
const LINE_AMOUNTS = [
  ['gross', 'Gross'],
  ['fee', 'Fee'],
  ['vat', 'VAT'],
  ['split', 'Split'],
  ['reversed', 'Reversed'],
  ['other', 'Other'],
  ['net', 'Net'],
] as const
// The totals that are added to the net amount; the page shows the others as negative.
const ADDED: readonly string[] = ['gross', 'released', 'carried']

// Returns the printable page, in HTML: totals, payouts, and lines.
function statementPage({ client, settlement, lines }: Statement): string {
  const { reference, status, period, net, payouts } = settlement
  const title = `Settlement ${reference}`
  const from = period.from === null ? 'the beginning' : time(period.from)
  // Amounts that reduce what the client is paid are shown as negative.
  const totals = TOTALS.map(([name, label]) => {
    const amount = settlement[name]
    return `<tr>${cell(label)}${money(ADDED.includes(name) || amount === 0 ? amount : -amount)}</tr>`
  })
  const payoutRows = payouts.map(
    (payout) =>
      `<tr>${cell(payout.reference)}${cell(payout.subaccountCode)}${cell(payout.status)}` +
      `${money(payout.amount, 'Amount')}</tr>`,
  )
  const lineRows = lines.map(
    (line) =>
      `<tr>${cell(time(line.postedAt))}${cell(line.kind)}` +
      `${cell(line.sessionId ?? line.payoutReference)}` +
      `${cell(line.merchantRef ?? line.collectionAccountNumber)}` +
      `${LINE_AMOUNTS.map(([field, name]) => money(line[field], name)).join('')}</tr>`,
  )
  // A cancelled settlement keeps its number of lines, but its lines are deleted, so the page omits none.
  const omittedLines = settlement.lines > lines.length && settlement.status !== 'cancelled'
  const body = `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(client)}<br>From ${escapeHtml(from)} to ${escapeHtml(time(settlement.cutOff))} (WAT)<br>
Status: ${escapeHtml(status)}, closed ${escapeHtml(time(settlement.closedAt))}</p>
<table><tbody>${totals.join('\n')}
<tr class="total"><td>Settlement amount (${escapeHtml(settlement.currency)})</td>${money(net)}</tr>
</tbody></table>
<h2>Payouts</h2>
<table><thead><tr><th>Reference<th>Subaccount<th>Status<th class="amount">Amount</tr></thead>
<tbody>${payoutRows.join('\n')}</tbody></table>
<h2>Lines</h2>
<table><thead><tr><th>Posted (WAT)<th>Type<th>Reference<th>For
${LINE_AMOUNTS.map(([, name]) => `<th class="amount">${name}`).join('')}</tr></thead>
<tbody>${lineRows.join('\n')}</tbody></table>
${omittedLines ? `<p>The first ${lines.length} of ${settlement.lines} lines; the CSV has all.</p>` : ''}`
  return printablePage({ title, body })
}

const SETTLEMENTS = '/api/v1/settlements'

const BATCH = 500
const PAGE_LINES_MAX = 1_000

type Line = ReturnType<typeof LineView.present> & { settlement: string }

// Add new columns at the end, because importers may read columns by position.
const COLUMNS: Columns<Line> = [
  ['settlement', ({ settlement }) => settlement],
  ...LineView.columns(
    'kind',
    'postedAt',
    'gross',
    'fee',
    'vat',
    'split',
    'reversed',
    'other',
    'net',
    'subaccountCode',
    'creditId',
    'sessionId',
    'receivedAt',
    'paymentReference',
    'merchantRef',
    'collectionAccountNumber',
    'merchantCode',
    'payoutReference',
  ),
]

const statementSchema = {
  tags: ['Settlements'],
  security: BEARER,
  params: Type.Object({ reference: Type.String() }),
}
const content = (type: string) => ({ content: { [type]: { schema: Type.String() } } })

// GET /api/v1/settlements/{reference}.csv streams all lines; GET …/{reference}.html is a page to print.
export const settlementStatementRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication } = deps
  const onRequest = authentication.requires('payouts:read')
  const exports = new CsvExports()

  app.get(
    `${SETTLEMENTS}/:reference.csv`,
    {
      exposeHeadRoute: false, // A HEAD request would read all lines.
      onRequest,
      config: { errors: ['settlement_not_found'] },
      schema: {
        ...statementSchema,
        operationId: 'exportSettlement',
        summary: 'Export a settlement as CSV',
        description:
          'One row per line, in the order in which the money moved; the net column adds up to the ' +
          'net of the settlement. Columns: docs/settlement.md. Streamed as UTF-8. Cells that a ' +
          'spreadsheet would read as a formula are prefixed with an apostrophe. A truncated file ' +
          'ends with a connection error. At most 3 concurrent exports.',
        querystring: strictObject(FileQuery),
        response: { 200: content('text/csv') },
      },
    },
    async ({ client, params }, reply) => {
      refuseRestricted(client)
      const settlement = requireReference(params.reference)
      const { id: settlementId } = await getSettlement(db, client.id, settlement)
      // Reads the lines in batches, each after the last line of the batch before. A batch that is not full
      // is the last.
      const batches = readBatches<Line, bigint>(async (after) => {
        const page = { settlementId, afterId: after ?? null, limit: BATCH }
        const lines = await listLines(db, page)
        const rows = lines.map((line) => ({ settlement, ...LineView.present(line, deps) }))
        return { rows, next: lines.length < BATCH ? null : (lines.at(-1)?.id ?? null) }
      })
      return exports.send(reply, client.id, { name: settlement, columns: COLUMNS, batches })
    },
  )

  app.get(
    `${SETTLEMENTS}/:reference.html`,
    {
      exposeHeadRoute: false,
      onRequest,
      config: { errors: ['settlement_not_found'] },
      schema: {
        ...statementSchema,
        operationId: 'getSettlementStatement',
        summary: 'Retrieve the statement of a settlement as a page to print',
        description: `With the first ${PAGE_LINES_MAX} lines; the CSV has all.`,
        querystring: NoQuery,
        response: { 200: content('text/html') },
      },
    },
    async ({ client, params }, reply) => {
      refuseRestricted(client)
      const settlement = await getSettlement(db, client.id, requireReference(params.reference))
      const page = { settlementId: settlement.id, afterId: null, limit: PAGE_LINES_MAX }
      const lines = (await listLines(db, page)).map((line) => LineView.present(line, deps))
      return reply.headers(PRINTABLE_HEADERS).send(
        statementPage({
          client: client.name,
          settlement: SettlementView.present(settlement),
          lines,
        }),
      )
    },
  )
}

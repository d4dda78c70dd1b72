// The statement of a settlement: as CSV, with all lines, and as a page to print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { refuseRestricted } from '#domain/access/clients.ts'
import { listLines } from '#domain/settlement/settlement-lines.ts'
import { getSettlement } from '#domain/settlement/settlements.ts'
import { type Columns, CsvExports, readBatches, SpreadsheetQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { NoQuery, query } from '#http/lists.ts'
import { PRINTABLE_HEADERS } from '#http/printable-page.ts'
import { BEARER } from '#http/schemas.ts'
import { statementPage } from './settlement-page.ts'
import { LineView, requireReference, SettlementView } from './settlement-presenters.ts'

const SETTLEMENTS = '/api/v1/settlements'

const BATCH = 500
const PAGE_LINES_MAX = 1_000

type Line = ReturnType<typeof LineView.present> & { settlement: string }

// New columns come last.
const COLUMNS: Columns<Line> = [
  ['settlement', ({ settlement }) => settlement],
  ...LineView.columns(
    ...(['kind', 'postedAt', 'gross', 'fee', 'vat', 'split', 'reversed', 'other', 'net'] as const),
    ...(['subaccountCode', 'creditId', 'sessionId', 'receivedAt', 'paymentReference'] as const),
    ...(['merchantRef', 'collectionAccountNumber', 'merchantCode', 'payoutReference'] as const),
  ),
]

const about = {
  tags: ['Settlements'],
  security: BEARER,
  params: Type.Object({ reference: Type.String() }),
}
const content = (type: string) => ({ content: { [type]: { schema: Type.String() } } })

export const settlementStatementRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication } = deps
  const onRequest = authentication.requires('payouts:read')
  const exports = new CsvExports()

  app.get(
    `${SETTLEMENTS}/:reference.csv`,
    {
      exposeHeadRoute: false, // It would read all lines.
      onRequest,
      config: { errors: ['settlement_not_found'] },
      schema: {
        ...about,
        operationId: 'exportSettlement',
        summary: 'Export a settlement as CSV',
        description:
          'One row per line, in the order in which the money moved; the net column adds up to the ' +
          'net of the settlement. Columns: docs/settlement.md. Streamed as UTF-8. Cells that a ' +
          'spreadsheet would read as a formula are prefixed with an apostrophe. A truncated file ' +
          'ends with a connection error. At most 3 concurrent exports.',
        querystring: query(SpreadsheetQuery),
        response: { 200: content('text/csv') },
      },
    },
    async ({ client, params }, reply) => {
      refuseRestricted(client)
      const settlement = requireReference(params.reference)
      const { id: settlementId } = await getSettlement(db, client.id, settlement)
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
        ...about,
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

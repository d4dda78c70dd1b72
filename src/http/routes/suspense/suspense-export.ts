// /api/v1/suspense.csv: suspense items as they are now.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { listSuspense, type SuspensePosition } from '#domain/suspense/suspense-list.ts'
import { type Columns, type CsvExports, decimal, readBatches, SpreadsheetQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { query } from '#http/lists.ts'
import { BEARER } from '#http/schemas.ts'
import { OrderField, parseSuspenseFilters, SuspenseFilterFields } from './suspense-filters.ts'
import { presentSuspense } from './suspense-presenters.ts'

const BATCH = 500
const DAY_SECONDS = 86_400

type Item = ReturnType<typeof presentSuspense> & { bankName: string }

const COLUMNS: Columns<Item> = [
  ['id', ({ id }) => id],
  ['amount', ({ amount }) => decimal(amount)],
  ['currency', ({ currency }) => currency],
  ['reason', ({ reason }) => reason],
  ['state', ({ state }) => state],
  ['openedAt', ({ openedAt }) => openedAt],
  ['closedAt', ({ closedAt }) => closedAt],
  ['ageDays', ({ ageSeconds }) => Math.floor(ageSeconds / DAY_SECONDS)],
  ['creditId', ({ creditId }) => creditId],
  ['sessionId', ({ sessionId }) => sessionId],
  ['bankCode', ({ bankCode }) => bankCode],
  ['bankName', ({ bankName }) => bankName],
  ['accountNumber', ({ accountNumber }) => accountNumber],
  ['sourceAccountName', ({ sourceAccountName }) => sourceAccountName],
  ['sourceAccountNumberMasked', ({ sourceAccountNumberMasked }) => sourceAccountNumberMasked],
  ['sourceBankCode', ({ sourceBankCode }) => sourceBankCode],
  ['narration', ({ narration }) => narration],
  ['paymentReference', ({ paymentReference }) => paymentReference],
  ['assignedTo', ({ assignedTo }) => assignedTo],
  ['returnReference', ({ returnReference }) => returnReference],
  ['bankReference', ({ bankReference }) => bankReference],
  ['failureReason', ({ failureReason }) => failureReason],
]

export const suspenseExport: FastifyPluginAsyncTypebox<Deps & { exports: CsvExports }> = async (
  app,
  { db, sealer, authentication, banks, clock, exports },
) => {
  const nameBank = bankNames(banks)
  app.get(
    '/api/v1/suspense.csv',
    {
      exposeHeadRoute: false, // It would read the whole list.
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'exportSuspense',
        tags: ['Suspense'],
        summary: 'Export suspense items as CSV',
        description:
          'As they are now, with the filters and orders of the list. Columns: docs/exports.md. ' +
          'Streamed as UTF-8; amounts have two decimals. A truncated file ends with a connection ' +
          'error. At most 3 concurrent exports.',
        security: BEARER,
        querystring: query({ ...SuspenseFilterFields, ...OrderField, ...SpreadsheetQuery }),
        response: {
          200: { content: { 'text/csv': { schema: Type.String() } } },
        },
      },
    },
    async ({ client, query: asked }, reply) => {
      const [filters, now] = [parseSuspenseFilters(asked), clock()]
      const batches = readBatches<Item, SuspensePosition>(async (after) => {
        const page = { order: asked.order, after, now, limit: BATCH }
        const rows = await listSuspense(db, client, { filters, ...page })
        const next = rows.length === BATCH ? (rows.at(-1) ?? null) : null
        const items = rows.map((row) => {
          return { ...presentSuspense(row, sealer, now), bankName: nameBank(row.bankCode) }
        })
        return { rows: items, next }
      })
      return exports.send(reply, client.id, { name: 'suspense', columns: COLUMNS, batches })
    },
  )
}

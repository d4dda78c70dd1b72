// /api/v1/operator/suspense-ageing: suspense by age, at any moment, as JSON, as CSV and as a page to
// print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type AgedSuspense, readSuspenseAgeing } from '#domain/accounting/suspense-ageing.ts'
import { AGE_BUCKETS } from '#domain/records/age-buckets.ts'
import { findLatestTime } from '#domain/records/test-clocks.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { AtQuery, parseAt, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable, oneOf } from '#http/schemas.ts'
import { formatKobo, kobo, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import { registerFiles } from './report-formats.ts'
import { OPERATOR, withReport } from './report-query.ts'

const AGEING = `${OPERATOR}/suspense-ageing`

const Bucket = oneOf(AGE_BUCKETS, 'Age in days of the calendar (WAT).')

const RowBody = named('AgedSuspense', {
  bankCode: Type.String(),
  clientId: nullable('string', { description: 'Null: unidentified.' }),
  currency: Type.String(),
  reason: Type.String(),
  bucket: Bucket,
  count: Type.Number(),
  amount: Type.Number(),
})

const TotalBody = named('AgedSuspenseTotal', {
  currency: Type.String(),
  bucket: Bucket,
  count: Type.Number(),
  amount: Type.Number(),
})

const AgeingBody = named('SuspenseAgeing', {
  at: Type.String(),
  totals: Type.Array(TotalBody, { description: 'By currency and age.' }),
  rows: Type.Array(RowBody, { description: 'By currency, bank, client, reason and age.' }),
})

const COLUMNS: Columns<AgedSuspense> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['clientId', ({ clientCode }) => clientCode],
  ['reason', ({ reason }) => reason],
  // "2-7" alone is a date to some spreadsheets.
  ['ageDays', ({ bucket }) => `${bucket} days`],
  ['count', ({ items }) => Number(items)],
  ['amount', ({ kobo: sum }) => formatKobo(sum)],
  ['currency', ({ currency }) => currency],
]

export const suspenseAgeingRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const read = async (asked: { at?: string }) => {
    const now = await findLatestTime(db, clock())
    const at = parseAt(asked, now)
    const rows = await withReport(db, (tx) => readSuspenseAgeing(tx, { at, now }))
    return { at: timestamp(at ?? now), rows }
  }

  app.get(
    AGEING,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        operationId: 'getSuspenseAgeing',
        tags: ['Accounting'],
        security: BEARER,
        querystring: query(AtQuery),
        summary: 'Retrieve suspense by age',
        description:
          'What was in suspense at a moment, by bank, client, reason and age. Adds up to the ' +
          'balance of suspense in the trial balance of that moment.',
        response: { 200: ApiEnvelope(AgeingBody) },
      },
    },
    async ({ query: asked }) => {
      const { at, rows } = await read(asked)
      return accepted('Suspense retrieved successfully', {
        at,
        totals: totalsOf(rows).map(({ currency, bucket, items, kobo: sum }) => {
          return { currency, bucket, count: Number(items), amount: toNaira(sum) }
        }),
        rows: rows.map(present),
      })
    },
  )

  registerFiles(app, deps, {
    path: AGEING,
    operation: 'SuspenseAgeing',
    of: 'suspense by age',
    fields: AtQuery,
    read: async (asked: { at?: string }) => {
      const { at, rows } = await read(asked)
      const about = [`As of ${at} (West Africa Time)`]
      const table = { columns: COLUMNS, rows, totals: totalsOf(rows) }
      return { name: 'suspense-ageing', title: 'Suspense by age', about, table, stamp: ['at', at] }
    },
  })
}

// By currency and age, in their order.
function totalsOf(rows: readonly AgedSuspense[]): AgedSuspense[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  return currencies.flatMap((currency) =>
    AGE_BUCKETS.flatMap((bucket) => {
      const own = rows.filter((row) => row.currency === currency && row.bucket === bucket)
      if (own.length === 0) return []
      return {
        ...{ bankCode: 'Total', clientCode: null, reason: '', currency, bucket },
        items: own.reduce((total, { items }) => total + items, 0n),
        kobo: kobo(own.reduce((total, row) => total + row.kobo, 0n)),
      }
    }),
  )
}

function present({
  bankCode,
  clientCode,
  currency,
  reason,
  bucket,
  items,
  kobo: sum,
}: AgedSuspense) {
  const [count, amount] = [Number(items), toNaira(sum)]
  return { bankCode, clientId: clientCode, currency, reason, bucket, count, amount }
}

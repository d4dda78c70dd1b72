// /api/v1/operator/suspense-ageing: suspense by age, at any moment, as JSON, as CSV and as a page to
// print.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { timestamp } from '#clock.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { AtQuery, parseAt } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, kobo } from '#money.ts'
import { AGEING_BUCKETS } from '#records/shared-sql.ts'
import { type AgedSuspense, readSuspenseAgeing } from './operator-balances.ts'
import { OPERATOR, registerFiles, SCOPES, withReport } from './report-views.ts'

const AGEING = `${OPERATOR}/suspense-ageing`

type Ageing = { at: string; rows: AgedSuspense[] }

const bucketOf = (f: Fields<AgedSuspense>) =>
  f.oneOf('bucket', AGEING_BUCKETS, 'Age in days of the calendar (WAT).')

const RowView = view('AgedSuspense', (f: Fields<AgedSuspense>) => ({
  bankCode: f.text('bankCode'),
  clientId: f.textOrNull('clientCode', 'Null: unidentified.'),
  currency: f.text('currency'),
  reason: f.text('reason'),
  bucket: bucketOf(f),
  count: f.number(({ items }) => Number(items)),
  amount: f.naira('kobo'),
}))

const TotalView = view('AgedSuspenseTotal', (f: Fields<AgedSuspense>) => ({
  currency: f.text('currency'),
  bucket: bucketOf(f),
  count: f.number(({ items }) => Number(items)),
  amount: f.naira('kobo'),
}))

const AgeingView = view('SuspenseAgeing', (f: Fields<Ageing>) => ({
  at: f.text('at'),
  totals: f.list(TotalView, ({ rows }) => totalsOf(rows), 'By currency and age.'),
  rows: f.list(RowView, 'rows', 'By currency, bank, client, reason and age.'),
}))

export const COLUMNS: Columns<AgedSuspense> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['clientId', ({ clientCode }) => clientCode],
  ['reason', ({ reason }) => reason],
  // "days" is added because some spreadsheets read "2-7" as a date.
  ['ageDays', ({ bucket }) => `${bucket} days`],
  ['count', ({ items }) => Number(items)],
  ['amount', ({ kobo: sum }) => formatKobo(sum), 'amount'],
  ['currency', ({ currency }) => currency],
]

const suspenseAgeing = resource(AGEING, {
  tag: 'Accounting',
  noun: 'suspense',
  view: AgeingView,
  scopes: SCOPES,
}).get('getSuspenseAgeing', {
  path: '',
  summary: 'Retrieve suspense by age',
  description:
    'What was in suspense at a moment, by bank, client, reason and age. Adds up to the ' +
    'balance of suspense in the trial balance of that moment.',
  query: AtQuery,
  run: (_db, call) => read(call, call.query),
})

export const suspenseAgeingRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  suspenseAgeing.register(app, deps)
  registerFiles(app, deps, {
    path: AGEING,
    operation: 'SuspenseAgeing',
    of: 'suspense by age',
    fields: AtQuery,
    read: async (query: { at?: string }) => {
      const { at, rows } = await read(deps, query)
      const about = [`As of ${at} (West Africa Time)`]
      const table = { columns: COLUMNS, rows, totals: totalsOf(rows) }
      return { name: 'suspense-ageing', title: 'Suspense by age', about, table, stamp: ['at', at] }
    },
  })
}

async function read({ db, clock }: Deps, query: { at?: string }): Promise<Ageing> {
  const now = clock()
  const at = parseAt(query, now)
  const rows = await withReport(db, (tx) => readSuspenseAgeing(tx, { at, now }))
  return { at: timestamp(at ?? now), rows }
}

// Adds up the rows by currency and age, and keeps both orders.
function totalsOf(rows: readonly AgedSuspense[]): AgedSuspense[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  return currencies.flatMap((currency) =>
    AGEING_BUCKETS.flatMap((bucket) => {
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

// /api/v1/overview: dashboard figures, and the day by bank and merchant.

import { Type } from '@fastify/type-provider-typebox'
import type { Scope } from '#domain/access/scopes.ts'
import { computeNet, type Sums } from '#domain/records/movements.ts'
import {
  type BreakdownRow,
  MERCHANTS_MAX,
  readBreakdown,
} from '#domain/reports/daily-breakdowns.ts'
import { readTotals } from '#domain/reports/hourly-totals.ts'
import {
  buildSeries,
  COUNT_MAX,
  type Comparison,
  compareWithLastWeek,
  DAYS_SHOWN,
  firstHourShown,
  HOURS_SHOWN,
  type Issues,
  type Period,
  readIssues,
  successRate,
} from '#domain/reports/overview.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { type Fields, view } from '#http/view.ts'
import { CURRENCY } from '#money.ts'
import { watDayStart } from '#wat-time.ts'

// Shared by periods and by the parts of a day.
const { gross, net, credits, ...lessFields } = view(
  undefined,
  (f: Fields<Sums & { credits: bigint }>) => ({
    gross: f.naira('grossKobo', 'Credits received.'),
    net: f.naira(computeNet, 'gross − reversed − returned − refunded − suspended − fees.'),
    credits: f.integer('credits'),
    reversed: f.naira('reversedKobo', 'Reversed by banks.'),
    returned: f.naira('returnedKobo', 'Returned to payers from suspense.'),
    refunded: f.naira(
      'refundedKobo',
      'Refunded to payers, confirmed by the banks, less what came back.',
    ),
    suspended: f.naira(
      'suspendedKobo',
      'Net change of suspense; negative when more left than entered.',
    ),
    fees: f.naira('feesKobo', 'Fees and VAT charged, less those given back.'),
  }),
).fields

const PointView = view('OverviewPoint', (f: Fields<Period>) => ({
  from: f.time('from', 'Start of the period.'),
  gross,
  net,
  credits,
  successful: f.integer('successful', 'Successful payments.'),
}))

const PeriodView = view('OverviewPeriod', (f: Fields<Period>) => ({
  ...PointView.fields,
  ...lessFields,
  expired: f.integer('expired'),
  cancelled: f.integer('cancelled'),
  successRate: f.numberOrNull(
    successRate,
    'Successful share of closed payments, 0 to 1. Null if none closed.',
  ),
}))

const ComparisonView = view('OverviewComparison', (f: Fields<Comparison>) => ({
  until: f.time('until', 'The last full hour: both count up to it.'),
  today: f.one(PointView, 'today'),
  lastWeek: f.one(PointView, 'lastWeek'),
}))

const SuspenseView = view(undefined, (f: Fields<Issues>) => ({
  amount: f.naira('suspenseKobo'),
  items: f.integer('suspenseItems', `Counted up to ${COUNT_MAX}.`),
}))

type Overview = ReturnType<typeof buildSeries> & {
  now: Date
  comparison: Comparison
  issues: Issues
  isComplete: boolean
}
type Context = { scopes: ReadonlySet<Scope> }

const OverviewView = view('Overview', (f: Fields<Overview, Context>) => ({
  now: f.time('now'),
  currency: f.text(() => CURRENCY),
  today: f.one(PeriodView, 'today'),
  yesterday: f.one(PeriodView, 'yesterday'),
  comparison: f.one(ComparisonView, 'comparison'),
  inSuspense: f.as(
    Type.Union([SuspenseView.schema, Type.Null()], {
      description: 'Null without the scope suspense:read.',
    }),
    ({ issues }, { scopes }) => (scopes.has('suspense:read') ? SuspenseView.present(issues) : null),
  ),
  failingWebhooks: f.as(
    Type.Unsafe({
      type: ['integer', 'null'],
      description: 'Destinations whose last attempt failed. Null without the scope webhooks:read.',
    }),
    ({ issues }, { scopes }) =>
      scopes.has('webhooks:read') ? Number(issues.failingWebhooks) : null,
  ),
  hours: f.list(PointView, 'hours', `The last ${HOURS_SHOWN} hours; the current one last.`),
  days: f.list(PointView, 'days', `The last ${DAYS_SHOWN} days; today last.`),
  isComplete: f.flag('isComplete', 'False while history is still being counted.'),
}))

const shareFields = { gross, ...lessFields, net, credits }

const BankView = view('OverviewBank', (f: Fields<BreakdownRow, Pick<Deps, 'nameBank'>>) => ({
  bankCode: f.textOrNull(({ bankCode }) => bankCode || null, 'Null for what no bank is known of.'),
  bankName: f.textOrNull(({ bankCode }, { nameBank }) => (bankCode ? nameBank(bankCode) : null)),
  ...shareFields,
}))

const MerchantView = view('OverviewMerchant', (f: Fields<BreakdownRow>) => ({
  merchantCode: f.textOrNull(
    ({ merchantCode }) => merchantCode || null,
    'Null for payments, and for the rest.',
  ),
  isRest: f.flag('isRest', `All merchants but the first ${MERCHANTS_MAX}.`),
  ...shareFields,
}))

type Breakdown = { from: Date; rows: BreakdownRow[] }

const BreakdownView = view('OverviewBreakdown', (f: Fields<Breakdown, Pick<Deps, 'nameBank'>>) => ({
  from: f.time('from', 'Start of the day (West Africa Time).'),
  currency: f.text(() => CURRENCY),
  banks: f.list(
    BankView,
    ({ rows }) => rows.filter(({ bankCode }) => bankCode !== null),
    'By the bank that reported the credit. Largest gross first.',
  ),
  merchants: f.list(
    MerchantView,
    ({ rows }) => rows.filter(({ bankCode }) => bankCode === null),
    'By merchantCode of the collection account. Largest gross first.',
  ),
}))

export const overview = resource('/api/v1/overview', {
  tag: 'Overview',
  noun: 'overview',
  view: OverviewView,
  scopes: { read: 'credits:read', write: 'credits:read' },
  isForWholeClient: true,
})
  .get('getOverviewBreakdown', {
    path: '/breakdown',
    summary: 'Retrieve today by bank and merchant',
    description:
      'Each adds up to today in the overview. Payments have no merchantCode and are one row.',
    view: BreakdownView,
    message: 'Breakdown retrieved successfully',
    run: async (db, { clientId, now }) => {
      const day = watDayStart(now)
      return { from: day, rows: await readBreakdown(db, clientId, { day }) }
    },
  })
  .get('getOverview', {
    path: '',
    summary: 'Retrieve the overview',
    description:
      'Days are in West Africa Time. Every movement counts when it is posted: a reversal today ' +
      'of a credit from yesterday lowers the net of today. Gross, reversed, returned, ' +
      'refunded, suspended, fees and net are defined as in /api/v1/balances and the credits ' +
      'CSV; over all periods they add up to the balances.',
    run: async (db, { clientId, now }) => {
      const [{ hours, isComplete }, issues] = await Promise.all([
        readTotals(db, clientId, { since: firstHourShown(now) }),
        readIssues(db, clientId),
      ])
      const comparison = compareWithLastWeek(hours, now)
      return { ...buildSeries(hours, now), now, comparison, issues, isComplete }
    },
  })

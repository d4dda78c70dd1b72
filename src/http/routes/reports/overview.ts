// /api/v1/overview: dashboard figures, and the day by bank and merchant.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { refuseRestricted } from '#domain/access/clients.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
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
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import { CURRENCY, toNaira } from '#money.ts'
import { timestamp, watDayStart } from '#wat-time.ts'

const PointBody = named('OverviewPoint', {
  from: Type.String({ description: 'Start of the period.' }),
  gross: Type.Number({ description: 'Credits received.' }),
  net: Type.Number({ description: 'gross − reversed − returned − refunded − suspended − fees.' }),
  credits: Type.Integer(),
  successful: Type.Integer({ description: 'Successful payments.' }),
})

const LessFields = {
  reversed: Type.Number({ description: 'Reversed by banks.' }),
  returned: Type.Number({ description: 'Returned to payers from suspense.' }),
  refunded: Type.Number({
    description: 'Refunded to payers, confirmed by the banks, less what came back.',
  }),
  suspended: Type.Number({
    description: 'Net change of suspense; negative when more left than entered.',
  }),
  fees: Type.Number({ description: 'Fees and VAT charged, less those given back.' }),
}

const PeriodBody = named('OverviewPeriod', {
  ...PointBody.properties,
  ...LessFields,
  expired: Type.Integer(),
  cancelled: Type.Integer(),
  successRate: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'Successful share of closed payments, 0 to 1. Null if none closed.',
  }),
})

const OverviewBody = named('Overview', {
  now: Type.String(),
  currency: Type.String(),
  today: PeriodBody,
  yesterday: PeriodBody,
  comparison: named('OverviewComparison', {
    until: Type.String({ description: 'The last full hour: both count up to it.' }),
    today: PointBody,
    lastWeek: PointBody,
  }),
  inSuspense: Type.Union(
    [
      Type.Object({
        amount: Type.Number(),
        items: Type.Integer({ description: `Counted up to ${COUNT_MAX}.` }),
      }),
      Type.Null(),
    ],
    { description: 'Null without the scope suspense:read.' },
  ),
  failingWebhooks: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Destinations whose last attempt failed. Null without the scope webhooks:read.',
  }),
  hours: Type.Array(PointBody, {
    description: `The last ${HOURS_SHOWN} hours; the current one last.`,
  }),
  days: Type.Array(PointBody, { description: `The last ${DAYS_SHOWN} days; today last.` }),
  isComplete: Type.Boolean({
    description: 'False while history is still being counted.',
  }),
})

const { gross, net, credits } = PointBody.properties
const ShareFields = { gross, ...LessFields, net, credits }

const BreakdownBody = named('OverviewBreakdown', {
  from: Type.String({ description: 'Start of the day (West Africa Time).' }),
  currency: Type.String(),
  banks: Type.Array(
    named('OverviewBank', {
      bankCode: nullable('string', { description: 'Null for what no bank is known of.' }),
      bankName: nullable('string'),
      ...ShareFields,
    }),
    { description: 'By the bank that reported the credit. Largest gross first.' },
  ),
  merchants: Type.Array(
    named('OverviewMerchant', {
      merchantCode: nullable('string', { description: 'Null for payments, and for the rest.' }),
      isRest: Type.Boolean({ description: `All merchants but the first ${MERCHANTS_MAX}.` }),
      ...ShareFields,
    }),
    { description: 'By merchantCode of the collection account. Largest gross first.' },
  ),
})

export const overviewRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  await app.register(breakdown, deps)

  app.get(
    '/api/v1/overview',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'getOverview',
        tags: ['Overview'],
        summary: 'Retrieve the overview',
        description:
          'Days are in West Africa Time. Every movement counts when it is posted: a reversal today ' +
          'of a credit from yesterday lowers the net of today. Gross, reversed, returned, ' +
          'refunded, suspended, fees and net are defined as in /api/v1/balances and the credits ' +
          'CSV; over all ' +
          'periods they add up to the balances.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(OverviewBody) },
      },
    },
    async ({ client, scopes }) => {
      refuseRestricted(client)
      const now = clock()
      const [totals, troubles] = await Promise.all([
        readTotals(db, client.id, { since: firstHourShown(now) }),
        readIssues(db, client.id),
      ])
      const { today, yesterday, hours, days } = buildSeries(totals.hours, now)
      return accepted('Overview retrieved successfully', {
        now: timestamp(now),
        currency: CURRENCY,
        today: presentPeriod(today),
        yesterday: presentPeriod(yesterday),
        comparison: presentComparison(compareWithLastWeek(totals.hours, now)),
        inSuspense: scopes.has('suspense:read') ? presentSuspense(troubles) : null,
        failingWebhooks: scopes.has('webhooks:read') ? Number(troubles.failingWebhooks) : null,
        hours: hours.map(presentPoint),
        days: days.map(presentPoint),
        isComplete: totals.isComplete,
      })
    },
  )
}

const breakdown: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, banks, authentication, clock } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/overview/breakdown',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'getOverviewBreakdown',
        tags: ['Overview'],
        summary: 'Retrieve today by bank and merchant',
        description:
          'Each adds up to today in the overview. Payments have no merchantCode and are one row.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(BreakdownBody) },
      },
    },
    async ({ client }) => {
      refuseRestricted(client)
      const day = watDayStart(clock())
      const rows = await readBreakdown(db, client.id, { day })
      return accepted('Breakdown retrieved successfully', {
        from: timestamp(day),
        currency: CURRENCY,
        banks: rows.flatMap((row) => {
          if (row.bankCode === null) return []
          const code = row.bankCode || null
          return [{ bankCode: code, bankName: code && nameBank(code), ...presentShare(row) }]
        }),
        merchants: rows.flatMap((row) => {
          if (row.bankCode !== null) return []
          const { isRest, merchantCode } = row
          return [{ merchantCode: merchantCode || null, isRest, ...presentShare(row) }]
        }),
      })
    },
  )
}

function presentShare(row: BreakdownRow) {
  return {
    gross: toNaira(row.grossKobo),
    ...presentLess(row),
    net: toNaira(computeNet(row)),
    credits: Number(row.credits),
  }
}

function presentLess(sums: Sums) {
  return {
    reversed: toNaira(sums.reversedKobo),
    returned: toNaira(sums.returnedKobo),
    refunded: toNaira(sums.refundedKobo),
    suspended: toNaira(sums.suspendedKobo),
    fees: toNaira(sums.feesKobo),
  }
}

function presentComparison({ until, today, lastWeek }: Comparison) {
  return {
    until: timestamp(until),
    today: presentPoint(today),
    lastWeek: presentPoint(lastWeek),
  }
}

function presentSuspense({ suspenseKobo, suspenseItems }: Issues) {
  return { amount: toNaira(suspenseKobo), items: Number(suspenseItems) }
}

function presentPoint(period: Period) {
  return {
    from: timestamp(period.from),
    gross: toNaira(period.grossKobo),
    net: toNaira(computeNet(period)),
    credits: Number(period.credits),
    successful: Number(period.successful),
  }
}

function presentPeriod(period: Period) {
  return {
    ...presentPoint(period),
    ...presentLess(period),
    expired: Number(period.expired),
    cancelled: Number(period.cancelled),
    successRate: successRate(period),
  }
}

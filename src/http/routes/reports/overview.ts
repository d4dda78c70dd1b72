// /api/v1/overview: dashboard figures.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { refuseRestricted } from '#domain/access/clients.ts'
import { computeNet } from '#domain/records/movements.ts'
import { readTotals } from '#domain/reports/hourly-totals.ts'
import {
  buildSeries,
  COUNT_MAX,
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
import { ApiEnvelope, ApiFailure, BEARER, named } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'

const PointBody = named('OverviewPoint', {
  from: Type.String({ description: 'Start of the period.' }),
  gross: Type.Number({ description: 'Credits received.' }),
  net: Type.Number({ description: 'gross − reversed − returned − suspended − fees.' }),
  credits: Type.Integer(),
  successful: Type.Integer({ description: 'Successful payments.' }),
})

const PeriodBody = named('OverviewPeriod', {
  ...PointBody.properties,
  reversed: Type.Number({ description: 'Reversed by banks.' }),
  returned: Type.Number({ description: 'Returned to payers.' }),
  suspended: Type.Number({
    description: 'Net change of suspense; negative when more left than entered.',
  }),
  fees: Type.Number({ description: 'Fees and VAT charged, less those given back.' }),
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

export const overviewRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps

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
          'suspended, fees and net are defined as in /api/v1/balances and the credits CSV; over all ' +
          'periods they add up to the balances.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(OverviewBody), '4xx': ApiFailure },
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
        currency: 'NGN',
        today: presentPeriod(today),
        yesterday: presentPeriod(yesterday),
        inSuspense: scopes.has('suspense:read') ? presentSuspense(troubles) : null,
        failingWebhooks: scopes.has('webhooks:read') ? Number(troubles.failingWebhooks) : null,
        hours: hours.map(presentPoint),
        days: days.map(presentPoint),
        isComplete: totals.isComplete,
      })
    },
  )
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
    reversed: toNaira(period.reversedKobo),
    returned: toNaira(period.returnedKobo),
    suspended: toNaira(period.suspendedKobo),
    fees: toNaira(period.feesKobo),
    expired: Number(period.expired),
    cancelled: Number(period.cancelled),
    successRate: successRate(period),
  }
}

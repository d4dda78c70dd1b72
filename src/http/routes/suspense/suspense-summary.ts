// /api/v1/suspense/summary: what is in suspense, added up by reason and age.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { AGE_BUCKETS } from '#domain/records/age-buckets.ts'
import {
  SUMMARY_MAX,
  type SuspenseSum,
  type SuspenseSums,
  sumSuspense,
} from '#domain/suspense/suspense-list.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, oneOf } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import { parseSuspenseFilters, SuspenseFilterFields } from './suspense-filters.ts'

const Sum = { currency: Type.String(), count: Type.Integer(), amount: Type.Number() }

const SummaryBody = named('SuspenseSummary', {
  totals: Type.Array(named('SuspenseTotal', Sum), { description: 'One for each currency.' }),
  byReason: Type.Array(named('SuspenseByReason', { reason: Type.String(), ...Sum }), {
    description: 'Largest sum first.',
  }),
  byAge: Type.Array(
    named('SuspenseByAge', {
      age: oneOf(AGE_BUCKETS, 'Days in suspense, of the calendar in West Africa.'),
      ...Sum,
    }),
    { description: 'Youngest first.' },
  ),
  isComplete: Type.Boolean({
    description: `False if there are more than ${SUMMARY_MAX} items: the newest are added up.`,
  }),
})

export const suspenseSummary: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  app.get(
    '/api/v1/suspense/summary',
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'summarizeSuspense',
        tags: ['Suspense'],
        summary: 'Add up suspense items by reason and age',
        description: 'Number and sum of the items that the list has with the same filters.',
        security: BEARER,
        querystring: query(SuspenseFilterFields),
        response: { 200: ApiEnvelope(SummaryBody) },
      },
    },
    async ({ client, query: asked }) => {
      const filters = parseSuspenseFilters(asked)
      const sums = await sumSuspense(db, client, { filters, now: clock() })
      return accepted('Suspense added up successfully', presentSums(sums))
    },
  )
}

function presentSums({ sums, isComplete }: SuspenseSums) {
  const byAge = AGE_BUCKETS.flatMap((age) => {
    return sums.filter((sum) => sum.age === age).map((sum) => ({ age, ...present(sum) }))
  })
  return {
    totals: sums.filter(({ reason, age }) => reason === null && age === null).map(present),
    byReason: sums.flatMap((sum) => {
      return sum.reason === null ? [] : [{ reason: sum.reason, ...present(sum) }]
    }),
    byAge,
    isComplete,
  }
}

function present({ currency, items, kobo }: SuspenseSum) {
  return { currency, count: Number(items), amount: toNaira(kobo) }
}

// GET /api/v1/search: find objects by reference, number or name.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/snapshot.ts'
import { HIT_TYPES, type Hit, type HitType, search } from '#domain/reports/search.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { query } from '#http/lists.ts'
import { ACCOUNTS } from '#http/routes/accounts/account-presenters.ts'
import { ApiEnvelope, ApiFailure, BEARER, named, nullable, text } from '#http/schemas.ts'
import { toNaira } from '#money.ts'

const HitBody = named('SearchHit', {
  type: Type.Unsafe<HitType>({ type: 'string', enum: [...HIT_TYPES] }),
  reference: Type.String(),
  href: Type.String({ description: 'Path of the object.' }),
  title: Type.String(),
  detail: nullable('string'),
  amount: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
  currency: nullable('string'),
})

const PATHS: Record<HitType, string> = {
  payment: '/api/v1/payments',
  advice: '/api/v1/advices',
  account: ACCOUNTS,
  credit: '/api/v1/credits',
  event: '/api/v1/events',
}

export const searchRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps

  app.get(
    '/api/v1/search',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'search',
        tags: ['Overview'],
        summary: 'Search',
        description:
          'By payment, advice or event reference, merchantRef, session ID, account number, credit ' +
          'ID, email address or part of a name (recent objects only). At most ten results, best ' +
          'match first, limited to your scopes.',
        security: BEARER,
        querystring: query({ q: text(100, 'Search term.') }),
        response: { 200: ApiEnvelope(Type.Array(HitBody)), '4xx': ApiFailure },
      },
    },
    async ({ client, scopes, query: { q } }) => {
      const how = { sealer, client, scopes, now: clock() }
      const hits = await withSnapshot(db, (tx) => search(tx, how, q.trim()))
      return accepted('Search completed successfully', hits.map(presentHit))
    },
  )
}

function presentHit({ amountKobo, ...hit }: Hit) {
  const href = `${PATHS[hit.type]}/${encodeURIComponent(hit.reference)}`
  return { ...hit, href, amount: amountKobo === null ? null : toNaira(amountKobo) }
}

// GET /api/v1/search: whatever has this reference, number or name.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/snapshot.ts'
import { HIT_TYPES, type Hit, type HitType, search } from '#domain/reports/search.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { query } from '#http/lists.ts'
import { ACCOUNTS } from '#http/routes/accounts/account-presenters.ts'
import { ApiEnvelope, ApiFailure, BEARER, nullable, text } from '#http/schemas.ts'
import { toNaira } from '#money.ts'

const HitBody = Type.Object({
  type: Type.Unsafe<HitType>({ type: 'string', enum: [...HIT_TYPES] }),
  reference: Type.String(),
  href: Type.String({ description: 'Path to get object.' }),
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
        summary: 'Whatever has this reference, number or name',
        description:
          'By payment, advice or event reference, a merchantRef, a session id, an account ' +
          'number, the id of a credit, an email address, or a part of a name (among the latest). ' +
          'At most ten, the likeliest first; only what the scopes let see.',
        security: BEARER,
        querystring: query({ q: text(100, 'What is known of object.') }),
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

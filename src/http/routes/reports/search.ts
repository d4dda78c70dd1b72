// GET /api/v1/search: find objects by reference, number or name.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/snapshot.ts'
import { HIT_TYPES, type Hit, type HitType, search } from '#domain/reports/search.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { query } from '#http/lists.ts'
import { ACCOUNTS } from '#http/routes/accounts/account-presenters.ts'
import { ApiEnvelope, BEARER, named, nullable, text } from '#http/schemas.ts'
import { toNaira } from '#money.ts'

const HitBody = named('SearchHit', {
  type: Type.Unsafe<HitType>({ type: 'string', enum: [...HIT_TYPES] }),
  reference: Type.String(),
  href: Type.String({ description: 'Path of the object.' }),
  title: Type.String(),
  detail: nullable('string'),
  amount: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
  currency: nullable('string'),
  of: Type.Union(
    [
      named('SearchHitOwner', {
        type: Type.Unsafe<HitType>({ type: 'string', enum: [...HIT_TYPES] }),
        reference: Type.String(),
      }),
      Type.Null(),
    ],
    { description: 'Of a refund, the payment or credit that it refunds.' },
  ),
})

const PATHS: Record<HitType, string> = {
  payment: '/api/v1/payments',
  advice: '/api/v1/advices',
  account: ACCOUNTS,
  credit: '/api/v1/credits',
  event: '/api/v1/events',
  payout: '/api/v1/payouts',
  settlement: '/api/v1/settlements',
  refund: '/api/v1/refunds',
  return: '/api/v1/operator/returns',
  statement: '/api/v1/operator/statements',
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
          'By the beginning of any reference (three characters or more), merchantRef, session ID or ' +
          'account number (six or more), by event or credit ID, email address, phone number, amount ' +
          'or part of a name. Amounts and names are matched among recent objects only. Finds ' +
          'payments, advices, accounts, credits, events, payouts, settlements and refunds; for ' +
          'operators also returns and statements. At most five of a kind and twenty in all, best ' +
          'match first, limited to your scopes.',
        security: BEARER,
        querystring: query({ q: text(100, 'Search term.') }),
        response: { 200: ApiEnvelope(Type.Array(HitBody)) },
      },
    },
    async ({ client, scopes, withoutAlerts, query: { q } }) => {
      // Of all clients, where the accounting is done.
      const payouts = scopes.has('accounting:read') ? '/api/v1/operator/payouts' : PATHS.payout
      const present = (hit: Hit) =>
        presentHit(hit, hit.type === 'payout' ? payouts : PATHS[hit.type])
      const how = { sealer, client, scopes, withoutAlerts, now: clock() }
      const hits = await withSnapshot(db, (tx) => search(tx, how, q.trim()))
      return accepted('Search completed successfully', hits.map(present))
    },
  )
}

function presentHit({ amountKobo, of, ...hit }: Hit, path: string) {
  const href = `${path}/${encodeURIComponent(hit.reference)}`
  const amount = amountKobo === null ? null : toNaira(amountKobo)
  return { ...hit, of: of ?? null, href, amount }
}

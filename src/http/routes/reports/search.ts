// GET /api/v1/search: find objects by reference, number or name.

import { Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/snapshot.ts'
import type { Scope } from '#domain/access/scopes.ts'
import { HIT_TYPES, type Hit, type HitType, search } from '#domain/reports/search.ts'
import { resource } from '#http/resource.ts'
import { ACCOUNTS } from '#http/routes/accounts/account-presenters.ts'
import { named, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'

const Kind = Type.Unsafe<HitType>({ type: 'string', enum: [...HIT_TYPES] })

const HitView = view('SearchHit', (f: Fields<Hit, { scopes: ReadonlySet<Scope> }>) => ({
  type: f.as(Kind, 'type'),
  reference: f.text('reference'),
  href: f.text(
    ({ type, reference }, { scopes }) => `${pathOf(type, scopes)}/${encodeURIComponent(reference)}`,
    'Path of the object.',
  ),
  title: f.text('title'),
  detail: f.textOrNull('detail'),
  amount: f.nairaOrNull('amountKobo'),
  currency: f.textOrNull('currency'),
  of: f.as(
    Type.Union([named('SearchHitOwner', { type: Kind, reference: Type.String() }), Type.Null()], {
      description: 'Of a refund, the payment or credit that it refunds.',
    }),
    ({ of }) => of ?? null,
  ),
}))

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

// Accounting sees the payouts of all clients.
function pathOf(type: HitType, scopes: ReadonlySet<Scope>): string {
  const isOperators = type === 'payout' && scopes.has('accounting:read')
  return isOperators ? '/api/v1/operator/payouts' : PATHS[type]
}

export const searching = resource('/api/v1/search', {
  tag: 'Overview',
  noun: 'search',
  view: HitView,
  scopes: { read: 'credits:read', write: 'credits:read' },
}).get('search', {
  path: '',
  summary: 'Search',
  description:
    'By the beginning of any reference (three characters or more), merchantRef, session ID or ' +
    'account number (six or more), by event or credit ID, email address, phone number, amount ' +
    'or part of a name. Amounts and names are matched among recent objects only. Finds ' +
    'payments, advices, accounts, credits, events, payouts, settlements and refunds; for ' +
    'operators also returns and statements. At most five of a kind and twenty in all, best ' +
    'match first, limited to your scopes.',
  query: { q: text(100, 'Search term.') },
  view: Type.Array(HitView.schema),
  message: 'Search completed successfully',
  run: async (db, call) => {
    const hits = await withSnapshot(db, (tx) => search(tx, call, call.query.q.trim()))
    return hits.map((hit) => HitView.present(hit, call))
  },
})

// /api/v1/collection-ceilings: the operator's limits on a client's collection accounts, by KYC tier. The
// client reads them, and only the operator sets them.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { CLIENTS, requireClientId } from '#access/client-routes.ts'
import { getClient } from '#access/clients.ts'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { named } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { KYC_TIERS, type KycTier } from '#identity/tiers.ts'
import { koboOf } from '#money.ts'
import { type Ceiling, readCeilings, replaceCeilings } from './ceilings.ts'
import { LimitAmount, LimitsView, Tier } from './views.ts'

const CeilingView = view('CollectionCeiling', (f: Fields<Ceiling>) => ({
  tier: f.integer('tier', 'KYC tier.'),
  ...LimitsView.fields,
}))

const CeilingsView = view('CollectionCeilings', (f: Fields<{ tiers: readonly Ceiling[] }>) => ({
  tiers: f.list(CeilingView, 'tiers', 'One for each KYC tier. Null: no ceiling.'),
}))

const CeilingsRequest = named(
  'CollectionCeilingsRequest',
  {
    tiers: Type.Array(
      Type.Object(
        {
          tier: Type.Unsafe<KycTier>({ ...Tier, description: 'KYC tier.' }),
          perCredit: Type.Optional(LimitAmount),
          perDay: Type.Optional(LimitAmount),
          balanceMax: Type.Optional(LimitAmount),
        },
        {
          additionalProperties: false,
          'x-says': 'Must be an object with tier, and perCredit, perDay or balanceMax.',
        },
      ),
      {
        maxItems: KYC_TIERS.length,
        description: 'Tiers that are missing have no ceiling. Null or missing: none.',
        'x-says': `Must be a list of at most ${KYC_TIERS.length} tiers with their ceilings.`,
      },
    ),
  },
  { additionalProperties: false },
)

const READ = 'Ceilings retrieved successfully'

export const collectionCeilings = resource('/api/v1/collection-ceilings', {
  tag: 'Limits',
  noun: 'ceiling',
  view: CeilingsView,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
}).get('getCollectionCeilings', {
  path: '',
  summary: 'Retrieve the operator’s ceilings on your collection accounts',
  description:
    'By KYC tier. Your own limits and limit profiles may be lower. The limits in force of an account ' +
    'are never above its ceiling.',
  message: READ,
  run: async (db, { clientId }) => ({ tiers: await readCeilings(db, clientId) }),
})

export const clientCeilings = resource(`${CLIENTS}/:clientId/collection-ceilings`, {
  tag: 'Operator',
  noun: 'ceiling',
  view: CeilingsView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
})
  .get('getClientCollectionCeilings', {
    path: '',
    summary: 'Retrieve the ceilings on a client’s collection accounts',
    description: 'By KYC tier: the most that an account receives at once and in a day, and holds.',
    errors: ['client_not_found'],
    message: READ,
    run: async (db, { params, now }) => {
      const { id } = await getClient(db, now, params.clientId)
      return { tiers: await readCeilings(db, id) }
    },
  })
  .replace('setClientCollectionCeilings', {
    path: '',
    summary: 'Set the ceilings on a client’s collection accounts',
    description:
      'Replaces all of them, from the next credit on. The client cannot raise them: a credit above one ' +
      'is suspended.',
    body: CeilingsRequest,
    errors: ['client_not_found'],
    message: 'Ceilings updated successfully',
    parse: ({ body }) => parseCeilings(body),
    run: async (tx, call) => {
      const client = await getClient(tx, call.now, call.params.clientId)
      return { tiers: await replaceCeilings(tx, call, { client, ceilings: call.input }) }
    },
  })

function parseCeilings({ tiers }: Static<typeof CeilingsRequest>): Ceiling[] {
  if (new Set(tiers.map(({ tier }) => tier)).size < tiers.length) {
    const message = 'Must name each tier once.'
    throw new Refusal('invalid_request', [{ field: 'tiers', message }])
  }
  return tiers.map(({ tier, perCredit, perDay, balanceMax }) => ({
    tier,
    perCreditKobo: koboOf(perCredit) ?? null,
    perDayKobo: koboOf(perDay) ?? null,
    balanceMaxKobo: koboOf(balanceMax) ?? null,
  }))
}

// /api/v1/limit-profiles: limits that collection accounts share, by name or by KYC tier.
// /api/v1/collection-ceilings and /api/v1/operator/clients/{clientId}/collection-ceilings: the operator's
// limits on a client's collection accounts.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { CLIENTS, requireClientId } from '#access/client-routes.ts'
import { getClient } from '#access/clients.ts'
import { refuseRestricted } from '#access/permissions.ts'
import { invalidField, Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { named, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { KYC_TIERS, type KycTier } from '#identity/tiers.ts'
import { koboOf } from '#money.ts'
import {
  type Ceiling,
  createProfile,
  deleteProfile,
  getProfile,
  type LimitProfile,
  listProfiles,
  PROFILES_MAX,
  type ProfileTerms,
  readCeilings,
  replaceCeilings,
  replaceProfile,
} from './limits.ts'
import { LimitAmount, LimitsView, Tier } from './views.ts'

const CODE = '^[a-z0-9][a-z0-9_-]{0,39}$'
const CODE_FORM = new RegExp(CODE)
const NAME_MAX = 60

const Code = Type.String({
  pattern: CODE,
  description: 'How accounts name it. Cannot be changed.',
  'x-says': 'Must be 1 to 40 lower-case letters, digits, dashes and underscores.',
})
const Name = text(NAME_MAX, 'Display name.')
const Tiers = Type.Unsafe<KycTier[]>({
  type: 'array',
  uniqueItems: true,
  items: { type: 'integer', enum: [...KYC_TIERS], 'x-says': 'Must be 1, 2 or 3.' },
  description: 'Applies to all accounts of these KYC tiers. A tier has at most one profile.',
  'x-says': 'Must be a list of distinct tiers (1, 2 or 3).',
})

const ProfileRequest = namedBody('LimitProfileRequest', {
  code: Code,
  name: Name,
  perCredit: Type.Optional(LimitAmount),
  perDay: Type.Optional(LimitAmount),
  balanceMax: Type.Optional(LimitAmount),
  tiers: Type.Optional(Tiers),
})
const ProfileReplacement = namedBody('LimitProfileReplacement', {
  name: Name,
  perCredit: LimitAmount,
  perDay: LimitAmount,
  balanceMax: LimitAmount,
  tiers: Tiers,
})
const ProfileView = view('LimitProfile', (f: Fields<LimitProfile>) => ({
  code: f.text('code'),
  name: f.text('name'),
  ...LimitsView.fields,
  tiers: f.as(Type.Array(Type.Integer()), 'tiers'),
  accounts: f.integer(
    'accounts',
    'How many accounts name it. Those that have it by their tier are not counted.',
  ),
  createdAt: f.time('createdAt'),
  updatedAt: f.time('updatedAt'),
}))
const DeletedProfile = named('DeletedLimitProfile', { code: Type.String() })

export const limitProfiles = resource('/api/v1/limit-profiles', {
  tag: 'Limits',
  noun: 'limit profile',
  view: ProfileView,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
  params: { code: requireProfileCode },
})
  .create('createLimitProfile', {
    summary: 'Create a limit profile',
    description: `At most ${PROFILES_MAX}. Omitted limits are not set by the profile.`,
    body: ProfileRequest,
    errors: ['limit_profile_exists', 'tier_taken', 'too_many_limit_profiles'],
    parse: ({ client, body }) => {
      refuseRestricted(client)
      return { code: body.code, terms: parseTerms(body) }
    },
    run: (tx, call) => createProfile(tx, call, call.input),
  })
  .list('listLimitProfiles', {
    summary: 'List limit profiles, newest first',
    description: 'Limits that many collection accounts share, with the tiers they apply to.',
    rows: (db, { client, after, limit }) => listProfiles(db, client, { beforeId: after, limit }),
  })
  .get('getLimitProfile', {
    summary: 'Retrieve a limit profile',
    description: 'Its limits, the tiers it applies to, and how many accounts use it.',
    errors: ['limit_profile_not_found'],
    run: (db, { client, params }) => getProfile(db, client, params.code),
  })
  .replace('replaceLimitProfile', {
    summary: 'Replace a limit profile',
    description: 'Applies to all its accounts from the next credit on. Null: no limit.',
    body: ProfileReplacement,
    errors: ['limit_profile_not_found', 'tier_taken'],
    parse: ({ client, params, body }) => {
      refuseRestricted(client)
      return { code: params.code, terms: parseTerms(body) }
    },
    run: (tx, call) => replaceProfile(tx, call, call.input),
  })
  .remove('deleteLimitProfile', {
    summary: 'Delete a limit profile',
    description: 'Refused while accounts name it. Accounts of its tiers lose its limits.',
    view: DeletedProfile,
    errors: ['limit_profile_in_use', 'limit_profile_not_found'],
    parse: ({ client }) => refuseRestricted(client),
    run: async (tx, call) => {
      await deleteProfile(tx, call, call.params.code)
      return { code: call.params.code }
    },
  })

// Refuses a malformed code in a path like an unknown one.
function requireProfileCode(text: string): string {
  if (!CODE_FORM.test(text)) throw new Refusal('limit_profile_not_found')
  return text
}

type Terms = Static<typeof ProfileRequest> | Static<typeof ProfileReplacement>

// An omitted limit counts as none.
function parseTerms({ name, perCredit, perDay, balanceMax, tiers = [] }: Terms): ProfileTerms {
  return {
    name,
    perCreditKobo: koboOf(perCredit) ?? null,
    perDayKobo: koboOf(perDay) ?? null,
    balanceMaxKobo: koboOf(balanceMax) ?? null,
    tiers,
  }
}

// Ceilings are set by KYC tier. The client reads them, and only the operator sets them.

const CeilingView = view('CollectionCeiling', (f: Fields<Ceiling>) => ({
  tier: f.integer('tier', 'KYC tier.'),
  ...LimitsView.fields,
}))

const CeilingsView = view('CollectionCeilings', (f: Fields<{ tiers: readonly Ceiling[] }>) => ({
  tiers: f.list(CeilingView, 'tiers', 'One for each KYC tier. Null: no ceiling.'),
}))

const CeilingsRequest = namedBody('CollectionCeilingsRequest', {
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
})

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

// Checks that each tier occurs once, which the schema cannot express.
function parseCeilings({ tiers }: Static<typeof CeilingsRequest>): Ceiling[] {
  if (new Set(tiers.map(({ tier }) => tier)).size < tiers.length) {
    throw invalidField('tiers', 'Must name each tier once.')
  }
  return tiers.map(({ tier, perCredit, perDay, balanceMax }) => ({
    tier,
    perCreditKobo: koboOf(perCredit) ?? null,
    perDayKobo: koboOf(perDay) ?? null,
    balanceMaxKobo: koboOf(balanceMax) ?? null,
  }))
}

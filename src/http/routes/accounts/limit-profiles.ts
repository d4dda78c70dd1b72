// /api/v1/limit-profiles: limits that collection accounts share, by name or by KYC tier.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { KYC_TIERS, type KycTier } from '#domain/accounts/kyc.ts'
import {
  createProfile,
  deleteProfile,
  getProfile,
  type LimitProfile,
  listProfiles,
  PROFILES_MAX,
  type ProfileTerms,
  replaceProfile,
} from '#domain/accounts/limit-profiles.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, text } from '#http/schemas.ts'
import { koboOf } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import { LimitAmount, LimitFields } from './account-presenters.ts'
import { presentLimits } from './own-accounts.ts'

const PROFILES = '/api/v1/limit-profiles'
const CODE = '^[a-z0-9][a-z0-9_-]{0,39}$'
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

const ProfileRequest = named(
  'LimitProfileRequest',
  {
    code: Code,
    name: Name,
    perCredit: Type.Optional(LimitAmount),
    perDay: Type.Optional(LimitAmount),
    balanceMax: Type.Optional(LimitAmount),
    tiers: Type.Optional(Tiers),
  },
  { additionalProperties: false },
)
const ProfileReplacement = named(
  'LimitProfileReplacement',
  {
    name: Name,
    perCredit: LimitAmount,
    perDay: LimitAmount,
    balanceMax: LimitAmount,
    tiers: Tiers,
  },
  { additionalProperties: false },
)
const ProfileBody = named('LimitProfile', {
  code: Type.String(),
  name: Type.String(),
  ...LimitFields,
  tiers: Type.Array(Type.Integer()),
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
const DeletedProfile = named('DeletedLimitProfile', { code: Type.String() })
const Params = Type.Object({ code: Type.String() })
const about = { tags: ['Limits'], security: BEARER, querystring: NoQuery }
const response = { 200: ApiEnvelope(ProfileBody) }

export const limitProfileRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(createAndList, deps)
  await app.register(oneProfile, deps)
}

const createAndList: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps

  app.post(
    PROFILES,
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        ...about,
        operationId: 'createLimitProfile',
        summary: 'Create a limit profile',
        description: `At most ${PROFILES_MAX}. Omitted limits are not set by the profile.`,
        headers: IdempotencyHeaders,
        body: ProfileRequest,
        response,
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      refuseRestricted(client)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const given = { code: body.code, terms: termsOf(body) }
        const profile = await createProfile(tx, { client, actor, now: clock() }, given)
        return accepted('Limit profile created successfully', present(profile))
      })
    },
  )

  app.get(
    PROFILES,
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        ...about,
        operationId: 'listLimitProfiles',
        summary: 'List limit profiles, newest first',
        description: 'Limits that many collection accounts share, with the tiers they apply to.',
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(ProfileBody) },
      },
    },
    async ({ client, query: asked }) => {
      const list: List = { name: 'limit-profiles', clientId: client.id, filters: {} }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listProfiles(db, client.id, { beforeId: after, limit }),
      )
      return listResponse('Limit profiles retrieved successfully', page, present)
    },
  )
}

const oneProfile: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps

  app.get(
    `${PROFILES}/:code`,
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        ...about,
        operationId: 'getLimitProfile',
        summary: 'Retrieve a limit profile',
        description: 'Its limits, the tiers it applies to, and how many accounts use it.',
        params: Params,
        response,
      },
    },
    async ({ client, params }) => {
      const profile = await getProfile(db, client.id, codeOf(params))
      return accepted('Limit profile retrieved successfully', present(profile))
    },
  )

  app.put(
    `${PROFILES}/:code`,
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        ...about,
        operationId: 'replaceLimitProfile',
        summary: 'Replace a limit profile',
        description: 'Applies to all its accounts from the next credit on. Null: no limit.',
        params: Params,
        body: ProfileReplacement,
        response,
      },
    },
    async ({ client, actor, params, body }) => {
      const given = { code: codeOf(params), terms: termsOf(body) }
      refuseRestricted(client)
      const profile = await withTransaction(db, (tx) =>
        replaceProfile(tx, { client, actor, now: clock() }, given),
      )
      return accepted('Limit profile updated successfully', present(profile))
    },
  )

  app.delete(
    `${PROFILES}/:code`,
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        ...about,
        operationId: 'deleteLimitProfile',
        summary: 'Delete a limit profile',
        description: 'Refused while accounts name it. Accounts of its tiers lose its limits.',
        params: Params,
        response: { 200: ApiEnvelope(DeletedProfile) },
      },
    },
    async ({ client, actor, params }) => {
      const code = codeOf(params)
      refuseRestricted(client)
      await withTransaction(db, (tx) => deleteProfile(tx, { client, actor, now: clock() }, code))
      return accepted('Limit profile deleted successfully', { code })
    },
  )
}

function codeOf({ code }: { code: string }): string {
  if (!new RegExp(CODE).test(code)) throw new Refusal('limit_profile_not_found')
  return code
}

type Given = Static<typeof ProfileRequest> | Static<typeof ProfileReplacement>

function termsOf({ name, perCredit, perDay, balanceMax, tiers = [] }: Given): ProfileTerms {
  return {
    name,
    perCreditKobo: koboOf(perCredit) ?? null,
    perDayKobo: koboOf(perDay) ?? null,
    balanceMaxKobo: koboOf(balanceMax) ?? null,
    tiers,
  }
}

function present(profile: LimitProfile) {
  return {
    code: profile.code,
    name: profile.name,
    ...presentLimits(profile),
    tiers: [...profile.tiers],
    createdAt: timestamp(profile.createdAt),
    updatedAt: timestamp(profile.updatedAt),
  }
}

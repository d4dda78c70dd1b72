// Changing a collection account: PATCH, and switching it off, on, or to be the default. If-Match is
// honoured by all of them; the ETag of the answer is for the next change.

import {
  type FastifyPluginAsyncTypebox,
  type Static,
  type TObject,
  Type,
} from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import {
  type AccountChanges,
  activateAccount,
  deactivateAccount,
  makeDefault,
  updateAccount,
} from '#domain/accounts/change-account.ts'
import { type HashPayer, parsePayerRules, payerHasher } from '#domain/accounts/payer-rules.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import {
  ApiEnvelope,
  BEARER,
  IdempotencyHeaders,
  named,
  PayerRulesBody,
  text,
} from '#http/schemas.ts'
import { koboOf } from '#money.ts'
import {
  ACCOUNTS,
  AccountParams,
  ChangeableFields,
  etagMatcher,
  formatEtag,
  IfMatchHeader,
  KycFields,
  LimitAmount,
  OwnAccountBody,
  requireAccountNumber,
} from './account-presenters.ts'
import { presentOwnAccount } from './own-accounts.ts'

const Limit = Type.Optional(LimitAmount)
const Limits = Type.Object(
  { perCredit: Limit, perDay: Limit, balanceMax: Limit },
  {
    additionalProperties: false,
    'x-says': 'Must be an object with perCredit, perDay or balanceMax, or null.',
  },
)

const AccountChange = named(
  'AccountChange',
  {
    ...Type.Partial(Type.Object({ ...ChangeableFields, ...KycFields })).properties,
    payerRules: Type.Optional(
      orNull(PayerRulesBody, 'Replaces the current rules. Null: anyone may pay.'),
    ),
    limits: Type.Optional(
      orNull(
        Limits,
        'The account’s own. Omitted limits keep their value. Null removes one or all.',
      ),
    ),
    limitProfile: Type.Optional(
      Type.Union([text(40, 'Code of a limit profile. Null: that of its tier.'), Type.Null()]),
    ),
    splitCode: Type.Optional(
      Type.Union([text(40, 'Split for what it receives from now on. Null: none.'), Type.Null()]),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-says': 'Must be an object with at least one field to change.',
  },
)

// An object whose fields keep their own sentences, which a union would drown in others.
function orNull<T extends TObject>(schema: T, description: string) {
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    $id: undefined, // Another schema.
    type: ['object', 'null'],
    additionalProperties: false,
    description,
  })
}

const Reason = Type.Unsafe<{ note?: string } | null>({
  type: ['object', 'null'],
  properties: { note: text(500, 'Reason (audit log).') },
  additionalProperties: false,
  'x-says': 'Must be an object with note, or omitted.',
})

const about = {
  tags: ['Collection accounts'],
  security: BEARER,
  params: AccountParams,
  querystring: NoQuery,
  response: { 200: ApiEnvelope(OwnAccountBody) },
}

export const accountChangeRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  await app.register(accountSwitches, deps)

  app.patch(
    `${ACCOUNTS}/:accountNumber`,
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        ...about,
        operationId: 'updateCollectionAccount',
        summary: 'Update a collection account',
        description: 'Omitted fields keep their value. An update without changes emits no event.',
        headers: Type.Object(IfMatchHeader),
        body: AccountChange,
      },
    },
    async ({ client: by, actor, params, headers, body }, reply) => {
      const accountNumber = requireAccountNumber(params)
      const changes = parseChanges(body, payerHasher(sealer))
      const isCurrent = etagMatcher(headers['if-match'])
      const account = await withTransaction(db, async (tx) => {
        const how = { sealer, now: clock(), by, actor, isCurrent }
        const updated = await updateAccount(tx, how, { accountNumber, changes })
        return presentOwnAccount({ ...deps, db: tx }, updated)
      })
      reply.header('etag', formatEtag(account.version))
      return accepted('Collection account updated successfully', account)
    },
  )
}

const SWITCHES = [
  {
    path: 'deactivate',
    operationId: 'deactivateCollectionAccount',
    summary: 'Deactivate a collection account',
    description:
      'Money sent to it from now on is accepted and held in suspense (account_inactive). The number ' +
      'stays reserved for this account. It is no longer the default of its merchant.',
    done: 'deactivated',
    make: deactivateAccount,
  },
  {
    path: 'activate',
    operationId: 'activateCollectionAccount',
    summary: 'Activate a collection account',
    description: 'Money suspended in the meantime stays in suspense until assigned.',
    done: 'activated',
    make: activateAccount,
  },
  {
    path: 'default',
    operationId: 'setDefaultCollectionAccount',
    summary: 'Make a collection account the default of its merchantId',
    description: 'Replaces the current default. The account must be active.',
    done: 'made default',
    make: makeDefault,
  },
] as const

const accountSwitches: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, authentication, clock } = deps
  for (const { path, operationId, summary, description, done, make } of SWITCHES) {
    app.post(
      `${ACCOUNTS}/:accountNumber/${path}`,
      {
        onRequest: authentication.requires('accounts:write'),
        schema: {
          ...about,
          operationId,
          summary,
          description: `${description} Idempotent.`,
          headers: Type.Object({ ...IdempotencyHeaders.properties, ...IfMatchHeader }),
          body: Reason,
        },
      },
      async (request, reply) => {
        const { client: by, actor, params, headers, body } = request
        const accountNumber = requireAccountNumber(params)
        const isCurrent = etagMatcher(headers['if-match'])
        const answer = await withIdempotency(deps, { request, reply }, async (tx) => {
          const how = { sealer, now: clock(), by, actor, isCurrent, note: body?.note }
          const account = await make(tx, how, accountNumber)
          return accepted(
            `Collection account ${done} successfully`,
            await presentOwnAccount({ ...deps, db: tx }, account),
          )
        })
        reply.header('etag', formatEtag(answer.data.version))
        return answer
      },
    )
  }
}

const NO_LIMITS = { perCredit: null, perDay: null, balanceMax: null }

function parseChanges(body: Static<typeof AccountChange>, hashPayer: HashPayer): AccountChanges {
  const { payerRules, limits, ...fields } = body
  const { perCredit, perDay, balanceMax } = limits === null ? NO_LIMITS : (limits ?? {})
  return {
    ...fields,
    ...(payerRules === undefined
      ? {}
      : { payerRules: parsePayerRules(payerRules ?? undefined, hashPayer) }),
    ...(perCredit === undefined ? {} : { perCreditKobo: koboOf(perCredit) ?? null }),
    ...(perDay === undefined ? {} : { perDayKobo: koboOf(perDay) ?? null }),
    ...(balanceMax === undefined ? {} : { balanceMaxKobo: koboOf(balanceMax) ?? null }),
  }
}

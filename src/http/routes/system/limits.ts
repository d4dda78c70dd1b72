// GET /api/v1/limits: how much and how often, as this service is set up.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ENDPOINTS_MAX } from '#domain/webhooks/webhook-endpoints.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER } from '#http/schemas.ts'
import { type Kobo, toNaira } from '#money.ts'

const limit = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description })

const LimitsBody = Type.Object({
  requestsPerMinute: Type.Object(
    {
      client: limit('Of a client, all its requests together.'),
      simulate: limit('Of a client, to simulate transfers.'),
      address: limit('Of an address without a token.'),
      initiate: limit('Of an address, to begin payments.'),
      login: limit('Of an address, to log in.'),
    },
    { description: 'Of each process of the service. Null: as number as come.' },
  ),
  newAccounts: Type.Object(
    {
      perCredit: limit('At a time.'),
      perDay: limit('Per a day of West Africa Time.'),
    },
    { description: 'What a new collection account takes, in naira. Null: any amount.' },
  ),
  webhookEndpoints: Type.Integer({ description: 'Maximum number there may endpoints.' }),
  expirySeconds: Type.Integer({ description: 'Of an advice that does not say.' }),
  graceSeconds: Type.Integer({ description: 'Maximum long after expiry money still counts.' }),
  tokenSeconds: Type.Integer({ description: 'Maximum long a token lasts.' }),
})

export const limitRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const data = limitsOf(deps)

  app.get(
    '/api/v1/limits',
    {
      onRequest: deps.authentication.requires('accounts:read'),
      schema: {
        operationId: 'getLimits',
        tags: ['Limits'],
        summary: 'Maximum much and how often',
        description:
          'As this service is set up; an account or an advice may have limits of its own.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(LimitsBody), '4xx': ApiFailure },
      },
    },
    async () => accepted('Limits retrieved successfully', data),
  )
}

function limitsOf({ rates, policy }: Deps) {
  const { client, simulate, address, initiate, login } = rates
  const naira = (kobo: Kobo | null) => (kobo === null ? null : toNaira(kobo))
  const orNone = (perMinute: number) => (perMinute === 0 ? null : perMinute)
  return {
    requestsPerMinute: {
      client: orNone(client),
      simulate: orNone(simulate),
      address: orNone(address),
      initiate: orNone(initiate),
      login: orNone(login),
    },
    newAccounts: {
      perCredit: naira(policy.limits.perCreditKobo),
      perDay: naira(policy.limits.perDayKobo),
    },
    webhookEndpoints: ENDPOINTS_MAX,
    expirySeconds: policy.expirySeconds,
    graceSeconds: policy.graceSeconds,
    tokenSeconds: policy.tokenTtlSeconds,
  }
}

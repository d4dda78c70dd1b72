// GET /api/v1/limits: configured limits.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ENDPOINTS_MAX } from '#domain/webhooks/webhook-endpoints.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named } from '#http/schemas.ts'
import { type Kobo, toNaira } from '#money.ts'

const limit = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description })

const LimitsBody = named('Limits', {
  requestsPerMinute: Type.Object(
    {
      client: limit('Per client, all requests.'),
      simulate: limit('Per client, simulated transfers.'),
      address: limit('Per IP address, requests without a token.'),
      initiate: limit('Per IP address, payment initiation.'),
      login: limit('Per IP address, logins.'),
    },
    { description: 'Per process. Null: unlimited.' },
  ),
  newAccounts: Type.Object(
    {
      perCredit: limit('Per credit.'),
      perDay: limit('Per day (West Africa Time).'),
    },
    { description: 'Default limits of new collection accounts, in naira. Null: unlimited.' },
  ),
  webhookEndpoints: Type.Integer({ description: 'Maximum number of webhook endpoints.' }),
  expirySeconds: Type.Integer({ description: 'Default payment expiry.' }),
  graceSeconds: Type.Integer({ description: 'Default grace period.' }),
  tokenSeconds: Type.Integer({ description: 'Token lifetime.' }),
})

export const limitRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const data = presentLimits(deps)

  app.get(
    '/api/v1/limits',
    {
      onRequest: deps.authentication.requires('accounts:read'),
      schema: {
        operationId: 'getLimits',
        tags: ['Limits'],
        summary: 'Retrieve limits',
        description: 'Defaults of this service; accounts and advices may override them.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(LimitsBody) },
      },
    },
    async () => accepted('Limits retrieved successfully', data),
  )
}

function presentLimits({ rates, policy }: Deps) {
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

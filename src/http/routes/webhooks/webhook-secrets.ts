// Signing secrets: /api/v1/webhook-secret for notificationUrl and callBackUrl; each endpoint has
// its own.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { getSecret, rotateSecret } from '#domain/webhooks/signing-secrets.ts'
import { getEndpoint, lockUnlessForAlerts } from '#domain/webhooks/webhook-endpoints.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named } from '#http/schemas.ts'
import { NoBody, requireEndpointId, Secret } from './webhook-presenters.ts'

const about = {
  tags: ['Webhooks'],
  security: BEARER,
  querystring: NoQuery,
  response: { 200: ApiEnvelope(named('SigningSecret', { secret: Secret })) },
}
const ROTATION =
  'The old secret keeps signing for 24 hours, beside the new one. At most three old ones do at a time.'

export const webhookSecretRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps

  app.get(
    '/api/v1/webhook-secret',
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'getWebhookSecret',
        summary: 'Retrieve the signing secret for notificationUrl and callBackUrl',
        description:
          'Verify the signature of every notification with it (docs/webhooks.md). Rotate it if ' +
          'it leaks.',
      },
    },
    async ({ client }) => {
      const owner = { clientId: client.id, endpointId: null }
      const secret = await getSecret(db, { sealer, now: clock() }, owner)
      return accepted('Webhook secret retrieved successfully', { secret })
    },
  )

  app.post(
    '/api/v1/webhook-secret/rotate',
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the signing secret for notificationUrl and callBackUrl',
        description: ROTATION,
        headers: IdempotencyHeaders,
        body: NoBody,
      },
    },
    (request, reply) =>
      withIdempotency(deps, { request, reply }, async (tx) => {
        const owner = { clientId: request.client.id, endpointId: null }
        const secret = await rotateSecret(tx, { sealer, now: clock() }, owner)
        return accepted('Webhook secret rotated successfully', { secret })
      }),
  )

  app.post(
    '/api/v1/webhook-endpoints/:id/rotate-secret',
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'rotateWebhookEndpointSecret',
        summary: 'Rotate the signing secret of a webhook endpoint',
        description: ROTATION,
        headers: IdempotencyHeaders,
        params: Type.Object({ id: Type.String() }),
        body: NoBody,
      },
    },
    async (request, reply) => {
      const { client, withoutAlerts, params } = request
      const id = requireEndpointId(params.id)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        if (withoutAlerts) await lockUnlessForAlerts(tx, client.id, id)
        await getEndpoint(tx, client.id, id)
        const owner = { clientId: client.id, endpointId: id }
        const secret = await rotateSecret(tx, { sealer, now: clock() }, owner)
        return accepted('Webhook secret rotated successfully', { secret })
      })
    },
  )
}

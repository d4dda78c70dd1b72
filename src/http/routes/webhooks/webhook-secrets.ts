// What deliveries are signed with: /api/v1/webhook-secret is the client's own, for what goes to a
// notificationUrl or a callBackUrl; every endpoint has another.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { getSecret, rotateSecret } from '#domain/webhooks/signing-secrets.ts'
import { getEndpoint } from '#domain/webhooks/webhook-endpoints.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import { endpointIdOf, NoBody, Secret } from './webhook-presenters.ts'

const about = {
  tags: ['Webhooks'],
  security: BEARER,
  querystring: NoQuery,
  response: { 200: ApiEnvelope(Type.Object({ secret: Secret })), '4xx': ApiFailure },
}
const ROTATION =
  'For 24 hours both the old and the new secret sign. Rotating again ends the older at once.'

export const webhookSecretRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps

  app.get(
    '/api/v1/webhook-secret',
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'getWebhookSecret',
        summary: 'The secret that signs what goes to a notificationUrl or a callBackUrl',
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
        summary: 'Replace your own signing secret',
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
        summary: 'Replace the secret of a webhook endpoint',
        description: ROTATION,
        headers: IdempotencyHeaders,
        params: Type.Object({ id: Type.String() }),
        body: NoBody,
      },
    },
    async (request, reply) => {
      const { client, params } = request
      const id = endpointIdOf(params.id)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        await getEndpoint(tx, client.id, id)
        const owner = { clientId: client.id, endpointId: id }
        const secret = await rotateSecret(tx, { sealer, now: clock() }, owner)
        return accepted('Webhook secret rotated successfully', { secret })
      })
    },
  )
}

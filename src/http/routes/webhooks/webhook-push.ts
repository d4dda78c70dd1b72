// /api/WebHook/push: redelivers the latest state of a payment.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { pushPayment, redeliver } from '#domain/webhooks/redeliver.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { BEARER, IdempotencyHeaders, named, PaymentEnvelope } from '#http/schemas.ts'
import { type PaymentId, parseReference } from '#ids.ts'

const PushBody = named('WebhookPush', {
  paymentReference: Type.String(),
  eventId: Type.String({ description: 'ID of the redelivered event.' }),
  queued: Type.Integer({ description: 'Number of deliveries queued.' }),
})

export const webhookPushRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps

  app.post(
    '/api/WebHook/push/:paymentReference',
    {
      config: { isPublished: true },
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        operationId: 'pushPayment',
        tags: ['Webhooks'],
        summary: 'Redeliver the latest state of a payment',
        description: 'To its notificationUrl, its callBackUrl once final, and webhook endpoints.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Type.Object({ paymentReference: Type.String() }),
        response: { 200: PaymentEnvelope(PushBody) },
      },
    },
    async (request, reply) => {
      const { client, params } = request
      const paymentReference = parseReference<PaymentId>(params.paymentReference)
      if (!paymentReference) throw new Refusal('payment_not_found')
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const { eventId } = await pushPayment(tx, clock(), {
          clientId: client.id,
          paymentId: paymentReference,
        })
        // Endpoints too: many merchants use nothing else.
        const queued = await redeliver(tx, clock(), { clientId: client.id, eventId })
        if (queued === 0) throw new Refusal('nowhere_to_send')
        return paymentAccepted({ paymentReference, eventId, queued })
      })
    },
  )
}

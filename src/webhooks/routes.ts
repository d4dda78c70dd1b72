// /api/v1/webhook-endpoints: registered endpoints; accounts and advices can have further URLs.
// Signing secrets: /api/v1/webhook-secret for notificationUrl and callBackUrl; each endpoint has its own.
// /api/WebHook/push: redelivers the latest state of a payment.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { invalidField, Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { resource } from '#http/resource.ts'
import {
  BEARER,
  Deleted,
  IdempotencyHeaders,
  NoBody,
  named,
  namedBody,
  PaymentEnvelope,
} from '#http/schemas.ts'
import { type PaymentId, parseReference } from '#ids.ts'
import type { EventType } from '#records/event-types.ts'
import { checkTargetUrl } from '#ssrf-guard.ts'
import { readHealth } from './delivery-log.ts'
import {
  createEndpoint,
  deleteEndpoint,
  ENDPOINTS_MAX,
  getEndpoint,
  getsAlerts,
  listEndpoints,
  lockUnlessForAlerts,
  SUBSCRIBABLE_TYPES,
  updateEndpoint,
} from './endpoints.ts'
import { pushPayment, redeliver } from './redeliver.ts'
import { getOrCreateSecret, rotateSecret } from './secrets.ts'
import {
  EndpointDetailView,
  EndpointView,
  ListedEndpointView,
  NewEndpointView,
  requireEndpointId,
  Secret,
} from './views.ts'

const Url = Type.String({
  description: 'Absolute URL; https in live mode. Redirects are not followed.',
  'x-says': 'Must be an absolute http or https URL (https in live mode).',
})
const EventTypes = Type.Unsafe<EventType[] | null>({
  type: ['array', 'null'],
  minItems: 1,
  uniqueItems: true,
  items: {
    type: 'string',
    enum: SUBSCRIBABLE_TYPES,
    'x-says': `Must be one of ${SUBSCRIBABLE_TYPES.join(', ')}.`,
  },
  description: 'Subscribed event types. Null or omitted: all, including future ones.',
  'x-says': 'Must be null or a non-empty list of distinct event types.',
})

const EndpointRequest = namedBody('WebhookEndpointRequest', {
  url: Url,
  eventTypes: Type.Optional(EventTypes),
})
const EndpointChange = named(
  'WebhookEndpointChange',
  {
    url: Type.Optional(Url),
    eventTypes: Type.Optional(EventTypes),
    isActive: Type.Optional(Type.Boolean({ 'x-says': 'Must be true or false.' })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-says': 'Must be an object with url, eventTypes or isActive.',
  },
)

export const webhookEndpoints = resource('/api/v1/webhook-endpoints', {
  tag: 'Webhooks',
  noun: 'webhook endpoint',
  view: EndpointView,
  scopes: { read: 'webhooks:read', write: 'webhooks:write' },
  params: { id: requireEndpointId },
})
  .create('createWebhookEndpoint', {
    summary: 'Create a webhook endpoint',
    description: `At most ${ENDPOINTS_MAX}. Deliveries are signed with the returned secret.`,
    body: EndpointRequest,
    view: NewEndpointView,
    errors: ['too_many_endpoints'],
    parse: ({ body: { url, eventTypes }, mode, withoutAlerts }) => {
      refuseBadTarget(url, mode)
      return { url, eventTypes: (withoutAlerts ? typesButAlerts(eventTypes) : eventTypes) ?? null }
    },
    run: async (tx, { clientId, now, sealer, input }) => {
      const endpoint = await createEndpoint(tx, now, { clientId, ...input })
      const owner = { clientId, endpointId: endpoint.id }
      return { ...endpoint, secret: await getOrCreateSecret(tx, { sealer, now }, owner) }
    },
  })
  .list('listWebhookEndpoints', {
    summary: 'List webhook endpoints, newest first',
    description: 'Where events are sent, with their types, their state and recent failures.',
    view: ListedEndpointView,
    hasTextIds: true,
    rows: (db, { clientId, after, limit }) =>
      listEndpoints(db, clientId, { beforeId: after, limit }),
  })
  .get('getWebhookEndpoint', {
    summary: 'Retrieve a webhook endpoint',
    description: 'Its types, its state, and since when it has been failing.',
    view: EndpointDetailView,
    errors: ['endpoint_not_found'],
    run: async (db, { clientId, scopes, withoutAlerts, params, sealer, now }) => {
      const endpoint = await getEndpoint(db, clientId, params.id)
      const owner = { clientId, endpointId: endpoint.id }
      const isSecretHidden =
        !scopes.has('webhooks:write') || (withoutAlerts && getsAlerts(endpoint))
      return {
        ...endpoint,
        secret: isSecretHidden ? null : await getOrCreateSecret(db, { sealer, now }, owner),
        health: await readHealth(db, clientId, endpoint.id),
      }
    },
  })
  .update('updateWebhookEndpoint', {
    summary: 'Update a webhook endpoint',
    description:
      'Pending deliveries go to the new URL, and wait while the endpoint is inactive: it ' +
      'receives nothing then, and nothing new is queued for it.',
    body: EndpointChange,
    errors: ['endpoint_not_found'],
    parse: ({ body, mode, withoutAlerts }) => {
      const { url, eventTypes } = body
      if (url !== undefined) refuseBadTarget(url, mode)
      if (!withoutAlerts || eventTypes === undefined) return body
      return { ...body, eventTypes: typesButAlerts(eventTypes) }
    },
    run: async (tx, { clientId, now, params, withoutAlerts, input }) => {
      if (withoutAlerts) await lockUnlessForAlerts(tx, clientId, params.id)
      return updateEndpoint(tx, now, { clientId, id: params.id, changes: input })
    },
  })
  .remove('deleteWebhookEndpoint', {
    summary: 'Delete a webhook endpoint',
    description: 'Pending deliveries are discarded.',
    view: Deleted,
    errors: ['endpoint_not_found'],
    run: async (tx, { clientId, now, params, withoutAlerts }) => {
      if (withoutAlerts) await lockUnlessForAlerts(tx, clientId, params.id)
      await deleteEndpoint(tx, now, { clientId, id: params.id })
      return { id: params.id }
    },
  })

// Returns the event types of an endpoint whose user is no operator. Only operators may subscribe to alerts,
// so "all types" means all but alerts.
function typesButAlerts(types: readonly EventType[] | null = null): EventType[] {
  if (types?.includes('alert.raised')) throw new Refusal('role_not_allowed')
  return [...(types ?? SUBSCRIBABLE_TYPES.filter((type) => type !== 'alert.raised'))]
}

// Refuses a URL that webhooks may not be sent to, such as one in a private network.
function refuseBadTarget(url: string, mode: Deps['mode']): void {
  const problem = url.isWellFormed() ? checkTargetUrl(url, { mode }) : 'Must be well-formed text.'
  if (problem) throw invalidField('url', problem)
}

const secrets = {
  tag: 'Webhooks',
  noun: 'webhook secret',
  view: named('SigningSecret', { secret: Secret }),
  scopes: { read: 'webhooks:write', write: 'webhooks:write' },
} as const

const rotation = {
  description:
    'The old secret keeps signing for 24 hours, beside the new one. At most three old ones do at a time.',
  body: NoBody,
  message: 'Webhook secret rotated successfully',
}

export const webhookSecret = resource('/api/v1/webhook-secret', secrets)
  .get('getWebhookSecret', {
    path: '',
    summary: 'Retrieve the signing secret for notificationUrl and callBackUrl',
    description:
      'Verify the signature of every notification with it (docs/webhooks.md). Rotate it if ' +
      'it leaks.',
    run: async (db, { clientId, sealer, now }) => ({
      secret: await getOrCreateSecret(db, { sealer, now }, { clientId, endpointId: null }),
    }),
  })
  .act('rotateWebhookSecret', {
    ...rotation,
    path: '/rotate',
    summary: 'Rotate the signing secret for notificationUrl and callBackUrl',
    run: async (tx, { clientId, sealer, now }) => ({
      secret: await rotateSecret(tx, { sealer, now }, { clientId, endpointId: null }),
    }),
  })

export const endpointSecrets = resource('/api/v1/webhook-endpoints', {
  ...secrets,
  params: { id: requireEndpointId },
}).act('rotateWebhookEndpointSecret', {
  ...rotation,
  path: '/:id/rotate-secret',
  summary: 'Rotate the signing secret of a webhook endpoint',
  errors: ['endpoint_not_found'],
  run: async (tx, { clientId, params, withoutAlerts, sealer, now }) => {
    if (withoutAlerts) await lockUnlessForAlerts(tx, clientId, params.id)
    await getEndpoint(tx, clientId, params.id)
    const owner = { clientId, endpointId: params.id }
    return { secret: await rotateSecret(tx, { sealer, now }, owner) }
  },
})

const PushBody = named('WebhookPush', {
  paymentReference: Type.String(),
  eventId: Type.String({ description: 'ID of the redelivered event.' }),
  queued: Type.Integer({ description: 'Number of deliveries queued.' }),
})

// POST /api/WebHook/push/{paymentReference}: sends the latest state of a payment again.
export const webhookPushRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps

  app.post(
    '/api/WebHook/push/:paymentReference',
    {
      config: { isPublished: true, errors: ['nowhere_to_send', 'payment_not_found'] },
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
        // Also redelivers to endpoints, because many merchants have only endpoints.
        const queued = await redeliver(tx, clock(), { clientId: client.id, eventId })
        if (queued === 0) throw new Refusal('nowhere_to_send')
        return paymentAccepted({ paymentReference, eventId, queued })
      })
    },
  )
}

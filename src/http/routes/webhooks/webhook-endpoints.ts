// /api/v1/webhook-endpoints: registered endpoints, besides the URLs of accounts and advices.

import { Type } from '@fastify/type-provider-typebox'
import type { EventType } from '#domain/records/event-types.ts'
import { readHealth } from '#domain/webhooks/delivery-log.ts'
import { getSecret } from '#domain/webhooks/signing-secrets.ts'
import { checkTargetUrl } from '#domain/webhooks/ssrf-guard.ts'
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
} from '#domain/webhooks/webhook-endpoints.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { Deleted, named } from '#http/schemas.ts'
import {
  EndpointDetailView,
  EndpointView,
  ListedEndpointView,
  NewEndpointView,
  requireEndpointId,
} from './webhook-presenters.ts'

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

const EndpointRequest = named(
  'WebhookEndpointRequest',
  { url: Url, eventTypes: Type.Optional(EventTypes) },
  { additionalProperties: false },
)
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
      return { ...endpoint, secret: await getSecret(tx, { sealer, now }, owner) }
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
      const isSecret = !scopes.has('webhooks:write') || (withoutAlerts && getsAlerts(endpoint))
      return {
        ...endpoint,
        secret: isSecret ? null : await getSecret(db, { sealer, now }, owner),
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

// Only operators send alerts anywhere, by name or as one of all types.
function typesButAlerts(types: readonly EventType[] | null = null): EventType[] {
  if (types?.includes('alert.raised')) throw new Refusal('role_not_allowed')
  return [...(types ?? SUBSCRIBABLE_TYPES.filter((type) => type !== 'alert.raised'))]
}

function refuseBadTarget(url: string, mode: Deps['mode']): void {
  const problem = url.isWellFormed() ? checkTargetUrl(url, { mode }) : 'Must be well-formed text.'
  if (problem) throw new Refusal('invalid_request', [{ field: 'url', message: problem }])
}

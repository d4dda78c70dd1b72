// /api/v1/webhook-endpoints: registered endpoints, besides the URLs of accounts and advices.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
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
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, Deleted, IdempotencyHeaders, named, nullable } from '#http/schemas.ts'
import type { EndpointId } from '#ids.ts'
import {
  EndpointFields,
  HealthBody,
  ListedHealth,
  presentEndpoint,
  presentHealth,
  presentListedEndpoint,
  requireEndpointId,
  Secret,
} from './webhook-presenters.ts'

const ENDPOINTS = '/api/v1/webhook-endpoints'

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

const EndpointBody = named('WebhookEndpoint', EndpointFields)
const ListedEndpoint = named('WebhookEndpointWithHealth', {
  ...EndpointFields,
  health: ListedHealth,
})
const EndpointWithSecret = named('WebhookEndpointWithSecret', { ...EndpointFields, secret: Secret })
const EndpointDetail = named('WebhookEndpointDetail', {
  ...EndpointFields,
  secret: nullable('string', {
    description: 'Null without the scope webhooks:write, or if only operators may see it.',
  }),
  health: HealthBody,
})
const Params = Type.Object({ id: Type.String() })
const tags = ['Webhooks']
const about = { tags, security: BEARER, params: Params, querystring: NoQuery }

export const webhookEndpointRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(createAndList, deps)
  await app.register(oneEndpoint, deps)
  await app.register(changingEndpoint, deps)
}

const createAndList: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock, mode } = deps

  app.post(
    ENDPOINTS,
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        operationId: 'createWebhookEndpoint',
        tags,
        summary: 'Create a webhook endpoint',
        description: `At most ${ENDPOINTS_MAX}. Deliveries are signed with the returned secret.`,
        security: BEARER,
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: EndpointRequest,
        response: { 200: ApiEnvelope(EndpointWithSecret) },
      },
    },
    async (request, reply) => {
      const { client, withoutAlerts, body } = request
      refuseBadTarget(body.url, mode)
      const eventTypes = withoutAlerts ? typesButAlerts(body.eventTypes) : body.eventTypes
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const asked = { url: body.url, eventTypes: eventTypes ?? null }
        const endpoint = await createEndpoint(tx, clock(), { clientId: client.id, ...asked })
        const owner = { clientId: client.id, endpointId: endpoint.id }
        const secret = await getSecret(tx, { sealer, now: clock() }, owner)
        const data = { ...presentEndpoint(endpoint), secret }
        return accepted('Webhook endpoint created successfully', data)
      })
    },
  )

  app.get(
    ENDPOINTS,
    {
      onRequest: authentication.requires('webhooks:read'),
      schema: {
        operationId: 'listWebhookEndpoints',
        tags,
        summary: 'List webhook endpoints, newest first',
        description: 'Where events are sent, with their types, their state and recent failures.',
        security: BEARER,
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(ListedEndpoint) },
      },
    },
    async ({ client, query: asked }) => {
      const list: List = { name: 'webhook-endpoints', clientId: client.id, filters: {} }
      const beforeId =
        (readCursor(sealer, list, asked.cursor)?.[0] as EndpointId | undefined) ?? null
      const limit = parseLimit(asked)
      const rows = await listEndpoints(db, client.id, { beforeId, limit: limit + 1 })
      const page = toPage(rows, limit, ({ id }) => writeCursor(sealer, list, [id]))
      return listResponse('Webhook endpoints retrieved successfully', page, presentListedEndpoint)
    },
  )
}

const oneEndpoint: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps

  app.get(
    `${ENDPOINTS}/:id`,
    {
      onRequest: authentication.requires('webhooks:read'),
      schema: {
        ...about,
        operationId: 'getWebhookEndpoint',
        summary: 'Retrieve a webhook endpoint',
        description: 'Its types, its state, and since when it has been failing.',
        response: { 200: ApiEnvelope(EndpointDetail) },
      },
    },
    async ({ client, scopes, withoutAlerts, params }) => {
      const endpoint = await getEndpoint(db, client.id, requireEndpointId(params.id))
      const owner = { clientId: client.id, endpointId: endpoint.id }
      const isSecret = !scopes.has('webhooks:write') || (withoutAlerts && getsAlerts(endpoint))
      const data = {
        ...presentEndpoint(endpoint),
        secret: isSecret ? null : await getSecret(db, { sealer, now: clock() }, owner),
        health: presentHealth(await readHealth(db, client.id, endpoint.id)),
      }
      return accepted('Webhook endpoint retrieved successfully', data)
    },
  )
}

const changingEndpoint: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock, mode } = deps

  app.patch(
    `${ENDPOINTS}/:id`,
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'updateWebhookEndpoint',
        summary: 'Update a webhook endpoint',
        description:
          'Pending deliveries go to the new URL, and wait while the endpoint is inactive: it ' +
          'receives nothing then, and nothing new is queued for it.',
        body: EndpointChange,
        response: { 200: ApiEnvelope(EndpointBody) },
      },
    },
    async ({ client, withoutAlerts, params, body }) => {
      const id = requireEndpointId(params.id)
      if (body.url !== undefined) refuseBadTarget(body.url, mode)
      const { eventTypes: given } = body
      const eventTypes = withoutAlerts && given !== undefined ? typesButAlerts(given) : given
      const change = { clientId: client.id, id, changes: { ...body, eventTypes } }
      const endpoint = await withTransaction(db, async (tx) => {
        if (withoutAlerts) await lockUnlessForAlerts(tx, client.id, id)
        return updateEndpoint(tx, clock(), change)
      })
      return accepted('Webhook endpoint updated successfully', presentEndpoint(endpoint))
    },
  )

  app.delete(
    `${ENDPOINTS}/:id`,
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Pending deliveries are discarded.',
        response: { 200: ApiEnvelope(Deleted) },
      },
    },
    async ({ client, withoutAlerts, params }) => {
      const id = requireEndpointId(params.id)
      await withTransaction(db, async (tx) => {
        if (withoutAlerts) await lockUnlessForAlerts(tx, client.id, id)
        await deleteEndpoint(tx, clock(), { clientId: client.id, id })
      })
      return accepted('Webhook endpoint deleted successfully', { id })
    },
  )
}

// Alerts are for operators: whoever is none sends them nowhere, neither by name nor as one of all.
function typesButAlerts(asked: readonly EventType[] | null = null): EventType[] {
  if (asked?.includes('alert.raised')) throw new Refusal('role_not_allowed')
  return [...(asked ?? SUBSCRIBABLE_TYPES.filter((type) => type !== 'alert.raised'))]
}

function refuseBadTarget(url: string, mode: Deps['mode']): void {
  const problem = url.isWellFormed() ? checkTargetUrl(url, { mode }) : 'Must be well-formed text.'
  if (problem) throw new Refusal('invalid_request', [{ field: 'url', message: problem }])
}

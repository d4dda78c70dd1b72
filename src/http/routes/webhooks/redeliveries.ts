// Redelivery: one event, a replay to one endpoint, a test event.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { REPLAY_MAX, redeliver, replay } from '#domain/webhooks/redeliver.ts'
import { sendTestEvent } from '#domain/webhooks/test-events.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery, parseWindow } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, NoBody, named, nullable } from '#http/schemas.ts'
import type { EndpointId } from '#ids.ts'
import { timestamp } from '#wat-time.ts'
import { requireEndpointId, requireEventId } from './webhook-presenters.ts'

const Queued = Type.Integer({ description: 'Number of deliveries queued.' })

const RedeliverRequest = Type.Unsafe<{ endpointId?: EndpointId } | null>({
  type: ['object', 'null'],
  properties: {
    endpointId: {
      type: 'string',
      description: 'Deliver only to this endpoint. Default: all current destinations.',
      'x-says': 'Must be an endpoint ID.',
    },
  },
  additionalProperties: false,
  'x-says': 'Must be an object, or omitted.',
})

const moment = (description: string) =>
  Type.String({ maxLength: 64, description, 'x-says': 'Must be an ISO 8601 date or time.' })

const ReplayRequest = named(
  'ReplayRequest',
  {
    from: moment(
      'Start, inclusive (ISO 8601; West Africa Time if it has no offset), or nextFrom of the ' +
        'previous call.',
    ),
    to: moment('End, exclusive.'),
  },
  { additionalProperties: false, 'x-says': 'Must be an object with from and to.' },
)

const NextFrom = nullable('string', {
  description: 'Pass as from to continue. Null: done.',
})

const about = {
  security: BEARER,
  headers: IdempotencyHeaders,
  params: Type.Object({ id: Type.String() }),
  querystring: NoQuery,
}

export const redeliveryRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(eventAgain, deps)
  await app.register(toOneEndpoint, deps)
}

const eventAgain: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps

  app.post(
    '/api/v1/events/:id/redeliver',
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'redeliverEvent',
        tags: ['Events'],
        summary: 'Redeliver an event',
        description: 'Immediately, with the same ID; retried like a new event.',
        body: RedeliverRequest,
        response: { 200: ApiEnvelope(named('Redelivery', { queued: Queued })) },
      },
    },
    async (request, reply) => {
      const { client, withoutAlerts, params, body } = request
      const eventId = requireEventId(params.id)
      const only = body?.endpointId
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const queued = await redeliver(tx, clock(), {
          clientId: client.id,
          eventId,
          withoutAlerts,
          ...(only === undefined ? {} : { endpointId: requireEndpointId(only) }),
        })
        if (queued === 0) throw new Refusal('nowhere_to_send')
        return accepted('Event queued successfully', { queued })
      })
    },
  )
}

const toOneEndpoint: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps

  app.post(
    '/api/v1/webhook-endpoints/:id/replay',
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'replayEvents',
        tags: ['Webhooks'],
        summary: 'Replay events to an endpoint',
        description:
          `Events of the subscribed types, at most ${REPLAY_MAX} per call. While nextFrom is not ` +
          'null, call again with it as from.',
        body: ReplayRequest,
        response: {
          200: ApiEnvelope(named('Replay', { queued: Queued, nextFrom: NextFrom })),
        },
      },
    },
    async (request, reply) => {
      const { client, withoutAlerts, params, body } = request
      const endpointId = requireEndpointId(params.id)
      const { since, after } = parseStart(body.from)
      // Both are given.
      const { from, to } = parseWindow({ ...body, from: since }) as { from: Date; to: Date }
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const asked = { clientId: client.id, endpointId, from, to, after, withoutAlerts }
        const { queued, last } = await replay(tx, clock(), { range: asked })
        const data = { queued, nextFrom: last === null ? null : `${timestamp(from)}#${last}` }
        return accepted('Events queued successfully', data)
      })
    },
  )

  app.post(
    '/api/v1/webhook-endpoints/:id/test',
    {
      onRequest: authentication.requires('webhooks:write'),
      schema: {
        ...about,
        operationId: 'testWebhookEndpoint',
        tags: ['Webhooks'],
        summary: 'Send a test event to a webhook endpoint',
        description: 'Sends an `endpoint.test` event to this endpoint only.',
        body: NoBody,
        response: {
          200: ApiEnvelope(named('TestEvent', { eventId: Type.String() })),
        },
      },
    },
    async (request, reply) => {
      const id = requireEndpointId(request.params.id)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const eventId = await sendTestEvent(tx, clock(), {
          clientId: request.client.id,
          endpointId: id,
        })
        return accepted('Test event queued successfully', { eventId })
      })
    },
  )
}

// Start time and, when continuing, the last sequence of the previous call. Times do not order
// events: several share one, and a later event may have an earlier one.
function parseStart(from: string): { since: string; after: bigint } {
  const [, since, after] = /^([^#]+)#([0-9]{1,18})$/.exec(from) ?? []
  return since && after ? { since, after: BigInt(after) } : { since: from, after: 0n }
}

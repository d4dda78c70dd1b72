// Redelivery: one event, a replay to one endpoint, a test event.

import { Type } from '@fastify/type-provider-typebox'
import { REPLAY_MAX, redeliver, replay } from '#domain/webhooks/redeliver.ts'
import { sendTestEvent } from '#domain/webhooks/test-events.ts'
import { Refusal } from '#errors.ts'
import { parseWindow } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { NoBody, named, nullable } from '#http/schemas.ts'
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

const Redelivery = named('Redelivery', { queued: Queued })
const Replay = named('Replay', {
  queued: Queued,
  nextFrom: nullable('string', { description: 'Pass as from to continue. Null: done.' }),
})
const scopes = { read: 'webhooks:read', write: 'webhooks:write' } as const

export const eventRedeliveries = resource('/api/v1/events', {
  tag: 'Events',
  noun: 'redelivery',
  view: Redelivery,
  scopes,
  params: { id: requireEventId },
}).act('redeliverEvent', {
  path: '/:id/redeliver',
  summary: 'Redeliver an event',
  description: 'Immediately, with the same ID; retried like a new event.',
  body: RedeliverRequest,
  errors: ['endpoint_inactive', 'endpoint_not_found', 'event_not_found', 'nowhere_to_send'],
  message: 'Event queued successfully',
  run: async (tx, { clientId, now, params, body, withoutAlerts }) => {
    const only = body?.endpointId
    const endpoint = only === undefined ? {} : { endpointId: requireEndpointId(only) }
    const redelivery = { clientId, eventId: params.id, withoutAlerts, ...endpoint }
    const queued = await redeliver(tx, now, redelivery)
    if (queued === 0) throw new Refusal('nowhere_to_send')
    return { queued }
  },
})

export const endpointReplays = resource('/api/v1/webhook-endpoints', {
  tag: 'Webhooks',
  noun: 'replay',
  view: Replay,
  scopes,
  params: { id: requireEndpointId },
})
  .act('replayEvents', {
    path: '/:id/replay',
    summary: 'Replay events to an endpoint',
    description:
      `Events of the subscribed types, at most ${REPLAY_MAX} per call. While nextFrom is not ` +
      'null, call again with it as from.',
    body: ReplayRequest,
    errors: ['endpoint_inactive', 'endpoint_not_found'],
    message: 'Events queued successfully',
    parse: ({ body }) => {
      const { since, after } = parseStart(body.from)
      // The schema requires both.
      const { from, to } = parseWindow({ ...body, from: since }) as { from: Date; to: Date }
      return { from, to, after }
    },
    run: async (tx, { clientId, now, params, withoutAlerts, input }) => {
      const range = { clientId, endpointId: params.id, ...input, withoutAlerts }
      const { queued, last } = await replay(tx, now, { range })
      return { queued, nextFrom: last === null ? null : `${timestamp(input.from)}#${last}` }
    },
  })
  .act('testWebhookEndpoint', {
    path: '/:id/test',
    summary: 'Send a test event to a webhook endpoint',
    description: 'Sends an `endpoint.test` event to this endpoint only.',
    body: NoBody,
    view: named('TestEvent', { eventId: Type.String() }),
    errors: ['endpoint_inactive', 'endpoint_not_found'],
    message: 'Test event queued successfully',
    run: async (tx, { clientId, now, params }) => ({
      eventId: await sendTestEvent(tx, now, { clientId, endpointId: params.id }),
    }),
  })

// Start time and, when continuing, the last sequence of the previous call. Times do not order
// events: several share one, and a later event may have an earlier one.
function parseStart(from: string): { since: string; after: bigint } {
  const [, since, after] = /^([^#]+)#([0-9]{1,18})$/.exec(from) ?? []
  return since && after ? { since, after: BigInt(after) } : { since: from, after: 0n }
}

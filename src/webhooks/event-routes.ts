// /api/v1/events: lists and reads events with their deliveries, and sends one event again.
// /api/v1/webhook-endpoints/{id}: replays the events of a period to an endpoint, and sends it a test event.

import { Type } from '@fastify/type-provider-typebox'
import { timestamp } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { choice, flag, parseFlag, parseWindow, WindowQuery } from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import { accountNumber, NoBody, named, nullable, oneOf, reference } from '#http/schemas.ts'
import { type EndpointId, parseReference } from '#ids.ts'
import { EVENT_TYPES } from '#records/event-types.ts'
import { listAttempts, listDeliveries } from './delivery-log.ts'
import { EventFields, eventPresenter } from './event-views.ts'
import { getEvent, type ListedEvent, listEvents } from './events.ts'
import { REPLAY_MAX, redeliver, replay, sendTestEvent } from './redeliver.ts'
import {
  DeliveryDetailView,
  DeliveryView,
  requireEndpointId,
  requireEventId,
  withLog,
} from './views.ts'

const deliveryState = oneOf(
  ['none', 'pending', 'delivered', 'failed'],
  'none: no destination; failed: no further attempts.',
)

const EventBody = named('Event', {
  ...EventFields,
  deliveryState,
  deliveries: Type.Optional(Type.Array(DeliveryView.schema)),
})
const EventDetailBody = named('EventDetail', {
  ...EventFields,
  deliveryState,
  deliveries: Type.Array(DeliveryDetailView.schema),
})

export const events = resource('/api/v1/events', {
  tag: 'Events',
  noun: 'event',
  view: EventBody,
  scopes: { read: 'webhooks:read', write: 'webhooks:write' },
  params: { id: requireEventId },
})
  .list('listEvents', {
    summary: 'List events, newest first',
    description:
      'Filters can be combined. A filtered page may hold fewer items than `limit`, or none, ' +
      'while hasMore is true: continue with nextCursor.',
    filters: {
      type: choice(EVENT_TYPES, 'Filter by type.'),
      accountNumber: Type.Optional(accountNumber('Events of this account and its credits.')),
      paymentReference: Type.Optional(reference('Events of this payment and its credits.')),
      delivered: flag('true: all deliveries succeeded; false: one is pending or failed.'),
      include: Type.Optional(
        Type.Unsafe<'deliveries'>({
          type: 'string',
          enum: ['deliveries'],
          description: 'deliveries: include the deliveries of each event.',
          'x-says': 'Must be deliveries.',
        }),
      ),
      ...WindowQuery,
    },
    unbound: ['include'],
    position: ({ sequence }) => sequence,
    rows: async (db, { query, after, limit, ...call }) => {
      const { type, accountNumber, paymentReference, delivered, include } = query
      const filters = {
        type,
        accountNumber,
        paymentReference: paymentReference && parseReference(paymentReference),
        isDelivered: parseFlag(delivered),
        ...parseWindow(query),
        withoutAlerts: call.withoutAlerts,
      }
      const before = after ?? undefined
      const scan = await listEvents(db, call.clientId, { filters, before, limit })
      const bodies = await renderWithState(db, call, scan.rows)
      const ids = scan.rows.map(({ id }) => id)
      const deliveries = include ? await listDeliveries(db, call.now, ids) : []
      const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId)
      const rows = bodies.map((event) => ({
        ...event,
        ...(include && {
          deliveries: (byEvent.get(event.id) ?? []).map((row) => DeliveryView.present(row)),
        }),
      }))
      return { rows, scannedTo: scan.scannedTo }
    },
  })
  .get('getEvent', {
    summary: 'Retrieve an event and its deliveries',
    description: 'The event as it was sent, and where it was delivered.',
    view: EventDetailBody,
    errors: ['event_not_found'],
    run: (db, call) =>
      withSnapshot(db, async (tx) => {
        const event = await getEvent(tx, call.clientId, { ...call, id: call.params.id })
        const [body] = await renderWithState(tx, call, [event])
        return { ...(body as EventWithState), deliveries: await readDeliveries(tx, call) }
      }),
  })
  .list('listEventDeliveries', {
    path: '/:id/deliveries',
    summary: 'List deliveries and attempts of an event',
    description:
      'Each attempt with its status, latency and the start of the response: why a webhook ' +
      'failed.',
    view: DeliveryDetailView.schema,
    isWhole: true,
    message: 'Deliveries retrieved successfully',
    errors: ['event_not_found'],
    rows: (db, call) =>
      withSnapshot(db, async (tx) => {
        await getEvent(tx, call.clientId, { ...call, id: call.params.id })
        return readDeliveries(tx, call)
      }),
  })

type EventCall = Call<{ id: typeof requireEventId }>
type EventWithState = Awaited<ReturnType<typeof renderWithState>>[number]

// Renders events with the state of their deliveries.
async function renderWithState(db: Queryable, deps: Deps, rows: readonly ListedEvent[]) {
  const bodies = await eventPresenter(deps)(db, rows)
  return bodies.map((body, index) => ({
    ...body,
    deliveryState: (rows[index] as ListedEvent).deliveryState,
  }))
}

// Returns the deliveries of the event in the path, each with its attempts.
async function readDeliveries(db: Queryable, { now, params: { id } }: EventCall) {
  const deliveries = await listDeliveries(db, now, [id])
  const rows = withLog(deliveries, await listAttempts(db, id))
  return rows.map((row) => DeliveryDetailView.present(row))
}

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
    const requestedId = body?.endpointId
    const endpoint = requestedId === undefined ? {} : { endpointId: requireEndpointId(requestedId) }
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
      // The schema requires both `from` and `to`.
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

// Parses the start of a replay: a time or, to continue a replay, `time#sequence` with the last sequence of
// the previous call. A time alone would not suffice to continue, because several events may have the same
// time, and a later event may have an earlier time.
function parseStart(from: string): { since: string; after: bigint } {
  const [, since, after] = /^([^#]+)#([0-9]{1,18})$/.exec(from) ?? []
  return since && after ? { since, after: BigInt(after) } : { since: from, after: 0n }
}

// /api/v1/events: lists and reads events with their deliveries, and sends one event again.
// /api/v1/webhook-endpoints/{id}: replays the events of a period to an endpoint, and sends it a test event.

import { Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { choice, flag, parseFlag, parseWindow, WindowQuery } from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import { accountNumber, NoBody, named, oneOf, reference } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type EndpointId, parseReference } from '#ids.ts'
import { EVENT_TYPES } from '#records/event-types.ts'
import { listAttempts, listDeliveries } from './delivery-log.ts'
import { EventFields, eventPresenter } from './event-views.ts'
import { getEvent, type ListedEvent, listEvents } from './events.ts'
import { redeliver, sendTestEvent } from './redeliver.ts'
import { getReplay, REPLAYS_PER_HOUR, type Replay, startReplay } from './replays.ts'
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
        'answer of an earlier release.',
    ),
    to: moment('End, exclusive.'),
  },
  { additionalProperties: false, 'x-says': 'Must be an object with from and to.' },
)

const Redelivery = named('Redelivery', { queued: Queued })
const ReplayView = view('Replay', (f: Fields<Replay>) => ({
  id: f.text('id'),
  endpointId: f.text('endpointId'),
  from: f.time('fromAt', 'Start of the period, inclusive.'),
  to: f.time('toAt', 'End of the period, exclusive.'),
  status: f.oneOf(
    ({ endedAt, nextSequence, pastSequence }) =>
      endedAt === null ? 'running' : nextSequence === pastSequence ? 'done' : 'stopped',
    ['running', 'done', 'stopped'],
    'stopped: the endpoint was deactivated or deleted before the last event.',
  ),
  progress: f.integer(progressOf, 'Percent of the events that are done.'),
  queued: f.integer('queued', 'Number of deliveries queued so far.'),
  requestedAt: f.time('createdAt'),
  endedAt: f.timeOrNull('endedAt', 'Null while it runs.'),
  nextFrom: f.textOrNull(() => null, 'Always null: the service continues by itself.'),
}))
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
  view: ReplayView,
  scopes,
  params: { id: requireEndpointId },
})
  .act('replayEvents', {
    path: '/:id/replay',
    summary: 'Replay events to an endpoint',
    description:
      'Queues the events of the subscribed types that exist now. The answer says done, or running: the ' +
      'service then continues in steps, and GET shows the progress. A client has one running replay at ' +
      `most (replay_running) and begins at most ${REPLAYS_PER_HOUR} an hour (too_many_replays). A ` +
      'repeated request for the same endpoint and period returns the running replay.',
    body: ReplayRequest,
    errors: ['endpoint_inactive', 'endpoint_not_found', 'replay_running', 'too_many_replays'],
    message: 'Events queued successfully',
    parse: ({ body }) => {
      const { since, after } = parseStart(body.from)
      // The schema requires both `from` and `to`.
      const { from, to } = parseWindow({ ...body, from: since }) as { from: Date; to: Date }
      return { from, to, after }
    },
    run: (tx, { clientId, now, params, withoutAlerts, input }) =>
      startReplay(tx, now, { clientId, endpointId: params.id, ...input, withoutAlerts }),
  })
  .get('getReplay', {
    path: '/:id/replay',
    summary: 'Get the latest replay to an endpoint',
    description:
      'Shows how far it is and how many events it has queued. Replays are kept for 30 days after their end.',
    errors: ['endpoint_not_found', 'replay_not_found'],
    run: (db, { clientId, params }) => getReplay(db, { clientId, endpointId: params.id }),
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

function progressOf({ firstSequence, nextSequence, pastSequence }: Replay): number {
  if (nextSequence === pastSequence) return 100
  return Number(((nextSequence - firstSequence) * 100n) / (pastSequence - firstSequence))
}

// Parses the start of a replay: a time, or `time#sequence` as answered by an earlier release, which queued a
// long replay in several calls.
function parseStart(from: string): { since: string; after: bigint } {
  const [, since, after] = /^([^#]+)#([0-9]{1,18})$/.exec(from) ?? []
  return since && after ? { since, after: BigInt(after) } : { since: from, after: 0n }
}

// /api/v1/events: events and their deliveries.

import { Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { EVENT_TYPES } from '#domain/records/event-types.ts'
import { listAttempts, listDeliveries } from '#domain/webhooks/delivery-log.ts'
import { getEvent, type ListedEvent, listEvents } from '#domain/webhooks/event-list.ts'
import type { Deps } from '#http/deps.ts'
import { choice, flag, parseFlag, parseWindow, WindowQuery } from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import { accountNumber, named, oneOf, reference } from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { EventFields, eventPresenter } from './event-presenters.ts'
import { DeliveryDetailView, DeliveryView, requireEventId, withLog } from './webhook-presenters.ts'

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
      const found = await listEvents(db, call.clientId, { filters, before, limit })
      const shown = await show(db, call, found.rows)
      const ids = found.rows.map(({ id }) => id)
      const deliveries = include ? await listDeliveries(db, call.now, ids) : []
      const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId)
      const rows = shown.map((event) => ({
        ...event,
        ...(include && {
          deliveries: (byEvent.get(event.id) ?? []).map((each) => DeliveryView.present(each)),
        }),
      }))
      return { rows, scannedTo: found.scannedTo }
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
        const [shown] = await show(tx, call, [event])
        return { ...(shown as Shown), deliveries: await readDeliveries(tx, call) }
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
type Shown = Awaited<ReturnType<typeof show>>[number]

async function show(db: Queryable, deps: Deps, rows: readonly ListedEvent[]) {
  const bodies = await eventPresenter(deps)(db, rows)
  return bodies.map((body, at) => ({
    ...body,
    deliveryState: (rows[at] as ListedEvent).deliveryState,
  }))
}

async function readDeliveries(db: Queryable, { now, params: { id } }: EventCall) {
  const deliveries = await listDeliveries(db, now, [id])
  const rows = withLog(deliveries, await listAttempts(db, id))
  return rows.map((row) => DeliveryDetailView.present(row))
}

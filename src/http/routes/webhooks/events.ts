// /api/v1/events: events and their deliveries.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { EVENT_TYPES, type EventType } from '#domain/records/event-types.ts'
import { listAttempts, listDeliveries } from '#domain/webhooks/delivery-log.ts'
import { type EventFilters, getEvent, listEvents } from '#domain/webhooks/event-list.ts'
import type { EventBody } from '#domain/webhooks/render-events.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import {
  ListEnvelope,
  listResponse,
  NoQuery,
  PageQuery,
  parseLimit,
  parseWindow,
  query,
  WindowQuery,
} from '#http/lists.ts'
import { ApiEnvelope, accountNumber, BEARER, named, oneOf, reference } from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { EventFields, eventPresenter } from './event-presenters.ts'
import {
  DeliveryBody,
  ListedDelivery,
  presentDelivery,
  presentListedDelivery,
  requireEventId,
} from './webhook-presenters.ts'

const EventsQuery = query({
  type: Type.Optional(
    Type.Unsafe<EventType>({
      type: 'string',
      enum: [...EVENT_TYPES],
      description: 'Filter by type.',
      'x-says': `Must be one of ${EVENT_TYPES.join(', ')}.`,
    }),
  ),
  accountNumber: Type.Optional(accountNumber('Events of this account and its credits.')),
  paymentReference: Type.Optional(reference('Events of this payment and its credits.')),
  delivered: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: ['string', 'boolean'],
      enum: ['true', 'false'],
      description: 'true: all deliveries succeeded; false: one is pending or failed.',
      'x-says': 'Must be true or false.',
    }),
  ),
  include: Type.Optional(
    Type.Unsafe<'deliveries'>({
      type: 'string',
      enum: ['deliveries'],
      description: 'deliveries: include the deliveries of each event.',
      'x-says': 'Must be deliveries.',
    }),
  ),
  ...WindowQuery,
  ...PageQuery,
})

const ListedEvent = named('Event', {
  ...EventFields,
  deliveryState: oneOf(
    ['none', 'pending', 'delivered', 'failed'],
    'none: no destination; failed: no further attempts.',
  ),
  deliveries: Type.Optional(Type.Array(ListedDelivery)),
})
const EventDetail = named('EventDetail', {
  ...EventFields,
  deliveryState: ListedEvent.properties.deliveryState,
  deliveries: Type.Array(DeliveryBody),
})
const Params = Type.Object({ id: Type.String() })
const tags = ['Events']

export const eventRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(eventList, deps)
  await app.register(oneEvent, deps)
}

const eventList: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  const show = eventPresenter(deps)

  app.get(
    '/api/v1/events',
    {
      onRequest: authentication.requires('webhooks:read'),
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'List events, newest first',
        description:
          'Filters can be combined. A filtered page may hold fewer items than `limit`, or none, ' +
          'while hasMore is true: continue with nextCursor.',
        security: BEARER,
        querystring: EventsQuery,
        response: { 200: ListEnvelope(ListedEvent) },
      },
    },
    async ({ client, withoutAlerts, query: asked }) => {
      const { limit: _, cursor, include, ...filters } = asked
      const list: List = { name: 'events', clientId: client.id, filters }
      const position = readCursor(sealer, list, cursor)?.[0]
      const before = position === undefined ? undefined : BigInt(position)
      const limit = parseLimit(asked)
      const found = await listEvents(db, client.id, {
        filters: { ...parseEventFilters(asked), withoutAlerts },
        before,
        limit: limit + 1,
      })
      const rows = found.rows.slice(0, limit)
      const next = found.rows.length > limit ? rows.at(-1)?.sequence : found.scannedTo
      const bodies = await show(db, rows)
      const ids = rows.map(({ id }) => id)
      const deliveries = include ? await listDeliveries(db, clock(), ids) : []
      const ofEvent = Map.groupBy(deliveries, ({ eventId }) => eventId)
      const page = {
        rows: rows.map(({ id, deliveryState }, at) => ({
          ...(bodies[at] as EventBody),
          deliveryState,
          ...(include && { deliveries: (ofEvent.get(id) ?? []).map(presentListedDelivery) }),
        })),
        nextCursor: next ? writeCursor(sealer, list, [next.toString()]) : null,
      }
      return listResponse('Events retrieved successfully', page, (event) => event)
    },
  )
}

const oneEvent: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const show = eventPresenter(deps)

  app.get(
    '/api/v1/events/:id',
    {
      onRequest: authentication.requires('webhooks:read'),
      schema: {
        operationId: 'getEvent',
        tags,
        summary: 'Retrieve an event and its deliveries',
        description: 'The event as it was sent, and where it was delivered.',
        security: BEARER,
        params: Params,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(EventDetail) },
      },
    },
    async ({ client, withoutAlerts, params }) => {
      const wanted = { id: requireEventId(params.id), withoutAlerts }
      const data = await withSnapshot(db, async (tx) => {
        const event = await getEvent(tx, client.id, wanted)
        const [body] = await show(tx, [event])
        const deliveries = await listDeliveries(tx, clock(), [event.id])
        const attempts = await listAttempts(tx, event.id)
        return {
          ...(body as EventBody),
          deliveryState: event.deliveryState,
          deliveries: deliveries.map((delivery) => presentDelivery(delivery, attempts)),
        }
      })
      return accepted('Event retrieved successfully', data)
    },
  )

  app.get(
    '/api/v1/events/:id/deliveries',
    {
      onRequest: authentication.requires('webhooks:read'),
      schema: {
        operationId: 'listEventDeliveries',
        tags,
        summary: 'List deliveries and attempts of an event',
        description:
          'Each attempt with its status, latency and the start of the response: why a webhook ' +
          'failed.',
        security: BEARER,
        params: Params,
        querystring: NoQuery,
        response: { 200: ListEnvelope(DeliveryBody) },
      },
    },
    async ({ client, withoutAlerts, params }) => {
      const wanted = { id: requireEventId(params.id), withoutAlerts }
      const [deliveries, attempts] = await withSnapshot(db, async (tx) => {
        const { id } = await getEvent(tx, client.id, wanted)
        return [await listDeliveries(tx, clock(), [id]), await listAttempts(tx, id)] as const
      })
      const page = { rows: deliveries, nextCursor: null }
      return listResponse('Deliveries retrieved successfully', page, (delivery) =>
        presentDelivery(delivery, attempts),
      )
    },
  )
}

function parseEventFilters(asked: Static<typeof EventsQuery>): EventFilters {
  const { type, accountNumber, paymentReference, delivered } = asked
  return {
    type,
    accountNumber,
    paymentReference: paymentReference === undefined ? undefined : parseReference(paymentReference),
    isDelivered: delivered === undefined ? undefined : delivered === 'true',
    ...parseWindow(asked),
  }
}

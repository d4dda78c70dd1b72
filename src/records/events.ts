// Events: the outbox that stores them, and their traces. event-types.ts has their types and facts.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { int4s, int8s, jsons, texts, unless, uuids } from '#hot-path/copy-rows.ts'
import {
  type AccountId,
  type ClientId,
  type CreditId,
  type EventId,
  type PaymentId,
  timeOrderedId,
} from '#ids.ts'
import { currentSpan, spanOf } from '#trace-context.ts'
import type { EventFacts, EventType } from './event-types.ts'
import type { Moved } from './money-totals.ts'

export type EventSubject = {
  clientId: ClientId
  collectionAccountId?: AccountId
  paymentId?: PaymentId
  creditId?: CreditId
  moved?: Moved
}

export type NewEventOf<Type extends EventType> = EventSubject & {
  type: Type
  facts: EventFacts[Type]
}
export type NewEvent = { [Type in EventType]: NewEventOf<Type> }[EventType]

// Distributed traces (OpenTelemetry). The delivery of an event, possibly by another process, continues the
// trace of the request that caused the event. So the transaction that writes an event also stores its trace
// context for a day, if the trace is sampled.

const KEPT_DAYS = 1

// Stores the trace contexts of events. Runs a query only if a request is traced, which is rare. keep() makes
// the tracer send the trace, because the delivery of the event continues it.
async function insertEventTraces(
  tx: Transaction,
  events: readonly NewEvent[],
  idAt: (place: number) => EventId, // The id of the event at this place in `events`.
): Promise<void> {
  // The events whose request is traced, with the trace context of that request.
  const traces = events.flatMap((event, place) => {
    const span = spanOf(traceNamesOf(event))
    span?.keep()
    return span ? [{ eventId: idAt(place), traceparent: span.traceparent }] : []
  })
  if (traces.length === 0) return
  await tx.query({
    name: 'insert-event-traces',
    text: `insert into event_traces (event_id, traceparent)
           select * from unnest($1::uuid[], $2::text[])`,
    values: [traces.map(({ eventId }) => eventId), traces.map(({ traceparent }) => traceparent)],
  })
}

// The names by which the items of a batch find their traces (src/trace-context.ts).
export const traceNames = {
  credit: (id: bigint) => `credit:${id}`,
  payment: (id: string) => `payment:${id}`,
}

// The names under which the span of the request is found: by the event's credit, and by its payment.
function traceNamesOf({ creditId, paymentId }: NewEvent): string[] {
  return [
    ...(creditId == null ? [] : [traceNames.credit(creditId)]),
    ...(paymentId == null ? [] : [traceNames.payment(paymentId)]),
  ]
}

// Returns the trace contexts of those events that have one, for their deliveries.
export async function findEventTraces(
  db: Queryable,
  eventIds: readonly EventId[],
): Promise<Map<EventId, string>> {
  const { rows } = await db.query<{ eventId: EventId; traceparent: string }>({
    name: 'find-event-traces',
    text: `select event_id, traceparent from event_traces
            where event_id = any($1::uuid[])`,
    values: [eventIds],
  })
  return new Map(rows.map(({ eventId, traceparent }) => [eventId, traceparent]))
}

// Deletes the trace contexts of events before yesterday. An event's id begins with the time of the event.
export async function deleteOldTraces(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'delete-old-event-traces',
    text: `delete from event_traces
            where event_id < uuid_floor(($1::timestamptz at time zone 'UTC')::date - ${KEPT_DAYS})`,
    values: [now],
  })
}

// The outbox. An event is written in the same transaction as the change that it reports, so a client gets an
// event for every committed change and for no other.
//
// I5: a client's events are numbered without gaps, in commit order. The numbers come from the
// client's counter, which stays locked until commit; so a transaction takes this lock last.

// Writes events to the outbox, and numbers them. Every event of a call usually has the same type and client,
// so these values are sent once, and null in their columns stands for them (unless, coalesce). uuids(),
// int8s() and the like encode one field of all events as an array.
export async function appendEvents(
  tx: Transaction,
  now: Date,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const counts = new Map<ClientId, number>()
  // The place of each event among the events of its client, from 1.
  const places = events.map(({ clientId }) => {
    const place = (counts.get(clientId) ?? 0) + 1
    counts.set(clientId, place)
    return place
  })
  const clients = [...counts.keys()].sort((one, other) => (one < other ? -1 : 1))
  const clientPlaces = new Map(clients.map((clientId, index) => [clientId, index + 1]))
  const { type } = events[0] as NewEvent
  // The query puts the previous numbers into one array, ordered by client. An array look-up is cheap; a join
  // would compare every event with every client.
  const ids = events.map(() => timeOrderedId(now) as EventId)
  // Sent together with the next query, and awaited after it.
  const traced = currentSpan() && insertEventTraces(tx, events, (place) => ids[place] as EventId)
  await tx.query({
    name: 'append-events',
    text: `with numbered as (
             update event_counters c set sequence = c.sequence + n.events
               from unnest($9::bigint[], $10::bigint[]) as n (client_id, events)
              where c.client_id = n.client_id
             returning c.client_id, c.sequence - n.events as base
           ), bases as materialized (
             select array_agg(base order by client_id) as of_client from numbered
           )
           insert into events (id, client_id, sequence, type, collection_account_id, payment_id,
                               credit_id, facts, created_at, moved)
           select e.id, ($9::bigint[])[coalesce(e.client_place, 1)],
                  b.of_client[coalesce(e.client_place, 1)] + coalesce(e.place, e.at),
                  coalesce(e.type, $8), e.collection_account_id, e.payment_id, e.credit_id,
                  e.facts, $11, e.moved
             from bases b,
                  unnest($1::uuid[], $2::text[], $3::bigint[], $4::uuid[], $5::bigint[],
                         $6::json[], $7::json[], $12::int[], $13::bigint[]) with ordinality
                  as e (id, type, collection_account_id, payment_id, credit_id, facts, moved,
                        client_place, place, at)`,
    values: [
      uuids(events, (_, index) => ids[index] as string),
      texts(events, (event) => unless(type, event.type)),
      int8s(events, (event) => event.collectionAccountId ?? null),
      uuids(events, (event) => event.paymentId ?? null),
      int8s(events, (event) => event.creditId ?? null),
      jsons(events, (event) => JSON.stringify(event.facts, koboAsText)),
      jsons(events, (event) => (event.moved ? JSON.stringify(event.moved) : null)),
      type,
      int8s(clients, (clientId) => clientId),
      int8s(clients, (clientId) => counts.get(clientId) as number),
      now,
      int4s(events, (event) => unless(1, clientPlaces.get(event.clientId) ?? 1)),
      int8s(events, (_, index) => unless(index + 1, places[index] as number)),
    ],
  })
  await traced
}

// JSON has no bigint. Amounts in kobo are written as text.
function koboAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

// The outbox. An event is written in the same transaction as the change it reports, so a client
// learns of everything that happened and of nothing that did not.
//
// I5: a client's events are numbered without gaps, in commit order. The numbers come from the
// client's counter, which stays locked until commit; so a transaction takes this lock last.

import { int4s, int8s, jsons, texts, unless, uuids } from '#db/binary-arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { type ClientId, type EventId, timeOrderedId } from '#ids.ts'
import { currentSpan } from '#trace-context.ts'
import { insertEventTraces } from './event-traces.ts'
import type { NewEvent } from './event-types.ts'

export async function appendEvents(
  tx: Transaction,
  now: Date,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const counts = new Map<ClientId, number>()
  const places = events.map(({ clientId }) => {
    const place = (counts.get(clientId) ?? 0) + 1
    counts.set(clientId, place)
    return place
  })
  const clients = [...counts.keys()].sort((one, other) => (one < other ? -1 : 1))
  const clientPlaces = new Map(clients.map((clientId, index) => [clientId, index + 1]))
  const { type } = events[0] as NewEvent
  // The previous numbers come as one array in the order of the clients, because an array look-up is
  // cheap and a join would compare every event with every client.
  const ids = events.map(() => timeOrderedId(now) as EventId)
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
      uuids(events, (_, at) => ids[at] as string),
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
      int8s(events, (_, at) => unless(at + 1, places[at] as number)),
    ],
  })
  await traced
}

function koboAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

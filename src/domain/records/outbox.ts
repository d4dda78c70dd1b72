// The outbox. An event is written in the same transaction as the change it reports, so a client
// is told of everything that happened and of nothing that did not.
//
// I5: a client's events are numbered without gaps, in the order they were committed. The numbers
// come from the client's counter, which stays locked until commit; so this is the last thing that a
// transaction locks.

import { numberArray, plainArray, textArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { type ClientId, timeOrderedId } from '#ids.ts'
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
  // The numbers before this batch come as one array, in the order of the clients: to look one up
  // costs nothing, whereas a join would compare every event with every client.
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
           select e.id, e.client_id, b.of_client[e.client_place] + e.place, e.type,
                  e.collection_account_id, e.payment_id, e.credit_id, e.facts, $8, e.moved
             from bases b,
                  unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::uuid[],
                         $6::bigint[], $7::json[], $11::int[], $12::bigint[], $13::json[])
                  as e (id, client_id, type, collection_account_id, payment_id, credit_id, facts,
                        client_place, place, moved)`,
    values: [
      plainArray(events.map(() => timeOrderedId(now))),
      numberArray(events.map((event) => event.clientId)),
      plainArray(events.map((event) => event.type)),
      numberArray(events.map((event) => event.collectionAccountId ?? null)),
      plainArray(events.map((event) => event.paymentId ?? null)),
      numberArray(events.map((event) => event.creditId ?? null)),
      textArray(events.map((event) => JSON.stringify(event.facts, koboAsText))),
      now,
      numberArray(clients),
      numberArray(clients.map((clientId) => counts.get(clientId) as number)),
      numberArray(events.map((event) => clientPlaces.get(event.clientId) as number)),
      numberArray(places),
      textArray(events.map((event) => (event.moved ? JSON.stringify(event.moved) : null))),
    ],
  })
}

function koboAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

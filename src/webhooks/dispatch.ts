// Dispatches events: queues a delivery to each destination for every event in the outbox.
//
// I15: every event of a client reaches the queue of each of its targets. A client's events are read by
// number, without gaps and in commit order (I5); the transaction that queues them stores the position. If a
// number is missing, the dispatcher queues no later event until that number appears. Retention keeps unqueued
// events (maintain_partitions). Dispatchers may run concurrently, but each client has only one at a time.
//
// Locks: free cursors, then destinations in id order.

import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { CopyTarget, int8, text, timestamptz, uuid } from '#hot-path/copy-rows.ts'
import type { ClientId, DestinationId, EventId } from '#ids.ts'
import {
  findDestinations,
  readAddresses,
  routeEvent,
  scheduleNow,
  type Target,
} from './destinations.ts'
import { inOrder, type StoredEvent } from './events.ts'

const CLIENTS_MAX = 100
const EVENTS_MAX = 1_000
const EVENTS_OF_CLIENT_MIN = 10 // However many clients have events, each may dispatch at least this many.
const OF_CURSOR = { clientId: 'c.client_id', after: 'c.sequence', limit: '$3' }

type Cursor = { clientId: ClientId; sequence: bigint }
type Dispatched = { events: number; deliveries: number }

// Dispatches new events, of one client or of all clients.
export async function dispatchEvents(
  tx: Transaction,
  now: Date,
  {
    clientId,
    eventsMax = EVENTS_MAX,
  }: { clientId?: ClientId | undefined; eventsMax?: number } = {},
): Promise<Dispatched> {
  const cursors = await lockCursors(tx, clientId)
  if (cursors.length === 0) return { events: 0, deliveries: 0 }
  const events = await readNext(tx, cursors, Math.min(eventsMax, EVENTS_MAX))
  const addressesOf = await readAddresses(tx, events)
  const targets = events.flatMap((event) =>
    routeEvent(event, addressesOf(event)).map((target) => ({ event, target })),
  )
  const deliveries = await queueDeliveries(tx, now, targets)
  await moveCursors(tx, events)
  return { events: events.length, deliveries }
}

// SQL condition: whether some client has unqueued events.
export const HAS_NEW_EVENTS = `exists (
  select from event_counters k left join dispatch_cursors c on c.client_id = k.client_id
   where k.sequence > coalesce(c.sequence, 0))`

// Returns the clients with unqueued events, to dispatch them one by one after a failure.
export async function findWaiting(db: Queryable): Promise<ClientId[]> {
  const { rows } = await db.query<{ id: ClientId }>({
    name: 'clients-with-new-events',
    text: `select k.client_id as id
             from event_counters k left join dispatch_cursors c on c.client_id = k.client_id
            where k.sequence > coalesce(c.sequence, 0)`,
  })
  return rows.map(({ id }) => id)
}

// Locks the cursors of clients with new events. The random order gives each client its turn if there are more
// clients than one round can serve.
async function lockCursors(tx: Transaction, clientId: ClientId | undefined): Promise<Cursor[]> {
  await tx.query({
    name: 'insert-dispatch-cursors',
    text: `insert into dispatch_cursors (client_id)
           select k.client_id from event_counters k
            where k.sequence > 0
              and not exists (select from dispatch_cursors c where c.client_id = k.client_id)
           on conflict do nothing`,
  })
  const { rows } = await tx.query<Cursor>({
    name: 'lock-dispatch-cursors',
    text: `select c.client_id, c.sequence
             from dispatch_cursors c join event_counters k on k.client_id = c.client_id
            where k.sequence > c.sequence and ($1::bigint is null or c.client_id = $1)
            order by random() limit ${CLIENTS_MAX}
              for no key update of c skip locked`,
    values: [clientId ?? null],
  })
  return rows
}

// Reads the next events of the clients, in order. Each client gets an even share of `eventsMax`, but at
// least EVENTS_OF_CLIENT_MIN.
async function readNext(
  tx: Transaction,
  cursors: readonly Cursor[],
  eventsMax: number,
): Promise<StoredEvent[]> {
  const evenShare = Math.floor(eventsMax / cursors.length)
  const { rows } = await tx.query<StoredEvent>({
    name: 'next-events',
    text: `select e.*
             from unnest($1::bigint[], $2::bigint[]) as c (client_id, sequence)
            cross join lateral (${inOrder(OF_CURSOR)}) as e`,
    values: [
      numberArray(cursors.map((cursor) => cursor.clientId)),
      numberArray(cursors.map((cursor) => cursor.sequence)),
      Math.min(eventsMax, Math.max(evenShare, EVENTS_OF_CLIENT_MIN)),
    ],
  })
  return rows
}

type NewDelivery = {
  eventId: EventId
  destinationId: DestinationId
  clientId: ClientId
  kind: Target['kind']
  url: string | null
}

const DELIVERIES = new CopyTarget<NewDelivery, Date>('deliveries', {
  event_id: uuid(({ eventId }) => eventId),
  destination_id: int8(({ destinationId }) => destinationId),
  client_id: int8(({ clientId }) => clientId),
  kind: text(({ kind }) => kind),
  url: text(({ url }) => url),
  next_attempt_at: timestamptz((_, now) => now),
  created_at: timestamptz((_, now) => now),
})

// Queues the events for their targets and makes the destinations due. Returns the number of new deliveries.
async function queueDeliveries(
  tx: Transaction,
  now: Date,
  routed: readonly { event: StoredEvent; target: Target }[],
): Promise<number> {
  if (routed.length === 0) return 0
  const destinations = await findDestinations(
    tx,
    routed.map(({ event, target }) => ({ ...target, clientId: event.clientId })),
  )
  const rows = new Map<string, NewDelivery>() // Keyed by event and destination, so that none is sent twice.
  for (const [index, { event, target }] of routed.entries()) {
    const destination = destinations[index]
    if (!destination || destination.isDisabled) continue
    const key = `${event.id} ${destination.id}`
    if (rows.has(key)) continue
    const { clientId } = event
    const { kind, sentTo: url } = target
    rows.set(key, { eventId: event.id, destinationId: destination.id, clientId, kind, url })
  }
  if (rows.size === 0) return 0
  const addedCount = await addDeliveries(tx, now, [...rows.values()])
  await scheduleNow(tx, now, [...new Set([...rows.values()].map((row) => row.destinationId))])
  return addedCount
}

// Writes new deliveries with COPY, which produces a quarter less write-ahead log than inserts. But a user may
// have requested a redelivery before the event was dispatched (redeliver.ts). Then that delivery stays as it
// is, and the rows are inserted instead. If a redelivery commits in between, this transaction fails, and the
// next round finds that delivery.
async function addDeliveries(
  tx: Transaction,
  now: Date,
  rows: readonly NewDelivery[],
): Promise<number> {
  const ids = rows.map(({ eventId }) => eventId).sort()
  const { rows: existing } = await tx.query({
    name: 'find-undispatched-deliveries',
    text: `select from deliveries
            where event_id = any($1::uuid[]) and event_id between $2 and $3 limit 1`,
    values: [ids, ids[0], ids.at(-1)],
  })
  if (existing.length === 0) {
    await DELIVERIES.insert(tx, rows, now)
    return rows.length
  }
  const { rowCount } = await tx.query({
    name: 'insert-deliveries',
    text: `insert into deliveries (event_id, destination_id, client_id, kind, url,
                                   next_attempt_at, created_at)
           select v.*, $6, $6
             from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::text[]) as v
           on conflict do nothing`,
    values: [
      rows.map(({ eventId }) => eventId),
      numberArray(rows.map(({ destinationId }) => destinationId)),
      numberArray(rows.map(({ clientId }) => clientId)),
      rows.map(({ kind }) => kind),
      rows.map(({ url }) => url),
      now,
    ],
  })
  return rowCount ?? 0
}

// Stores the number of the last event that was dispatched for each client.
async function moveCursors(tx: Transaction, events: readonly StoredEvent[]): Promise<void> {
  const lastSequences = new Map<bigint, bigint>()
  for (const { clientId, sequence } of events) {
    if (sequence > (lastSequences.get(clientId) ?? 0n)) lastSequences.set(clientId, sequence)
  }
  await tx.query({
    name: 'move-dispatch-cursors',
    text: `update dispatch_cursors c set sequence = m.sequence
             from unnest($1::bigint[], $2::bigint[]) as m (client_id, sequence)
            where c.client_id = m.client_id`,
    values: [numberArray([...lastSequences.keys()]), numberArray([...lastSequences.values()])],
  })
}

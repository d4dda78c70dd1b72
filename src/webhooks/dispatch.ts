// Dispatches events: queues a delivery to each destination for every event in the outbox.
//
// I15: every event of a client reaches the queue of each of its targets. A client's events are read by
// number, without gaps and in commit order (I5); the transaction that queues them stores the position. If a
// number is missing, the dispatcher queues no later event until that number appears. Retention keeps unqueued
// events (maintain_partitions). Dispatchers may run concurrently, but each client has only one at a time.
//
// The dispatcher leases new deliveries to the sender of its own process (`HandOver`), which then need no
// claim. Such a lease is like that of a claim (claims.ts): it is committed before anything is sent, and it
// makes the destination due when it ends, so that a worker claims the delivery if this process dies. Only a
// healthy destination without a queue gets leases, within the room that the sender has for it; every other
// delivery waits to be claimed.
//
// Locks: free cursors, then destinations in id order. The destinations are locked by the last statements,
// which are sent with the commit, because claims skip locked destinations.

import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { PipelinedCommit, pipeline, type Transaction } from '#db/transaction.ts'
import { CopyTarget, int8, text, timestamptz, uuid } from '#hot-path/copy-rows.ts'
import type { ClientId, DestinationId } from '#ids.ts'
import { type Claim, LEASE_MS } from './claims.ts'
import {
  findDestinations,
  readAddresses,
  routeEvent,
  schedule,
  type Target,
} from './destinations.ts'
import { inOrder, type StoredEvent } from './events.ts'

const CLIENTS_MAX = 100
const EVENTS_MAX = 1_000
const EVENTS_OF_CLIENT_MIN = 10 // However many clients have events, each may dispatch at least this many.
const OF_CURSOR = { clientId: 'c.client_id', after: 'c.sequence', limit: '$3' }

type Cursor = { clientId: ClientId; sequence: bigint }
// The room that the sender of this process has for new deliveries: in all, and for each destination.
export type HandOver = { total: number; roomOf: (id: DestinationId) => number }

// `claims` are the deliveries that are leased to the sender of this process.
export type Dispatched = { events: number; deliveries: number; claims: Claim[] }

type DispatchOptions = {
  clientId?: ClientId | undefined // Default: all clients.
  eventsMax?: number
  handOver?: HandOver | undefined // Default: no delivery is leased.
}

// Dispatches new events, of one client or of all clients.
export async function dispatchEvents(
  tx: Transaction,
  now: Date,
  options: DispatchOptions = {},
): Promise<Dispatched> {
  const { answer, statements } = await dispatchWithCommit(tx, now, options)
  await pipeline(statements)
  return answer
}

// Like dispatchEvents(), but for a transaction that ends here: its last statements are sent with the commit.
export async function dispatchWithCommit(
  tx: Transaction,
  now: Date,
  { clientId, eventsMax = EVENTS_MAX, handOver }: DispatchOptions,
): Promise<PipelinedCommit<Dispatched>> {
  const cursors = await lockCursors(tx, clientId)
  const events =
    cursors.length === 0 ? [] : await readNext(tx, cursors, Math.min(eventsMax, EVENTS_MAX))
  if (events.length === 0) {
    return new PipelinedCommit<Dispatched>({ events: 0, deliveries: 0, claims: [] }, [])
  }
  const addressesOf = await readAddresses(tx, events)
  const targets = events.flatMap((event) =>
    routeEvent(event, addressesOf(event)).map((target) => ({ event, target })),
  )
  const [rows, isCopied] = await pipeline([
    planDeliveries(tx, now, targets, handOver),
    areNew(tx, events),
  ])
  const { deliveries, claims, statements } = await queueDeliveries(tx, now, rows, isCopied)
  return new PipelinedCommit({ events: events.length, deliveries, claims }, [
    ...statements,
    moveCursors(tx, events),
  ])
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
  const inserting = tx.query({
    name: 'insert-dispatch-cursors',
    text: `insert into dispatch_cursors (client_id)
           select k.client_id from event_counters k
            where k.sequence > 0
              and not exists (select from dispatch_cursors c where c.client_id = k.client_id)
           on conflict do nothing`,
  })
  const locking = tx.query<Cursor>({
    name: 'lock-dispatch-cursors',
    text: `select c.client_id, c.sequence
             from dispatch_cursors c join event_counters k on k.client_id = c.client_id
            where k.sequence > c.sequence and ($1::bigint is null or c.client_id = $1)
            order by random() limit ${CLIENTS_MAX}
              for no key update of c skip locked`,
    values: [clientId ?? null],
  })
  const [, { rows }] = await pipeline([inserting, locking])
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
  event: StoredEvent
  destinationId: DestinationId
  target: Target
  leasedUntil: Date | null
}

const DELIVERIES = new CopyTarget<NewDelivery, Date>('deliveries', {
  event_id: uuid(({ event }) => event.id),
  destination_id: int8(({ destinationId }) => destinationId),
  client_id: int8(({ event }) => event.clientId),
  kind: text(({ target }) => target.kind),
  url: text(({ target }) => target.sentTo),
  next_attempt_at: timestamptz((_, now) => now),
  leased_until: timestamptz(({ leasedUntil }) => leasedUntil),
  created_at: timestamptz((_, now) => now),
})

// Returns the deliveries to queue: each event once for each of its destinations, except disabled ones.
async function planDeliveries(
  tx: Transaction,
  now: Date,
  routed: readonly { event: StoredEvent; target: Target }[],
  handOver: HandOver | undefined,
): Promise<NewDelivery[]> {
  if (routed.length === 0) return []
  const destinations = await findDestinations(
    tx,
    routed.map(({ event, target }) => ({ ...target, clientId: event.clientId })),
  )
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  const rooms = new Map<DestinationId, number>() // The room that each destination still has.
  let total = handOver?.total ?? 0
  const rows = new Map<string, NewDelivery>() // Keyed by event and destination, so that none is sent twice.
  for (const [index, { event, target }] of routed.entries()) {
    const destination = destinations[index]
    if (!destination || destination.isDisabled) continue
    const { id, dueAt, failures } = destination
    const key = `${event.id} ${id}`
    if (rows.has(key)) continue
    const hasQueue = dueAt !== null && dueAt <= now
    const room = rooms.get(id) ?? (hasQueue || failures > 0 ? 0 : (handOver?.roomOf(id) ?? 0))
    const isLeased = room > 0 && total > 0
    rooms.set(id, isLeased ? room - 1 : 0) // Once a delivery is queued, those after it are queued behind it.
    if (isLeased) total--
    rows.set(key, {
      event,
      destinationId: id,
      target,
      leasedUntil: isLeased ? leasedUntil : null,
    })
  }
  return [...rows.values()]
}

// Queues the deliveries and makes their destinations due: at once, or when the leases end. Returns the number
// of new deliveries, those that were leased, and the last statements of the transaction.
//
// Writes the deliveries with COPY if none of their events has one yet (`areNew`), because COPY produces a
// quarter less write-ahead log than inserts.
async function queueDeliveries(
  tx: Transaction,
  now: Date,
  rows: readonly NewDelivery[],
  isCopied: boolean,
): Promise<{ deliveries: number; claims: Claim[]; statements: Promise<unknown>[] }> {
  if (rows.length === 0) return { deliveries: 0, claims: [], statements: [] }
  const deliveries = isCopied ? rows.length : await insertMissing(tx, now, rows)
  const copying = isCopied ? [DELIVERIES.insert(tx, rows, now)] : []
  const times = new Map<DestinationId, Date>()
  for (const { destinationId, leasedUntil } of rows) {
    if (isCopied && leasedUntil) times.set(destinationId, times.get(destinationId) ?? leasedUntil)
    else times.set(destinationId, now)
  }
  const statements = [...copying, ...schedule(tx, times)]
  const claims = isCopied ? toClaims(rows, (id) => times.get(id) === now) : []
  return { deliveries, claims, statements }
}

// Whether the events have no deliveries yet. A user may have requested a redelivery before the event was
// dispatched (redeliver.ts). Then that delivery stays as it is, and the others are inserted without leases.
// If a redelivery commits after this look, the transaction fails, is repeated, and then finds that delivery.
async function areNew(tx: Transaction, events: readonly StoredEvent[]): Promise<boolean> {
  const ids = events.map(({ id }) => id).sort()
  const { rowCount } = await tx.query({
    name: 'find-undispatched-deliveries',
    text: `select from deliveries
            where event_id = any($1::uuid[]) and event_id between $2 and $3 limit 1`,
    values: [ids, ids[0], ids.at(-1)],
  })
  return rowCount === 0
}

// Inserts the deliveries that do not exist yet, without leases. Returns their number.
async function insertMissing(
  tx: Transaction,
  now: Date,
  rows: readonly NewDelivery[],
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'insert-deliveries',
    text: `insert into deliveries (event_id, destination_id, client_id, kind, url,
                                   next_attempt_at, created_at)
           select v.*, $6, $6
             from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::text[]) as v
           on conflict do nothing`,
    values: [
      rows.map(({ event }) => event.id),
      numberArray(rows.map(({ destinationId }) => destinationId)),
      numberArray(rows.map(({ event }) => event.clientId)),
      rows.map(({ target }) => target.kind),
      rows.map(({ target }) => target.sentTo),
      now,
    ],
  })
  return rowCount ?? 0
}

// Returns the leased deliveries as claims of their first attempt. `hasMore` tells whether a delivery to the
// destination was queued behind them.
function toClaims(rows: readonly NewDelivery[], hasMore: (id: DestinationId) => boolean): Claim[] {
  return rows.flatMap(({ event, destinationId, target, leasedUntil }) => {
    if (!leasedUntil) return []
    const { endpointId, kind, sentTo } = target
    const { id: eventId, clientId } = event
    const delivery = { eventId, event, destinationId, clientId, endpointId, kind }
    const firstAttempt = { attempts: 0, ladderStep: 0, failures: 0, isProbe: false, leasedUntil }
    const url = sentTo ?? target.url
    return [{ ...delivery, url, ...firstAttempt, hasMore: hasMore(destinationId) }]
  })
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

// The delivery log for the merchant's developers: deliveries, attempts and the health of endpoints.

import type { Queryable } from '#db/pool.ts'
import type { ClientId, DestinationId, EndpointId, EventId } from '#ids.ts'
import type { Condition } from './endpoints.ts'
import type { DeliveryState } from './states.ts'

export type Attempt = {
  eventId: EventId
  destinationId: DestinationId
  attempt: number
  attemptedAt: Date
  status: number | null
  latencyMs: number
  error: string | null
  responseStart: string | null
  signature: string | null
  chaos: 'delayed' | 'reordered' | 'dropped' | 'repeated' | null // The effect of chaos settings.
}

export type Delivery = {
  eventId: EventId
  destinationId: DestinationId
  endpointId: EndpointId | null
  kind: 'endpoint' | 'notification' | 'callback'
  url: string
  state: DeliveryState
  attempts: number
  nextAttemptAt: Date | null // null if no attempt is planned.
  heldBy: 'paused' | 'off' | null // The reason why the delivery is not sent.
  createdAt: Date
  deliveredAt: Date | null
}

export type EndpointHealth = Condition & { lastAttempts: Attempt[] }

const ATTEMPTS_MAX = 10

// Attempts have no index by endpoint, because every delivery would have to maintain it. So the latest
// attempts of an endpoint are searched for among the client's latest events, its pending deliveries that were
// tried before, and its failed deliveries.
const EVENTS_SCANNED = 1_000
const DELIVERIES_SCANNED = 50

const ATTEMPT_COLUMNS = `
  a.event_id, a.destination_id, a.attempt, a.attempted_at, a.status, a.latency_ms, a.error,
  a.response_start, a.signature, a.chaos`

// Returns the deliveries of each event, in the order in which they were queued.
export async function listDeliveries(
  db: Queryable,
  now: Date,
  eventIds: readonly EventId[],
): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>({
    name: 'list-deliveries',
    text: `select v.event_id, v.destination_id, d.endpoint_id, v.kind,
                  coalesce(v.url, d.url) as url, v.state, v.attempts,
                  case when v.state = 'pending' and d.disabled_at is null
                       then greatest(v.next_attempt_at, d.paused_until) end as next_attempt_at,
                  case when v.state <> 'pending' then null
                       when d.disabled_at is not null then 'off'
                       when d.paused_until > $2 then 'paused' end as held_by,
                  v.created_at, v.delivered_at
             from unnest($1::uuid[]) as e (id)
             join deliveries v on v.event_id = e.id
             join destinations d on d.id = v.destination_id
            order by v.created_at, v.destination_id`,
    values: [eventIds, now],
  })
  return rows
}

// Returns all attempts to deliver an event, oldest first.
export async function listAttempts(db: Queryable, eventId: EventId): Promise<Attempt[]> {
  const { rows } = await db.query<Attempt>({
    name: 'list-attempts',
    text: `select ${ATTEMPT_COLUMNS} from delivery_attempts a
            where a.event_id = $1 order by a.attempted_at, a.destination_id, a.attempt`,
    values: [eventId],
  })
  return rows
}

export type SentAttempt = Attempt & Pick<Delivery, 'kind' | 'url'>
export type PendingDelivery = Pick<Delivery, 'kind' | 'url' | 'nextAttemptAt' | 'createdAt'> & {
  eventId: EventId
}

// Reads all attempts to deliver several events, and the deliveries that are still pending, for timelines.
export async function readDeliveryLog(
  db: Queryable,
  eventIds: readonly EventId[],
): Promise<{ attempts: SentAttempt[]; waiting: PendingDelivery[] }> {
  const attempts = await db.query<SentAttempt>({
    name: 'attempts-of-events',
    text: `select ${ATTEMPT_COLUMNS}, v.kind, coalesce(v.url, d.url) as url
             from unnest($1::uuid[]) as e (id)
             join delivery_attempts a on a.event_id = e.id
             join deliveries v on v.event_id = a.event_id and v.destination_id = a.destination_id
             join destinations d on d.id = a.destination_id
            order by a.attempted_at, a.destination_id, a.attempt`,
    values: [eventIds],
  })
  const waiting = await db.query<PendingDelivery>({
    name: 'waiting-deliveries-of-events',
    text: `select v.event_id, v.kind, coalesce(v.url, d.url) as url,
                  case when d.disabled_at is null
                       then greatest(v.next_attempt_at, d.paused_until) end as next_attempt_at,
                  v.created_at
             from unnest($1::uuid[]) as e (id)
             join deliveries v on v.event_id = e.id
             join destinations d on d.id = v.destination_id
            where v.state = 'pending'
            order by v.created_at, v.destination_id`,
    values: [eventIds],
  })
  return { attempts: attempts.rows, waiting: waiting.rows }
}

// Returns the health of an endpoint with its latest attempts.
export async function readHealth(
  db: Queryable,
  clientId: ClientId,
  endpointId: EndpointId,
): Promise<EndpointHealth> {
  type Record = Omit<EndpointHealth, 'lastAttempts'> & { id: DestinationId }
  // The condition on endpoint_id is written like the expression in the index, so that PostgreSQL uses it.
  const { rows } = await db.query<Record>({
    name: 'read-endpoint-health',
    text: `select id, failures, failing_since, paused_until, disabled_why
             from destinations
            where client_id = $1
              and coalesce(endpoint_id, '00000000-0000-0000-0000-000000000000') = $2`,
    values: [clientId, endpointId],
  })
  const { id, ...health } = rows[0] as Record // Every endpoint has a destination.
  return { ...health, lastAttempts: await readLastAttempts(db, clientId, id) }
}

// Returns the latest attempts of a destination, the newest first. Searches only as far as EVENTS_SCANNED and
// DELIVERIES_SCANNED.
async function readLastAttempts(
  db: Queryable,
  clientId: ClientId,
  destinationId: DestinationId,
): Promise<Attempt[]> {
  const { rows } = await db.query<Attempt>({
    name: 'last-attempts',
    text: `with scanned (event_id) as (
             (select id from events where client_id = $1 order by sequence desc
               limit ${EVENTS_SCANNED})
             union
             (select event_id from deliveries
               where destination_id = $2 and state = 'pending' and attempts > 0
               order by next_attempt_at desc limit ${DELIVERIES_SCANNED})
             union
             (select event_id from deliveries
               where destination_id = $2 and state = 'failed'
               order by event_id desc limit ${DELIVERIES_SCANNED})
           )
           select ${ATTEMPT_COLUMNS}
             from scanned l
             join delivery_attempts a on a.event_id = l.event_id and a.destination_id = $2
            order by a.attempted_at desc, a.attempt desc
            limit ${ATTEMPTS_MAX}`,
    values: [clientId, destinationId],
  })
  return rows
}

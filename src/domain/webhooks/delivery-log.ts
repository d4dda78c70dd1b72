// The delivery log for the merchant's developers: deliveries, attempts and the health of endpoints.

import type { Queryable } from '#db/pool.ts'
import type { ClientId, DestinationId, EndpointId, EventId } from '#ids.ts'
import type { Condition } from './webhook-endpoints.ts'

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
  chaos: 'delayed' | 'reordered' | 'dropped' | 'repeated' | null // By the client's own settings.
}

export type Delivery = {
  eventId: EventId
  destinationId: DestinationId
  endpointId: EndpointId | null
  kind: 'endpoint' | 'notification' | 'callback'
  url: string
  state: 'pending' | 'delivered' | 'failed'
  attempts: number
  nextAttemptAt: Date | null // Null: none is planned.
  heldBy: 'paused' | 'off' | null // The reason why it is not sent.
  createdAt: Date
  deliveredAt: Date | null
}

export type EndpointHealth = Condition & { lastAttempts: Attempt[] }

const ATTEMPTS_MAX = 10

// Attempts have no index by endpoint, because every delivery would pay for it. The latest attempts belong
// to the client's latest events, to pending deliveries that were tried before, or to failed deliveries.
const EVENTS_SCANNED = 1_000
const DELIVERIES_SCANNED = 50

const ATTEMPT_COLUMNS = `
  a.event_id as "eventId", a.destination_id as "destinationId", a.attempt,
  a.attempted_at as "attemptedAt", a.status, a.latency_ms as "latencyMs", a.error,
  a.response_start as "responseStart", a.signature, a.chaos`

// Per event, in the order in which they were queued.
export async function listDeliveries(
  db: Queryable,
  now: Date,
  eventIds: readonly EventId[],
): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>({
    name: 'list-deliveries',
    text: `select v.event_id as "eventId", v.destination_id as "destinationId",
                  d.endpoint_id as "endpointId", v.kind,
                  coalesce(v.url, d.url) as url, v.state, v.attempts,
                  case when v.state = 'pending' and d.disabled_at is null
                       then greatest(v.next_attempt_at, d.paused_until) end as "nextAttemptAt",
                  case when v.state <> 'pending' then null
                       when d.disabled_at is not null then 'off'
                       when d.paused_until > $2 then 'paused' end as "heldBy",
                  v.created_at as "createdAt", v.delivered_at as "deliveredAt"
             from unnest($1::uuid[]) as e (id)
             join deliveries v on v.event_id = e.id
             join destinations d on d.id = v.destination_id
            order by v.created_at, v.destination_id`,
    values: [eventIds, now],
  })
  return rows
}

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

// The attempts and the pending deliveries of several events.
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
    text: `select v.event_id as "eventId", v.kind, coalesce(v.url, d.url) as url,
                  case when d.disabled_at is null
                       then greatest(v.next_attempt_at, d.paused_until) end as "nextAttemptAt",
                  v.created_at as "createdAt"
             from unnest($1::uuid[]) as e (id)
             join deliveries v on v.event_id = e.id
             join destinations d on d.id = v.destination_id
            where v.state = 'pending'
            order by v.created_at, v.destination_id`,
    values: [eventIds],
  })
  return { attempts: attempts.rows, waiting: waiting.rows }
}

export async function readHealth(
  db: Queryable,
  clientId: ClientId,
  endpointId: EndpointId,
): Promise<EndpointHealth> {
  type Record = Omit<EndpointHealth, 'lastAttempts'> & { id: DestinationId }
  const { rows } = await db.query<Record>({
    name: 'read-endpoint-health',
    text: `select id, failures, failing_since as "failingSince", paused_until as "pausedUntil",
                  disabled_why as "disabledWhy"
             from destinations
            where client_id = $1
              and coalesce(endpoint_id, '00000000-0000-0000-0000-000000000000') = $2`,
    values: [clientId, endpointId],
  })
  const { id, ...health } = rows[0] as Record
  return { ...health, lastAttempts: await lastAttempts(db, clientId, id) }
}

async function lastAttempts(
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

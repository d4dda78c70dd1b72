// Webhook endpoints: the URLs that a client has registered, each for all or some event types.
//
// A deleted endpoint keeps its row, because its deliveries reference it, but no query finds it again. An
// endpoint has one destination, created with it. The queue of the destination survives a change of URL and
// waits while the endpoint is inactive. If a delivery also serves a notificationUrl with the same address, it
// is split first.

import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type EndpointId, timeOrderedId } from '#ids.ts'
import { EVENT_TYPES, type EventType } from '#records/event-types.ts'
import { splitNotifications } from './destinations.ts'

export const ENDPOINTS_MAX = 20

// A client cannot subscribe to test events: they go to the tested endpoint, whatever its subscriptions.
export const SUBSCRIBABLE_TYPES = EVENT_TYPES.filter((type) => type !== 'endpoint.test')

export type WebhookEndpoint = {
  id: EndpointId
  url: string
  eventTypes: EventType[] | null // null means all types.
  isActive: boolean
  createdAt: Date
  updatedAt: Date
  condition: Condition
}

export type Condition = {
  failures: number // The number of consecutive failures.
  failingSince: Date | null
  pausedUntil: Date | null
  disabledWhy: string | null
}

type EndpointRow = Omit<WebhookEndpoint, 'condition'> & Condition

type EndpointChanges = {
  url?: string | undefined
  eventTypes?: EventType[] | null | undefined
  isActive?: boolean | undefined
}

const SWITCHED_OFF = 'it was switched off'
const DELETED = 'it was deleted'

// Stands for a null endpoint in the expression of the index on destinations.
const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000'

// `is_active` is also false if the service disabled the endpoint because of its answers.
const SELECT_ENDPOINT = `
  select e.id, e.url, e.event_types,
         e.is_active and d.disabled_at is null as is_active, e.created_at, e.updated_at, d.failures,
         d.failing_since, d.paused_until, d.disabled_why
    from webhook_endpoints e
    join destinations d on d.client_id = e.client_id
     and coalesce(d.endpoint_id, '${NO_ENDPOINT}') = e.id`

type NewEndpoint = { clientId: ClientId; url: string; eventTypes: EventType[] | null }

// Registers an endpoint and creates its destination. Refuses more than ENDPOINTS_MAX.
export async function createEndpoint(
  tx: Transaction,
  now: Date,
  { clientId, url, eventTypes }: NewEndpoint,
): Promise<WebhookEndpoint> {
  // Locks the client's endpoints, so that concurrent requests cannot exceed the maximum.
  await tx.query({
    name: 'lock-endpoints',
    text: `select pg_advisory_xact_lock(hashtext('webhook_endpoints'), hashtext($1))`,
    values: [clientId.toString()],
  })
  const id = timeOrderedId<EndpointId>(now)
  const { rowCount } = await tx.query({
    name: 'create-endpoint',
    text: `insert into webhook_endpoints (id, client_id, url, event_types, created_at, updated_at)
           select $1, $2, $3, $4, $5, $5
            where (select count(*) from webhook_endpoints
                    where client_id = $2 and deleted_at is null) < ${ENDPOINTS_MAX}`,
    values: [id, clientId, url, eventTypes, now],
  })
  if (rowCount === 0) throw new Refusal('too_many_endpoints')
  // Creates the destination now, so that it exists when the address changes.
  await tx.query({
    name: 'create-endpoint-destination',
    text: 'insert into destinations (client_id, endpoint_id, url) values ($1, $2, $3)',
    values: [clientId, id, url],
  })
  return getEndpoint(tx, clientId, id)
}

// Returns an endpoint of the client. Refuses a deleted one.
export async function getEndpoint(
  db: Queryable,
  clientId: ClientId,
  id: EndpointId,
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(db, clientId, id)
  if (!endpoint) throw new Refusal('endpoint_not_found')
  return endpoint
}

// Returns an endpoint of the client, unless it was deleted.
export async function findEndpoint(
  db: Queryable,
  clientId: ClientId,
  id: EndpointId,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<EndpointRow>({
    name: 'get-endpoint',
    text: `${SELECT_ENDPOINT} where e.id = $1 and e.client_id = $2 and e.deleted_at is null`,
    values: [id, clientId],
  })
  return rows[0] && toEndpoint(rows[0])
}

// Whether the endpoint is subscribed to alerts, which only operators may see.
export function getsAlerts({ eventTypes }: Pick<WebhookEndpoint, 'eventTypes'>): boolean {
  return !eventTypes || eventTypes.includes('alert.raised')
}

// Locks an endpoint that a user who may not see alerts is changing. Refuses an endpoint that receives alerts
// or has pending alerts.
export async function lockUnlessForAlerts(
  tx: Transaction,
  clientId: ClientId,
  id: EndpointId,
): Promise<void> {
  const { rows } = await tx.query<Pick<WebhookEndpoint, 'eventTypes'>>({
    name: 'lock-endpoint',
    text: `select event_types from webhook_endpoints
            where id = $1 and client_id = $2 and deleted_at is null for no key update`,
    values: [id, clientId],
  })
  if (!rows[0]) throw new Refusal('endpoint_not_found')
  if (getsAlerts(rows[0]) || (await hasWaitingAlerts(tx, clientId, id))) {
    throw new Refusal('role_not_allowed')
  }
}

// Whether an alert waits to be delivered to the endpoint.
async function hasWaitingAlerts(
  tx: Transaction,
  clientId: ClientId,
  id: EndpointId,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'find-waiting-alert',
    text: `select from destinations d
             join deliveries v on v.destination_id = d.id and v.state = 'pending'
             join events e on e.id = v.event_id and e.type = 'alert.raised'
            where d.client_id = $1 and coalesce(d.endpoint_id, '${NO_ENDPOINT}') = $2
            limit 1`,
    values: [clientId, id],
  })
  return rowCount === 1
}

// Lists a client's endpoints, newest first; only those older than `beforeId`.
export async function listEndpoints(
  db: Queryable,
  clientId: ClientId,
  { beforeId, limit }: { beforeId: EndpointId | null; limit: number },
): Promise<WebhookEndpoint[]> {
  const { rows } = await db.query<EndpointRow>(
    listQuery({
      select: SELECT_ENDPOINT,
      where: [['e.client_id = $', clientId], 'e.deleted_at is null'],
      id: 'e.id',
      after: beforeId,
      limit,
    }),
  )
  return rows.map(toEndpoint)
}

// Converts a row: groups the columns about the endpoint's health in `condition`.
function toEndpoint(row: EndpointRow): WebhookEndpoint {
  const { failures, failingSince, pausedUntil, disabledWhy, ...endpoint } = row
  return { ...endpoint, condition: { failures, failingSince, pausedUntil, disabledWhy } }
}

type EndpointUpdate = { clientId: ClientId; id: EndpointId; changes: EndpointChanges }

// Changes an endpoint. A new URL moves its pending deliveries there; switching it off or on also stops or
// resumes its destination.
export async function updateEndpoint(
  tx: Transaction,
  now: Date,
  { clientId, id, changes: { url, eventTypes, isActive } }: EndpointUpdate,
): Promise<WebhookEndpoint> {
  const { rowCount } = await tx.query({
    name: 'update-endpoint',
    text: `update webhook_endpoints
              set url = coalesce($3, url),
                  event_types = case when $4 then $5::text[] else event_types end,
                  is_active = coalesce($6, is_active),
                  updated_at = $7
            where id = $1 and client_id = $2 and deleted_at is null`,
    values: [
      id,
      clientId,
      url ?? null,
      eventTypes !== undefined,
      eventTypes ?? null,
      isActive ?? null,
      now,
    ],
  })
  if (rowCount === 0) throw new Refusal('endpoint_not_found')
  if (url !== undefined) await moveDestination(tx, now, { clientId, id, url })
  // If the endpoint's address is also a notificationUrl, a pending delivery may serve both. Such a delivery
  // is split into two before the endpoint is switched off, so the notificationUrl still gets its own.
  if (isActive === false) await splitNotifications(tx, now, { clientId, endpointId: id })
  if (isActive === true) await enableDestination(tx, clientId, id)
  if (isActive === false) await disableDestination(tx, now, { clientId, id, why: SWITCHED_OFF })
  return getEndpoint(tx, clientId, id)
}

// Deletes an endpoint. Its pending deliveries are not sent, except those that also serve a notificationUrl.
export async function deleteEndpoint(
  tx: Transaction,
  now: Date,
  { clientId, id }: { clientId: ClientId; id: EndpointId },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'delete-endpoint',
    text: `update webhook_endpoints set deleted_at = $3, updated_at = $3, is_active = false
            where id = $1 and client_id = $2 and deleted_at is null`,
    values: [id, clientId, now],
  })
  if (rowCount === 0) throw new Refusal('endpoint_not_found')
  await splitNotifications(tx, now, { clientId, endpointId: id })
  await disableDestination(tx, now, { clientId, id, why: DELETED })
}

const WHERE_OF_ENDPOINT = `where client_id = $1 and coalesce(endpoint_id, '${NO_ENDPOINT}') = $2`

// Changes the address of the endpoint's destination. Clears its failures and keeps its pending deliveries.
async function moveDestination(
  tx: Transaction,
  now: Date,
  { clientId, id, url }: { clientId: ClientId; id: EndpointId; url: string },
) {
  const { rowCount } = await tx.query({
    name: 'is-destination-elsewhere',
    text: `select from destinations ${WHERE_OF_ENDPOINT} and url <> $3`,
    values: [clientId, id, url],
  })
  if (rowCount === 0) return
  await splitNotifications(tx, now, { clientId, endpointId: id })
  await tx.query({
    name: 'move-destination',
    text: `update destinations set url = $3, failures = 0, failing_since = null,
                  paused_until = null ${WHERE_OF_ENDPOINT} and url <> $3`,
    values: [clientId, id, url],
  })
}

// Lets deliveries go to an endpoint again, and forgets its failures.
async function enableDestination(tx: Transaction, clientId: ClientId, id: string): Promise<void> {
  await tx.query({
    name: 'enable-destination',
    text: `update destinations set failures = 0, failing_since = null, paused_until = null,
                  disabled_at = null, disabled_why = null ${WHERE_OF_ENDPOINT}`,
    values: [clientId, id],
  })
}

// Stops deliveries to an endpoint, with the reason that users see.
async function disableDestination(
  tx: Transaction,
  now: Date,
  { clientId, id, why }: { clientId: ClientId; id: EndpointId; why: string },
): Promise<void> {
  await tx.query({
    name: 'disable-destination',
    text: `update destinations set disabled_at = $3, disabled_why = $4
           ${WHERE_OF_ENDPOINT} and disabled_at is null`,
    values: [clientId, id, now, why],
  })
}

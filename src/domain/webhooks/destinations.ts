// Destinations: the receivers of deliveries, each with its own queue. `due_at` says when to read the
// queue next, so idle queues cost nothing.
//
// After making a delivery due, call `scheduleNow` in the same transaction. It waits for a concurrent
// claim of the queue, which could not have seen the delivery.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, DestinationId, EndpointId } from '#ids.ts'
import type { Target } from './event-routing.ts'

type ClientTarget = Target & { clientId: ClientId }
export type Destination = { id: DestinationId; isDisabled: boolean }

const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000'

// The destination of each target, in order; created if missing.
export async function findDestinations(
  tx: Transaction,
  targets: readonly ClientTarget[],
): Promise<Destination[]> {
  const byKey = new Map(targets.map((target) => [destinationKey(target), target]))
  const distinct = [...byKey.values()]
  const destinations = await readDestinations(tx, distinct)
  const missing = distinct.filter((target) => !destinations.has(destinationKey(target)))
  if (missing.length > 0) {
    await tx.query({
      name: 'insert-destinations',
      text: `insert into destinations (client_id, endpoint_id, url, is_callback)
             select * from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bool[])
             on conflict do nothing`,
      values: toColumns(missing, null),
    })
    for (const [key, created] of await readDestinations(tx, missing)) destinations.set(key, created)
  }
  return targets.map((target) => destinations.get(destinationKey(target)) as Destination)
}

async function readDestinations(
  tx: Transaction,
  targets: readonly ClientTarget[],
): Promise<Map<string, Destination>> {
  const { rows } = await tx.query<{ place: string } & Destination>({
    name: 'find-destinations',
    text: `select t.place, d.id, d.disabled_at is not null as "isDisabled"
             from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bool[]) with ordinality
                  as t (client_id, endpoint_id, url, is_callback, place)
             join destinations d on d.client_id = t.client_id
              and coalesce(d.endpoint_id, '${NO_ENDPOINT}') = t.endpoint_id
              and (case when d.endpoint_id is null then md5(d.url) else '' end)
                = (case when t.endpoint_id = '${NO_ENDPOINT}' then md5(t.url) else '' end)
              and d.is_callback = t.is_callback`,
    values: toColumns(targets, NO_ENDPOINT),
  })
  return new Map(
    rows.map(({ place, id, isDisabled }) => [
      destinationKey(targets[Number(place) - 1] as ClientTarget),
      { id, isDisabled },
    ]),
  )
}

function toColumns(targets: readonly ClientTarget[], noEndpoint: string | null) {
  return [
    numberArray(targets.map(({ clientId }) => clientId)),
    targets.map(({ endpointId }) => endpointId ?? noEndpoint),
    targets.map(({ url }) => url),
    targets.map(({ kind }) => kind === 'callback'),
  ]
}

// An endpoint has one destination, whatever its address.
function destinationKey({ clientId, endpointId, kind, url }: ClientTarget): string {
  return endpointId ?? `${clientId} ${kind} ${url}`
}

type EndpointKey = { clientId: ClientId; endpointId: EndpointId }

// The endpoint leaves its address, which may also be a notificationUrl. A pending delivery for both
// becomes one delivery for each. Call it before the destination changes.
export async function splitNotifications(
  tx: Transaction,
  now: Date,
  { clientId, endpointId }: EndpointKey,
): Promise<void> {
  const { rows } = await tx.query<{ id: DestinationId; url: string }>({
    name: 'lock-destination-of-endpoint',
    text: `select id, url from destinations
            where client_id = $1 and coalesce(endpoint_id, '${NO_ENDPOINT}') = $2
              for no key update`,
    values: [clientId, endpointId],
  })
  const [old] = rows
  if (!old) return
  const waiting = `destination_id = $1 and state = 'pending' and kind = 'notification'`
  const { rowCount } = await tx.query({
    name: 'has-waiting-notifications',
    text: `select from deliveries where ${waiting} limit 1`,
    values: [old.id],
  })
  if (rowCount === 0) return
  const target = { kind: 'notification', endpointId: null, url: old.url, sentTo: null } as const
  const [own] = (await findDestinations(tx, [{ ...target, clientId }])) as [Destination]
  await tx.query({
    name: 'copy-notifications',
    text: `insert into deliveries (event_id, destination_id, client_id, kind, next_attempt_at,
                                   created_at)
           select event_id, $2, client_id, kind, $3, created_at from deliveries where ${waiting}
           on conflict do nothing`,
    values: [old.id, own.id, now],
  })
  await tx.query({
    name: 'keep-for-endpoint',
    text: `update deliveries set kind = 'endpoint' where ${waiting}`,
    values: [old.id],
  })
  await resumeDestinations(tx, now, [own.id])
}

export async function scheduleNow(
  tx: Transaction,
  now: Date,
  ids: readonly DestinationId[],
): Promise<void> {
  if (ids.length === 0) return
  // The lock, in id order, waits for a claim in progress.
  await tx.query({
    name: 'lock-destinations',
    text: `select from destinations where id = any($1::bigint[]) order by id for no key update`,
    values: [numberArray(ids)],
  })
  await tx.query({
    name: 'make-destinations-due',
    text: `update destinations set due_at = $2
            where id = any($1::bigint[]) and (due_at is null or due_at > $2)`,
    values: [numberArray(ids), now],
  })
}

// A redelivery tries the receiver again at once. It enables an address that we had disabled; only its
// owner enables an endpoint.
export async function resumeDestinations(
  tx: Transaction,
  now: Date,
  ids: readonly DestinationId[],
): Promise<void> {
  await scheduleNow(tx, now, ids)
  await tx.query({
    name: 'try-destinations-again',
    text: `update destinations
              set paused_until = null,
                  failures = case when disabled_at is null then failures else 0 end,
                  failing_since = case when disabled_at is null then failing_since end,
                  disabled_at = null, disabled_why = null
            where id = any($1::bigint[])
              and (paused_until is not null or disabled_at is not null)
              and (endpoint_id is null or disabled_at is null)`,
    values: [numberArray(ids)],
  })
}

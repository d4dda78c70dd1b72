// Claims due deliveries from their queues, a few from each, so that a long queue never delays a
// short one.
//
// A claim is a lease, committed before anything is sent: if the worker dies, the lease expires and the
// delivery is sent again. One worker at a time claims from a destination. A destination with more due
// deliveries goes to the back of the line.
//
// Locks: free destinations, then their free deliveries (skip locked). Never waits. A separate statement
// leases the locked deliveries (docs/decisions/0023).

import { FAILURES_TO_PAUSE } from '#circuit-breaker.ts'
import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { ClientId, DestinationId, EndpointId, EventId } from '#ids.ts'

export const LEASE_MS = 60_000
const DESTINATIONS_MAX = 200
// The claim disables an endpoint that was switched off before it had a destination.
const SWITCHED_OFF = 'it was switched off'

export type Claim = {
  eventId: EventId
  destinationId: DestinationId
  clientId: ClientId
  endpointId: EndpointId | null
  kind: 'endpoint' | 'notification' | 'callback'
  url: string
  attempts: number // Before this one.
  ladderStep: number
  leasedUntil: Date
  failures: number // The destination's consecutive failures.
  isProbe: boolean
  hasMore: boolean // The destination may have more due deliveries.
}

export type ClaimLimits = {
  rooms: ReadonlyMap<DestinationId, number> // The most deliveries per destination; 0: none.
  otherRoom: number // For destinations that are not in the map.
  takesFailing: boolean // Whether to claim for destinations whose last delivery failed.
  only?: ClientId | undefined // Without it: all clients without a test clock.
}

// `isFull`: more destinations may be waiting.
export async function claimDeliveries(
  tx: Transaction,
  now: Date,
  { rooms, otherRoom, takesFailing, only }: ClaimLimits,
): Promise<{ claims: Claim[]; isFull: boolean }> {
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  const { rows } = await tx.query<Claim>({
    name: 'claim-deliveries',
    text: CLAIM,
    values: [now, leasedUntil, roomsByName(rooms), otherRoom, takesFailing, only ?? null],
  })
  const claims = rows.filter(({ eventId }) => eventId !== null)
  await lease(tx, leasedUntil, claims)
  const destinations = new Set(rows.map(({ destinationId }) => destinationId))
  return { claims, isFull: destinations.size === DESTINATIONS_MAX }
}

// The key of deliveries as two parameters, uuid[] and bigint[].
export const keysOf = (keys: readonly Pick<Claim, 'eventId' | 'destinationId'>[]) => [
  keys.map(({ eventId }) => eventId),
  numberArray(keys.map(({ destinationId }) => destinationId)),
]

async function lease(tx: Transaction, until: Date, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return
  await tx.query({
    name: 'lease-deliveries',
    text: `update deliveries v set leased_until = $3
             from unnest($1::uuid[], $2::bigint[]) as c (event_id, destination_id)
            where v.event_id = c.event_id and v.destination_id = c.destination_id`,
    values: [...keysOf(claims), until],
  })
}

// A JSON object, which PostgreSQL searches by binary search; a join would compare every pair.
function roomsByName(rooms: ReadonlyMap<DestinationId, number>): string {
  return JSON.stringify(Object.fromEntries(rooms))
}

// $1 now, $2 the end of the lease, $3 rooms, $4 other room, $5 takes failing, $6 client.
//
// After a pause (`failures` has reached the limit), one delivery is sent as a probe, and the pause lasts
// until its answer. The probe is the oldest due event: a destination that fails first attempts, such as
// one that starts slowly, would otherwise fail a probe for each new event. The order by text makes
// PostgreSQL use the index of due deliveries, not the one of all deliveries ever made. `moved` sees the
// deliveries before the lease.
const CLAIM = `
  with ready as materialized (
    select d.id, d.client_id, d.endpoint_id, d.failures, coalesce(e.url, d.url) as url,
           d.failures >= ${FAILURES_TO_PAUSE} as is_probe,
           d.endpoint_id is null or (e.is_active and e.deleted_at is null) is true as is_active,
           coalesce(($3::jsonb ->> d.id::text)::int, $4) as room
      from destinations d
      left join webhook_endpoints e on e.id = d.endpoint_id
     where greatest(d.due_at, d.paused_until) <= $1
       and d.disabled_at is null and d.due_at is not null
       and coalesce(($3::jsonb ->> d.id::text)::int, $4) > 0 and ($5 or d.failures = 0)
       and ${livesIn('d.client_id', '$6')}
     order by greatest(d.due_at, d.paused_until)
     limit ${DESTINATIONS_MAX}
       for no key update of d skip locked
  ), sized as materialized (
    select *, case when not is_active then 0 when failures > 0 then 1 else room end as places
      from ready
  ), due as materialized (
    select r.id, r.client_id, r.endpoint_id, r.failures, r.is_probe, r.is_active, r.places,
           v.event_id, v.kind, coalesce(v.url, r.url) as url, v.attempts, v.ladder_step,
           count(v.event_id) over (partition by r.id) as claimed
      from sized r
      left join lateral (
        select * from (
          select event_id, kind, url, attempts, ladder_step
            from deliveries
           where destination_id = r.id and state = 'pending' and next_attempt_at <= $1
             and (leased_until is null or leased_until <= $1) and not r.is_probe
           order by next_attempt_at
           limit r.places
             for no key update skip locked) as first
        union all
        select * from (
          select event_id, kind, url, attempts, ladder_step
            from deliveries
           where destination_id = r.id and state = 'pending' and next_attempt_at <= $1
             and (leased_until is null or leased_until <= $1) and r.is_probe
           order by event_id::text collate "C"
           limit least(r.places, 1)
             for no key update skip locked) as oldest
      ) as v on true
  ), moved as (
    update destinations d
       set due_at = case
             when c.claimed = c.places and not c.is_probe and c.is_active then $1
             else least(
               case when c.claimed > 0 then $2::timestamptz end,
               (select min(leased_until) from deliveries
                 where destination_id = c.id and state = 'pending' and next_attempt_at <= $1
                   and leased_until > $1),
               (select next_attempt_at from deliveries
                 where destination_id = c.id and state = 'pending' and next_attempt_at > $1
                 order by next_attempt_at limit 1)) end,
           paused_until = case when c.is_probe and c.claimed > 0 then $2 else d.paused_until end,
           disabled_at = case when c.is_active then d.disabled_at else $1 end,
           disabled_why = case when c.is_active then d.disabled_why else '${SWITCHED_OFF}' end
      from (select distinct on (id) id, claimed, places, is_probe, is_active from due) as c
     where d.id = c.id
  )
  select event_id as "eventId", id as "destinationId", client_id as "clientId",
         endpoint_id as "endpointId", kind, url, attempts, ladder_step as "ladderStep",
         $2::timestamptz as "leasedUntil", failures, is_probe as "isProbe",
         claimed = places as "hasMore"
    from due`

// Claiming: taking deliveries that are due out of their queues, a few from each, so that a long
// queue never delays a short one.
//
// A claim is a lease, committed before anything is sent: whoever dies loses it when it runs out, and
// the delivery is sent again. A destination is looked at by one claim at a time, and goes to the
// end of the line when it has more than it was given.
//
// Locks: destinations that are free, then their deliveries that are free. Waits for nobody.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { FAILURES_TO_PAUSE } from './destination-health.ts'

export const LEASE_MS = 60_000
const DESTINATIONS_MAX = 200

export type Claim = {
  eventId: string
  destinationId: bigint
  clientId: bigint
  endpointId: string | null
  kind: 'endpoint' | 'notification' | 'callback'
  url: string
  attempts: number // Made before.
  ladderStep: number
  leasedUntil: Date
  failures: number // Of the destination, in a row.
  isProbe: boolean
  hasMore: boolean // The destination has more that is due, perhaps.
}

export type ClaimLimits = {
  rooms: ReadonlyMap<bigint, number> // How many a destination may be given; 0: none.
  otherRoom: number // Those that are not in the map.
  takesFailing: boolean // Whether destinations that failed last time are wanted.
}

// `isFull`: more destinations may be waiting.
export async function claimDeliveries(
  tx: Transaction,
  now: Date,
  { rooms, otherRoom, takesFailing }: ClaimLimits,
): Promise<{ claims: Claim[]; isFull: boolean }> {
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  const { rows } = await tx.query<Claim & { destinations: number }>({
    name: 'claim-deliveries',
    text: CLAIM,
    values: [
      now,
      leasedUntil,
      numberArray([...rooms.keys()]),
      numberArray([...rooms.values()]),
      otherRoom,
      takesFailing,
    ],
  })
  const destinations = rows[0]?.destinations ?? 0
  const claims = rows.filter(({ eventId }) => eventId !== null)
  return { claims, isFull: destinations === DESTINATIONS_MAX }
}

// $1 now, $2 the end of the lease, $3 and $4 rooms, $5 other room, $6 takes failing.
//
// After a pause (failures have reached the limit) one is sent as a probe, and the pause goes on
// until it has been answered. An endpoint that was switched off before it had a destination is found out here.
const CLAIM = `
  with ready as materialized (
    select d.id, d.client_id, d.endpoint_id, d.failures, coalesce(e.url, d.url) as url,
           d.failures >= ${FAILURES_TO_PAUSE} as is_probe,
           case when d.endpoint_id is not null and (e.is_active and e.deleted_at is null) is not true
                then 0
                when d.failures > 0 then least(coalesce(r.room, $5), 1)
                else coalesce(r.room, $5) end as room
      from destinations d
      left join unnest($3::bigint[], $4::int[]) as r (id, room) on r.id = d.id
      left join webhook_endpoints e on e.id = d.endpoint_id
     where greatest(d.due_at, d.paused_until) <= $1
       and d.disabled_at is null and d.due_at is not null
       and coalesce(r.room, $5) > 0 and ($6 or d.failures = 0)
     order by greatest(d.due_at, d.paused_until)
     limit ${DESTINATIONS_MAX}
       for no key update of d skip locked
  ), taken as materialized (
    select r.id as destination_id, v.event_id, v.kind, v.url, v.attempts, v.ladder_step
      from ready r
     cross join lateral (
       select event_id, kind, url, attempts, ladder_step
         from deliveries
        where destination_id = r.id and state = 'pending' and next_attempt_at <= $1
          and (leased_until is null or leased_until <= $1)
        order by next_attempt_at
        limit r.room
          for no key update skip locked
     ) as v
  ), leased as (
    update deliveries v set leased_until = $2
      from taken t
     where v.event_id = t.event_id and v.destination_id = t.destination_id
  ), counted as materialized (
    select r.id, r.room, r.is_probe,
           (select count(*) from taken t where t.destination_id = r.id)::int as taken
      from ready r
  ), moved as (
    update destinations d
       set due_at = case
             when c.taken = c.room and c.room > 0 and not c.is_probe then $1
             else least(
               case when c.taken > 0 then $2::timestamptz end,
               (select min(leased_until) from deliveries
                 where destination_id = c.id and state = 'pending' and next_attempt_at <= $1
                   and leased_until > $1),
               (select next_attempt_at from deliveries
                 where destination_id = c.id and state = 'pending' and next_attempt_at > $1
                 order by next_attempt_at limit 1)) end,
           paused_until = case when c.is_probe and c.taken > 0 then $2 else d.paused_until end,
           disabled_at = case when c.room = 0 then $1 else d.disabled_at end,
           disabled_why = case when c.room = 0 then 'it was switched off' else d.disabled_why end
      from counted c
     where d.id = c.id
  )
  select t.event_id as "eventId", r.id as "destinationId", r.client_id as "clientId",
         r.endpoint_id as "endpointId", t.kind, coalesce(t.url, r.url) as url, t.attempts,
         t.ladder_step as "ladderStep", $2::timestamptz as "leasedUntil", r.failures,
         r.is_probe as "isProbe", c.taken = c.room as "hasMore",
         (select count(*)::int from ready) as destinations
    from ready r
    join counted c on c.id = r.id
    left join taken t on t.destination_id = r.id`

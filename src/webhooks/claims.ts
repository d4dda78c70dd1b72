// Claims due deliveries from their queues, a few from each, so that a long queue never delays a short one.
// Also corrects the schedule of deliveries after a clock error.
//
// A claim is a lease, committed before anything is sent: if the worker dies, the lease expires and the
// delivery is sent again. One worker at a time claims from a destination. A destination with more due
// deliveries goes to the back of the line.
//
// Locks: free destinations, then their free deliveries (skip locked). Never waits. A separate statement
// leases the locked deliveries (docs/decisions/0023).
//
// The destinations are locked by a statement of their own, because a statement sees only what was committed
// before it began. If one statement locked them and read their deliveries, it could miss a delivery that was
// committed before it got the lock, and then note that the queue is empty.

import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, DestinationId, EndpointId, EventId } from '#ids.ts'
import { FAILURES_TO_PAUSE, PAUSE_MAX_MS } from '#records/call-rates.ts'
import { scheduleNow } from './destinations.ts'
import type { StoredEvent } from './events.ts'

export const LEASE_MS = 60_000
const DESTINATIONS_MAX = 200
const LOCKED_PAUSE_MS = 1_000
// The reason stored when a claim disables the destination of an endpoint that was switched off before the
// destination existed.
const SWITCHED_OFF = 'it was switched off'

export type Claim = {
  eventId: EventId
  event?: StoredEvent // Set by the dispatcher, which has read the event.
  destinationId: DestinationId
  clientId: ClientId
  endpointId: EndpointId | null
  kind: 'endpoint' | 'notification' | 'callback'
  url: string
  attempts: number // The number of attempts already made.
  ladderStep: number
  leasedUntil: Date
  failures: number // The destination's consecutive failures.
  isProbe: boolean
  hasMore: boolean // The destination may have more due deliveries.
}

export type ClaimLimits = {
  rooms: ReadonlyMap<DestinationId, number> // The most deliveries to claim per destination; may be 0.
  otherRoom: number // The most deliveries to claim for a destination that is not in the map.
  takesFailing: boolean // Whether to claim for destinations whose last delivery failed.
}

// Claims due deliveries, within the limits of the deliverer that will send them. `isFull` means that more
// destinations may be waiting.
export async function claimDeliveries(
  tx: Transaction,
  now: Date,
  { rooms, otherRoom, takesFailing }: ClaimLimits,
): Promise<{ claims: Claim[]; isFull: boolean }> {
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  const roomOf = [roomsAsJson(rooms), otherRoom]
  const { rows: destinations } = await tx.query<{ id: DestinationId }>({
    name: 'lock-due-destinations',
    text: LOCK_DUE,
    values: [now, ...roomOf, takesFailing],
  })
  if (destinations.length === 0) return { claims: [], isFull: false }
  const { rows } = await tx.query<Claim>({
    name: 'claim-deliveries',
    text: CLAIM,
    values: [now, leasedUntil, ...roomOf, numberArray(destinations.map(({ id }) => id))],
  })
  // A destination without a free due delivery has one row, with nulls.
  const claims = rows.filter(({ eventId }) => eventId !== null)
  await leaseDeliveries(tx, leasedUntil, claims)
  return { claims, isFull: destinations.length === DESTINATIONS_MAX }
}

// Returns the keys of deliveries as two query parameters, uuid[] and bigint[].
export const deliveryKeys = (keys: readonly Pick<Claim, 'eventId' | 'destinationId'>[]) => [
  keys.map(({ eventId }) => eventId),
  numberArray(keys.map(({ destinationId }) => destinationId)),
]

// Leases the claimed deliveries to this worker until a time.
async function leaseDeliveries(
  tx: Transaction,
  until: Date,
  claims: readonly Claim[],
): Promise<void> {
  if (claims.length === 0) return
  await tx.query({
    name: 'lease-deliveries',
    text: `update deliveries v set leased_until = $3
             from unnest($1::uuid[], $2::bigint[]) as c (event_id, destination_id)
            where v.event_id = c.event_id and v.destination_id = c.destination_id`,
    values: [...deliveryKeys(claims), until],
  })
}

// SQL condition: whether some destination has a due delivery.
export const HAS_DUE_DELIVERIES = `(
  select min(greatest(due_at, paused_until)) from destinations
   where due_at is not null and disabled_at is null) <= clock.now`

// Returns the rooms as a JSON object, because PostgreSQL finds its keys by binary search; a join would
// compare every pair.
function roomsAsJson(rooms: ReadonlyMap<DestinationId, number>): string {
  return JSON.stringify(Object.fromEntries(rooms))
}

// Parameters: $1 is now, $2 `rooms`, $3 `otherRoom`, $4 `takesFailing`.
const LOCK_DUE = `
  select d.id from destinations d
   where greatest(d.due_at, d.paused_until) <= $1
     and d.disabled_at is null and d.due_at is not null
     and coalesce(($2::jsonb ->> d.id::text)::int, $3) > 0 and ($4 or d.failures = 0)
   order by greatest(d.due_at, d.paused_until)
   limit ${DESTINATIONS_MAX}
     for no key update skip locked`

// Parameters: $1 is now, $2 the end of the lease, $3 `rooms`, $4 `otherRoom`, $5 the locked destinations.
//
// After a pause (`failures` has reached the limit), one delivery is sent as a probe, and the pause lasts
// until its answer. The probe is the oldest due event: a destination that fails first attempts, such as
// one that starts slowly, would otherwise fail a probe for each new event. The order by text makes
// PostgreSQL use the index of due deliveries, not the one of all deliveries ever made.
//
// `moved` sees the deliveries before the lease. If more of them are free than were claimed, another
// transaction has locked the others. They are looked at again soon, because that transaction may roll back.
const CLAIM = `
  with ready as materialized (
    select d.id, d.client_id, d.endpoint_id, d.failures, coalesce(e.url, d.url) as url,
           d.failures >= ${FAILURES_TO_PAUSE} as is_probe,
           d.endpoint_id is null or (e.is_active and e.deleted_at is null) is true as is_active,
           coalesce(($3::jsonb ->> d.id::text)::int, $4) as room
      from destinations d
      left join webhook_endpoints e on e.id = d.endpoint_id
     where d.id = any($5::bigint[])
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
               (select $1::timestamptz + interval '${LOCKED_PAUSE_MS} ms' from deliveries
                 where destination_id = c.id and state = 'pending' and next_attempt_at <= $1
                   and (leased_until is null or leased_until <= $1)
                offset c.claimed limit 1),
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
  select event_id, id as destination_id, client_id, endpoint_id, kind, url, attempts, ladder_step,
         $2::timestamptz as leased_until, failures, is_probe,
         claimed = places as has_more
    from due`

// The most deliveries that one call of correctSchedule() corrects.
const CORRECTED_MAX = 1_000

export type Waits = {
  stepsMs: readonly number[] // The longest wait before the first attempt, the second, …
  retryAfterMs: number // The longest wait that a receiver can ask for.
}

// Corrects the delivery schedule after a clock error: a first attempt is due at once, a retry no later than
// its step from now, and leases and pauses end within their usual time.
//
// An attempt may be scheduled beyond its step only if its receiver asked for a later time (Retry-After), by a
// day at most, and not if the previous attempt is dated in the future. Deliveries that a client's chaos
// settings hold back keep their time.
//
// Also makes queues due that were forgotten: they have pending deliveries, but no time at which they are due.
// A claim of the previous release could forget one, and may do so beside this release (I190).
//
// Returns the number of deliveries brought forward, and of forgotten queues. `isFull` means that more
// schedules may be wrong, or that some deliveries were locked.
//
// Locks: free deliveries, then destinations in id order, like recording attempts.
export async function correctSchedule(
  tx: Transaction,
  now: Date,
  waits: Waits,
): Promise<{ deliveries: number; queues: number; isFull: boolean }> {
  const { wrong: wrongCount, corrected } = await correctDeliveries(tx, now, waits)
  const forgotten = await findForgotten(tx)
  await tx.query({
    name: 'lock-destinations-put-off',
    text: `select from destinations d where ${IS_PUT_OFF} order by id for no key update`,
    values: latestCorrectTimes(now),
  })
  await tx.query({
    name: 'correct-destinations',
    text: `update destinations d
              set due_at = least(due_at, $3::timestamptz),
                  paused_until = case when paused_until <= $1 then paused_until else $3 end
            where ${IS_PUT_OFF}`,
    values: [...latestCorrectTimes(now), now],
  })
  await scheduleNow(tx, now, [...new Set([...corrected, ...forgotten])])
  const isFull = wrongCount === CORRECTED_MAX || forgotten.length === CORRECTED_MAX
  return { deliveries: corrected.length, queues: forgotten.length, isFull }
}

// Finds destinations with pending deliveries that are not due at any time. Reads the index of pending
// deliveries, and each of their destinations by its id (`offset 0`), because most destinations have none.
async function findForgotten(tx: Transaction): Promise<DestinationId[]> {
  const { rows } = await tx.query<{ id: DestinationId }>({
    name: 'find-forgotten-destinations',
    text: `select d.id
             from (select distinct destination_id from deliveries where state = 'pending') as v
            cross join lateral (
              select id from destinations
               where id = v.destination_id and due_at is null and disabled_at is null offset 0) as d
            limit ${CORRECTED_MAX}`,
  })
  return rows.map(({ id }) => id)
}

type Key = { eventId: EventId; destinationId: DestinationId }

// Corrects up to CORRECTED_MAX wrong deliveries, with one statement each to find, lock and write them
// (docs/decisions/0023). Returns the number of wrong deliveries, and the destinations of the corrected ones.
async function correctDeliveries(
  tx: Transaction,
  now: Date,
  { stepsMs, retryAfterMs }: Waits,
): Promise<{ wrong: number; corrected: DestinationId[] }> {
  const allLeasesEndAt = new Date(now.getTime() + 2 * LEASE_MS) // Clocks of several processes differ.
  const judgedParameters = [now, numberArray(stepsMs.map(Math.round)), retryAfterMs, allLeasesEndAt]
  const { rows: keys } = await tx.query<Key>({
    name: 'find-wrong-deliveries',
    text: FIND_WRONG,
    values: judgedParameters,
  })
  if (keys.length === 0) return { wrong: 0, corrected: [] }
  const { rows: wrongDeliveries } = await tx.query<Key & { dueAt: Date; isAhead: boolean }>({
    name: 'lock-wrong-deliveries',
    text: `select v.event_id, v.destination_id, t.due_at, s.is_ahead
             from unnest($5::uuid[], $6::bigint[]) as k (event_id, destination_id)
             join deliveries v
               on v.event_id = k.event_id and v.destination_id = k.destination_id
                  ${JUDGED}
            where ${IS_WRONG}
              for no key update of v skip locked`,
    values: [...judgedParameters, ...deliveryKeys(keys)],
  })
  await tx.query({
    name: 'correct-deliveries',
    text: `update deliveries v
              set next_attempt_at = case when w.is_ahead then w.due_at else v.next_attempt_at end,
                  leased_until = case when v.leased_until <= $5 then v.leased_until end
             from unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::boolean[])
                  as w (event_id, destination_id, due_at, is_ahead)
            where v.event_id = w.event_id and v.destination_id = w.destination_id`,
    values: [
      ...deliveryKeys(wrongDeliveries),
      wrongDeliveries.map(({ dueAt }) => dueAt),
      wrongDeliveries.map(({ isAhead }) => isAhead),
      allLeasesEndAt,
    ],
  })
  return {
    wrong: keys.length,
    corrected: wrongDeliveries.map(({ destinationId }) => destinationId),
  }
}

// Returns the parameters of IS_PUT_OFF: the latest correct end of a pause, and of a lease.
const latestCorrectTimes = (now: Date) => [
  new Date(now.getTime() + PAUSE_MAX_MS + LEASE_MS),
  new Date(now.getTime() + 2 * LEASE_MS),
]

// SQL joins that decide whether a delivery `v` is scheduled further ahead than its retry step allows, for
// example because the clock ran ahead. $1 is the current time, $2 the retry delays in ms, $3 the longest
// Retry-After, and $4 the latest time at which a correct lease can end.
const JUDGED = `
  cross join lateral (
    select $1::timestamptz + ($2::bigint[])[v.ladder_step + 1] * interval '1 ms' as due_at) as t
  cross join lateral (
    select v.next_attempt_at > t.due_at and (
             v.ladder_step = 0 and not exists (
               select from delivery_attempts a
                where a.event_id = v.event_id and a.destination_id = v.destination_id
                  and a.attempt = v.attempts and a.chaos is not null)
             or v.next_attempt_at > greatest(t.due_at, $1 + $3 * interval '1 ms')
             or (select a.attempted_at from delivery_attempts a
                  where a.event_id = v.event_id and a.destination_id = v.destination_id
                    and a.attempt = v.attempts) > $1) is true as is_ahead) as s`
const IS_WRONG = `v.state = 'pending' and (s.is_ahead or v.leased_until > $4)`

// `offset 0` makes PostgreSQL read destination by destination, with the index of pending deliveries.
const FIND_WRONG = `
  select w.event_id, w.destination_id
    from destinations d
   cross join lateral (
     select v.event_id, v.destination_id
       from deliveries v ${JUDGED}
      where v.destination_id = d.id and ${IS_WRONG}
     offset 0
   ) as w
   where d.disabled_at is null and d.due_at is not null
   limit ${CORRECTED_MAX}`

// SQL condition: whether a destination `d` is paused or scheduled later than it can be with a right clock. $1
// is the latest possible end of a pause, $2 of a lease.
const IS_PUT_OFF = `
  d.disabled_at is null and d.due_at is not null
  and (d.paused_until > $1
       or d.due_at > $2 and (select min(v.next_attempt_at) from deliveries v
                              where v.destination_id = d.id and v.state = 'pending') < d.due_at)`

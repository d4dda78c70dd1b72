// Corrects the delivery schedule after a clock error: a first attempt is due at once, a retry no
// later than its step from now, and leases and pauses end within their usual time.
//
// An attempt may be scheduled beyond its step only if its receiver asked for that (Retry-After), by a day
// at most, and never after an attempt dated in the future. Clients with a test clock are left out,
// because their clock is not ours.
//
// Deliveries that a client's own chaos settings hold back keep their time.
//
// Locks: free deliveries, then destinations in id order, like recording attempts.

import { PAUSE_MAX_MS } from '#circuit-breaker.ts'
import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { DestinationId, EventId } from '#ids.ts'
import { keysOf, LEASE_MS } from './claim-deliveries.ts'
import { scheduleNow } from './destinations.ts'

const CORRECTED_MAX = 1_000 // Per call.

export type Waits = {
  stepsMs: readonly number[] // The longest wait before the first attempt, the second, …
  retryAfterMs: number // The longest wait that a receiver can ask for.
}

// `deliveries`: the number brought forward. `isFull`: there may be more, or some were locked.
export async function correctSchedule(
  tx: Transaction,
  now: Date,
  waits: Waits,
): Promise<{ deliveries: number; isFull: boolean }> {
  const { wrong, corrected } = await correctDeliveries(tx, now, waits)
  await tx.query({
    name: 'lock-destinations-put-off',
    text: `select from destinations d where ${IS_PUT_OFF} order by id for no key update`,
    values: boundsAt(now),
  })
  await tx.query({
    name: 'correct-destinations',
    text: `update destinations d
              set due_at = least(due_at, $3::timestamptz),
                  paused_until = case when paused_until <= $1 then paused_until else $3 end
            where ${IS_PUT_OFF}`,
    values: [...boundsAt(now), now],
  })
  await scheduleNow(tx, now, [...new Set(corrected)])
  return { deliveries: corrected.length, isFull: wrong === CORRECTED_MAX }
}

type Key = { eventId: EventId; destinationId: DestinationId }
type Wrong = Key & { dueAt: Date; isAhead: boolean }

// Finds, locks and writes with one statement each (docs/decisions/0023). Returns the number of wrong
// deliveries, and the destinations of the corrected ones.
async function correctDeliveries(
  tx: Transaction,
  now: Date,
  { stepsMs, retryAfterMs }: Waits,
): Promise<{ wrong: number; corrected: DestinationId[] }> {
  const allLeasesEndAt = new Date(now.getTime() + 2 * LEASE_MS) // Clocks of several processes differ.
  const judging = [now, numberArray(stepsMs.map(Math.round)), retryAfterMs, allLeasesEndAt]
  const { rows: keys } = await tx.query<Key>({
    name: 'find-wrong-deliveries',
    text: FIND_WRONG,
    values: judging,
  })
  if (keys.length === 0) return { wrong: 0, corrected: [] }
  const { rows: wrong } = await tx.query<Wrong>({
    name: 'lock-wrong-deliveries',
    text: `select v.event_id as "eventId", v.destination_id as "destinationId",
                  t.due_at as "dueAt", s.is_ahead as "isAhead"
             from unnest($5::uuid[], $6::bigint[]) as k (event_id, destination_id)
             join deliveries v
               on v.event_id = k.event_id and v.destination_id = k.destination_id
                  ${JUDGED}
            where ${IS_WRONG}
              for no key update of v skip locked`,
    values: [...judging, ...keysOf(keys)],
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
      ...keysOf(wrong),
      wrong.map(({ dueAt }) => dueAt),
      wrong.map(({ isAhead }) => isAhead),
      allLeasesEndAt,
    ],
  })
  return { wrong: keys.length, corrected: wrong.map(({ destinationId }) => destinationId) }
}

const boundsAt = (now: Date) => [
  new Date(now.getTime() + PAUSE_MAX_MS + LEASE_MS),
  new Date(now.getTime() + 2 * LEASE_MS),
]

// For a delivery `v`: $1 now, $2 steps, $3 the longest Retry-After, $4 the end of every lease.
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

// Goes destination by destination (`offset 0`), so that PostgreSQL uses the index of pending deliveries.
const FIND_WRONG = `
  select w.event_id as "eventId", w.destination_id as "destinationId"
    from destinations d
   cross join lateral (
     select v.event_id, v.destination_id
       from deliveries v ${JUDGED}
      where v.destination_id = d.id and ${IS_WRONG}
     offset 0
   ) as w
   where d.disabled_at is null and d.due_at is not null
     and ${livesIn('d.client_id', 'null')}
   limit ${CORRECTED_MAX}`

// $1 the end of every pause, $2 the end of every lease.
const IS_PUT_OFF = `
  d.disabled_at is null and d.due_at is not null and ${livesIn('d.client_id', 'null')}
  and (d.paused_until > $1
       or d.due_at > $2 and (select min(v.next_attempt_at) from deliveries v
                              where v.destination_id = d.id and v.state = 'pending') < d.due_at)`

// Corrects the delivery schedule after a clock error: a first attempt is due at once, a retry no
// later than its step from now, and leases and pauses end within their usual time.
//
// An attempt may be scheduled beyond its step only if its receiver asked for that (Retry-After), by
// a day at most, and never after an attempt dated in the future. Clients with a test clock are left out:
// their future is not ours.
//
// What a client's own chaos settings hold back waits for its time.
//
// Locks: free deliveries, then destinations in id order, as when attempts are recorded.

import { PAUSE_MAX_MS } from '#circuit-breaker.ts'
import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { DestinationId } from '#ids.ts'
import { LEASE_MS } from './claim-deliveries.ts'
import { scheduleNow } from './destinations.ts'

export const CORRECTED_MAX = 1_000 // At a time.

export type Waits = {
  stepsMs: readonly number[] // The longest wait before the first attempt, the second, …
  askedMs: number // The longest that a receiver can ask for.
}

// Answers how many deliveries were brought forward.
export async function correctSchedule(tx: Transaction, now: Date, waits: Waits): Promise<number> {
  const { rows } = await tx.query<{ destinationId: DestinationId }>({
    name: 'correct-deliveries',
    text: CORRECT_DELIVERIES,
    values: [
      now,
      numberArray(waits.stepsMs.map(Math.round)),
      waits.askedMs,
      new Date(now.getTime() + 2 * LEASE_MS), // Clocks of several processes differ.
    ],
  })
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
  await scheduleNow(tx, now, [...new Set(rows.map(({ destinationId }) => destinationId))])
  return rows.length
}

const boundsAt = (now: Date) => [
  new Date(now.getTime() + PAUSE_MAX_MS + LEASE_MS),
  new Date(now.getTime() + 2 * LEASE_MS),
]

// $1 now, $2 steps, $3 what a receiver can ask for, $4 when every lease has ended.
// Destination by destination, so that what is pending is found by its index.
const CORRECT_DELIVERIES = `
  with wrong as materialized (
    select w.event_id, w.destination_id, w.due_at, w.is_ahead
      from destinations d
     cross join lateral (
       select v.event_id, v.destination_id, t.due_at, s.is_ahead
         from deliveries v
        cross join lateral (
          select $1::timestamptz
                 + ($2::bigint[])[v.ladder_step + 1] * interval '1 ms' as due_at) as t
        cross join lateral (
          select v.next_attempt_at > t.due_at and (
                   v.ladder_step = 0 and not exists (
                     select from delivery_attempts a
                      where a.event_id = v.event_id and a.destination_id = v.destination_id
                        and a.attempt = v.attempts and a.chaos is not null)
                   or v.next_attempt_at > greatest(t.due_at, $1 + $3 * interval '1 ms')
                   or (select a.attempted_at from delivery_attempts a
                        where a.event_id = v.event_id and a.destination_id = v.destination_id
                          and a.attempt = v.attempts) > $1) is true as is_ahead) as s
        where v.destination_id = d.id and v.state = 'pending'
          and (s.is_ahead or v.leased_until > $4)
          for no key update of v skip locked
     ) as w
     where d.disabled_at is null and d.due_at is not null
       and ${livesIn('d.client_id', 'null')}
     limit ${CORRECTED_MAX}
  )
  update deliveries v
     set next_attempt_at = case when w.is_ahead then w.due_at else v.next_attempt_at end,
         leased_until = case when v.leased_until <= $4 then v.leased_until end
    from wrong w
   where v.event_id = w.event_id and v.destination_id = w.destination_id
  returning v.destination_id as "destinationId"`

// $1 when every pause has ended, $2 when every lease has.
const IS_PUT_OFF = `
  d.disabled_at is null and d.due_at is not null and ${livesIn('d.client_id', 'null')}
  and (d.paused_until > $1
       or d.due_at > $2 and (select min(v.next_attempt_at) from deliveries v
                              where v.destination_id = d.id and v.state = 'pending') < d.due_at)`

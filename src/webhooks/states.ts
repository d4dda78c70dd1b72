// The states of a delivery, and the only code that changes them. Attempts change them in batches. A
// redelivery on request makes a delivery pending again.

import { numberArray } from '#db/sql.ts'
import { assertAllowed, type States } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Claim, deliveryKeys } from './claims.ts'

const TRANSITIONS = {
  pending: ['delivered', 'failed'],
  delivered: ['pending'],
  failed: ['pending'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type DeliveryState = keyof typeof TRANSITIONS

export const DELIVERIES: States<DeliveryState> = {
  table: 'deliveries',
  column: 'state',
  initial: 'pending',
  transitions: TRANSITIONS,
}

// SQL to append to an insert of deliveries: an existing delivery becomes pending again, in whatever state it
// is, and restarts its retry schedule.
export const REQUEUE_ON_CONFLICT = `
  on conflict (event_id, destination_id) do update
     set state = 'pending', ladder_step = 0, next_attempt_at = excluded.next_attempt_at,
         delivered_at = null`

export type AttemptOutcome = {
  claim: Claim
  attemptedAt: Date
  isOk: boolean
  status: number | null
  latencyMs: number
  error: string | null
  responseStart: string
  signature: string | null // The signature that was sent, or null if nothing was sent.
  nextAttemptAt: Date | null // null if no attempt is planned.
  isExample?: boolean // Set for an example address: nothing was sent, and the failure affects no health.
}

// Writes a batch of outcomes and their attempts in one statement. Returns for each outcome
// whether it was recorded.
export async function writeOutcomes(
  tx: Transaction,
  now: Date,
  outcomes: readonly AttemptOutcome[],
): Promise<boolean[]> {
  const { rows } = await tx.query<{ place: string }>({
    name: 'record-outcomes',
    // Finds each row by its key alone and then updates it in place. While a partition is new and empty,
    // PostgreSQL might plan a join the other way round, or look up the state in the index of due
    // deliveries, and keep that plan for a million rows. Measured: 60 ms for 160 outcomes.
    text: `with found as materialized (
             select f.at, f.part, o.*
               from unnest($1::uuid[], $2::bigint[], $3::int[], $4::timestamptz[], $5::text[],
                           $6::timestamptz[], $7::timestamptz[], $8::int[], $9::int[],
                           $10::text[], $11::text[], $13::text[]) with ordinality
                    as o (event_id, destination_id, attempts, leased_until, state,
                          next_attempt_at, attempted_at, status, latency_ms, error,
                          response_start, signature, place)
               join lateral (
                 select v.ctid as at, v.tableoid as part, v.state, v.attempts, v.leased_until
                   from deliveries v
                  where v.event_id = o.event_id and v.destination_id = o.destination_id
                  limit 1) f
                 on f.state = 'pending' and f.attempts = o.attempts
                and f.leased_until = o.leased_until
           ), done as (
             update deliveries v
                set attempts = v.attempts + 1, ladder_step = v.ladder_step + 1,
                    leased_until = null, state = o.state,
                    next_attempt_at = coalesce(o.next_attempt_at, v.next_attempt_at),
                    delivered_at = case when o.state = 'delivered' then $12::timestamptz end
               from found o
              where v.ctid = o.at and v.tableoid = o.part
             returning v.event_id, v.destination_id, v.attempts, o.attempted_at, o.status,
                       o.latency_ms, o.error, o.response_start, o.signature, o.place
           ), logged as (
             insert into delivery_attempts (event_id, destination_id, attempt, attempted_at, status,
                                            latency_ms, error, response_start, signature)
             select event_id, destination_id, attempts, attempted_at, status, latency_ms, error,
                    response_start, signature from done
           )
           select place::text from done`,
    values: [
      outcomes.map(({ claim }) => claim.eventId),
      numberArray(outcomes.map(({ claim }) => claim.destinationId)),
      numberArray(outcomes.map(({ claim }) => claim.attempts)),
      outcomes.map(({ claim }) => claim.leasedUntil),
      outcomes.map(nextState),
      outcomes.map(({ nextAttemptAt }) => nextAttemptAt),
      outcomes.map(({ attemptedAt }) => attemptedAt),
      numberArray(outcomes.map(({ status }) => status)),
      numberArray(outcomes.map(({ latencyMs }) => latencyMs)),
      outcomes.map(({ error }) => error),
      outcomes.map(({ responseStart }) => responseStart),
      now,
      outcomes.map(({ signature }) => signature),
    ],
  })
  const wereRecorded = new Array<boolean>(outcomes.length).fill(false)
  for (const { place } of rows) wereRecorded[Number(place) - 1] = true
  return wereRecorded
}

// Returns the state of a delivery after an attempt: pending if another attempt is planned.
function nextState({ isOk, nextAttemptAt }: AttemptOutcome): DeliveryState {
  return afterAttempt(isOk ? 'delivered' : nextAttemptAt ? 'pending' : 'failed')
}

// Checks that a pending delivery may get this state, and returns it. A delivery may stay pending, until its
// next attempt.
function afterAttempt(state: DeliveryState): DeliveryState {
  if (state !== 'pending') assertAllowed(DELIVERIES, 'pending', state)
  return state
}

type HeldBack = { claim: Claim; act: string; error: string | null; next: Date | null }

// Writes deliveries that chaos settings held back. Skips those whose claim has ended.
export async function writeHeldBack(
  tx: Transaction,
  now: Date,
  heldBack: readonly HeldBack[],
): Promise<void> {
  const claims = heldBack.map(({ claim }) => claim)
  await tx.query({
    name: 'record-kept-deliveries',
    text: `with done as (
             update deliveries v
                set attempts = v.attempts + 1, leased_until = null,
                    ladder_step = v.ladder_step + (o.act = 'dropped')::int, state = o.state,
                    next_attempt_at = coalesce(o.next, v.next_attempt_at)
               from unnest($1::uuid[], $2::bigint[], $3::int[], $4::timestamptz[], $5::text[],
                           $6::text[], $7::timestamptz[], $9::text[])
                    as o (event_id, destination_id, attempts, leased_until, act, error, next, state)
              where v.event_id = o.event_id and v.destination_id = o.destination_id
                and v.state = 'pending' and v.attempts = o.attempts
                and v.leased_until = o.leased_until
             returning v.event_id, v.destination_id, v.attempts, o.act, o.error)
           insert into delivery_attempts
             (event_id, destination_id, attempt, attempted_at, latency_ms, error, chaos)
           select event_id, destination_id, attempts, $8, 0, error, act from done`,
    values: [
      ...deliveryKeys(claims),
      numberArray(claims.map(({ attempts }) => attempts)),
      claims.map(({ leasedUntil }) => leasedUntil),
      heldBack.map(({ act }) => act),
      heldBack.map(({ error }) => error),
      heldBack.map(({ next }) => next),
      now,
      heldBack.map(({ next }) => afterAttempt(next ? 'pending' : 'failed')),
    ],
  })
}

// Logs the repetitions that an endpoint's chaos settings sent after a delivery. They change nothing else.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Claim } from './claim-deliveries.ts'

export type Repeat = {
  attemptedAt: Date
  status: number | null
  latencyMs: number
  error: string | null
  responseStart: string
  signature: string | null
}

// Skipped if the delivery was redelivered meanwhile: the attempt numbers then belong to the redelivery.
export async function recordRepeats(
  tx: Transaction,
  { eventId, destinationId, attempts }: Claim,
  repeats: readonly Repeat[],
): Promise<void> {
  await tx.query({
    name: 'record-repeats',
    text: `with counted as (
             update deliveries set attempts = attempts + $4::int
              where event_id = $1 and destination_id = $2 and attempts = $3::int + 1
                and state = 'delivered'
             returning event_id, destination_id)
           insert into delivery_attempts
             (event_id, destination_id, attempt, attempted_at, status, latency_ms, error,
              response_start, signature, chaos)
           select c.event_id, c.destination_id, $3::int + 1 + r.place, r.attempted_at, r.status,
                  r.latency_ms, r.error, r.response_start, r.signature, 'repeated'
             from counted c,
                  unnest($5::timestamptz[], $6::int[], $7::int[], $8::text[], $9::text[],
                         $10::text[]) with ordinality
                  as r (attempted_at, status, latency_ms, error, response_start, signature, place)`,
    values: [
      eventId,
      destinationId,
      attempts,
      repeats.length,
      repeats.map(({ attemptedAt }) => attemptedAt),
      numberArray(repeats.map(({ status }) => status)),
      numberArray(repeats.map(({ latencyMs }) => latencyMs)),
      repeats.map(({ error }) => error),
      repeats.map(({ responseStart }) => responseStart),
      repeats.map(({ signature }) => signature),
    ],
  })
}

// Applies chaos settings to claimed deliveries. One transaction decides, counts and logs the deliveries
// that are held back or dropped, and ends their claims. The others are sent as usual.
//
// Nothing here counts against the endpoint: the circuit breaker sees only sent deliveries.
//
// Locks: the endpoints' settings in id order, deliveries, then destinations.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { DestinationId, EndpointId, EventId } from '#ids.ts'
import { type Claim, keysOf } from './claim-deliveries.ts'
import { type ChaosState, type ChaosVerdict, decideChaos } from './decide-chaos.ts'
import { scheduleNow } from './destinations.ts'
import { nextAttemptAt } from './retry-schedule.ts'
import { CHAOS_COLUMNS } from './webhook-chaos.ts'

const ERRORS = {
  delayed: 'delayed by your chaos settings',
  reordered: 'held back by your chaos settings, for a later event to overtake it',
  dropped: 'dropped by your chaos settings',
} as const

export type Disturbance = Extract<ChaosVerdict, { act: 'send' }>

// The claims whose endpoint has chaos settings. One query, by key.
export async function findDisturbed(db: Queryable, claims: readonly Claim[]): Promise<Claim[]> {
  const endpointIds = [...new Set(claims.flatMap(({ endpointId }) => endpointId ?? []))]
  if (endpointIds.length === 0) return []
  const { rows } = await db.query<{ id: EndpointId }>({
    name: 'find-disturbed-endpoints',
    text: 'select endpoint_id as id from webhook_chaos where endpoint_id = any($1::uuid[])',
    values: [endpointIds],
  })
  const disturbed = new Set(rows.map(({ id }) => id))
  return claims.filter(({ endpointId }) => endpointId !== null && disturbed.has(endpointId))
}

// Returns the claims to send. The claims of the others have ended.
export async function applyChaos(
  tx: Transaction,
  { now, random }: { now: Date; random: () => number },
  claims: readonly Claim[],
): Promise<Map<Claim, Disturbance>> {
  const toSend = new Map<Claim, Disturbance>()
  const heldBack: HeldDelivery[] = []
  const createdAt = await readTimes(tx, claims)
  for (const state of await lockChaos(tx, claims)) {
    const own = claims
      .filter(({ endpointId }) => endpointId === state.endpointId)
      .sort((one, other) => (one.eventId < other.eventId ? -1 : 1))
    const due = own.map((claim) => ({ ...claim, createdAt: createdAt.get(claim.eventId) ?? now }))
    const { verdicts, after } = decideChaos(state, due, now)
    await writeChaos(tx, { ...after, endpointId: state.endpointId })
    for (const [index, claim] of own.entries()) {
      const verdict = verdicts[index] as ChaosVerdict
      if (verdict.act === 'send') toSend.set(claim, verdict)
      else heldBack.push(holdBack(claim, verdict, { now, random }))
    }
  }
  await recordHeldBack(tx, now, heldBack)
  return toSend
}

type HeldDelivery = { claim: Claim; act: keyof typeof ERRORS; next: Date | null }

function holdBack(
  claim: Claim,
  verdict: Exclude<ChaosVerdict, { act: 'send' }>,
  { now, random }: { now: Date; random: () => number },
): HeldDelivery {
  if (verdict.act !== 'dropped') return { claim, act: verdict.act, next: verdict.until }
  const attemptsMade = claim.ladderStep + 1
  return { claim, act: 'dropped', next: nextAttemptAt({ now, attemptsMade, jitter: random() }) }
}

type OwnedState = ChaosState & { endpointId: EndpointId }

async function lockChaos(tx: Transaction, claims: readonly Claim[]): Promise<OwnedState[]> {
  const { rows } = await tx.query<OwnedState>({
    name: 'lock-webhook-chaos',
    text: `select endpoint_id as "endpointId", ${CHAOS_COLUMNS}, held_event_id as "heldEventId",
                  is_overtaken as "isOvertaken"
             from webhook_chaos where endpoint_id = any($1::uuid[])
            order by endpoint_id for no key update`,
    values: [[...new Set(claims.map(({ endpointId }) => endpointId))]],
  })
  return rows
}

async function writeChaos(tx: Transaction, state: OwnedState): Promise<void> {
  await tx.query({
    name: 'write-webhook-chaos',
    text: `update webhook_chaos set drop_next = $2, held_event_id = $3, is_overtaken = $4
            where endpoint_id = $1`,
    values: [state.endpointId, state.dropNext, state.heldEventId, state.isOvertaken],
  })
}

async function readTimes(tx: Transaction, claims: readonly Claim[]): Promise<Map<EventId, Date>> {
  const { rows } = await tx.query<{ eventId: EventId; createdAt: Date }>({
    name: 'times-of-deliveries',
    text: `select v.event_id as "eventId", v.created_at as "createdAt"
             from unnest($1::uuid[], $2::bigint[]) as c (event_id, destination_id)
             join deliveries v
               on v.event_id = c.event_id and v.destination_id = c.destination_id`,
    values: keysOf(claims),
  })
  return new Map(rows.map(({ eventId, createdAt }) => [eventId, createdAt]))
}

// Only a drop uses up a retry step. Like any attempt, it counts only while the claim stands.
async function recordHeldBack(
  tx: Transaction,
  now: Date,
  heldBack: readonly HeldDelivery[],
): Promise<void> {
  if (heldBack.length === 0) return
  const claims = heldBack.map(({ claim }) => claim)
  await tx.query({
    name: 'record-kept-deliveries',
    text: `with done as (
             update deliveries v
                set attempts = v.attempts + 1, leased_until = null,
                    ladder_step = v.ladder_step + (o.act = 'dropped')::int,
                    state = case when o.next is null then 'failed' else 'pending' end,
                    next_attempt_at = coalesce(o.next, v.next_attempt_at)
               from unnest($1::uuid[], $2::bigint[], $3::int[], $4::timestamptz[], $5::text[],
                           $6::text[], $7::timestamptz[])
                    as o (event_id, destination_id, attempts, leased_until, act, error, next)
              where v.event_id = o.event_id and v.destination_id = o.destination_id
                and v.state = 'pending' and v.attempts = o.attempts
                and v.leased_until = o.leased_until
             returning v.event_id, v.destination_id, v.attempts, o.act, o.error)
           insert into delivery_attempts
             (event_id, destination_id, attempt, attempted_at, latency_ms, error, chaos)
           select event_id, destination_id, attempts, $8, 0, error, act from done`,
    values: [
      ...keysOf(claims),
      numberArray(claims.map(({ attempts }) => attempts)),
      claims.map(({ leasedUntil }) => leasedUntil),
      heldBack.map(({ act }) => act),
      heldBack.map(({ act }) => ERRORS[act]),
      heldBack.map(({ next }) => next),
      now,
    ],
  })
  for (const [destinationId, own] of Map.groupBy(heldBack, ({ claim }) => claim.destinationId)) {
    const times = own.flatMap(({ next }) => next ?? []).sort((a, b) => a.getTime() - b.getTime())
    if (times[0]) await scheduleNow(tx, times[0], [destinationId])
  }
}

// A later event has been sent, so the overtaken delivery is due now.
export async function releaseOvertaken(
  tx: Transaction,
  now: Date,
  { eventId, destinationId }: { eventId: EventId; destinationId: DestinationId },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'release-overtaken',
    text: `update deliveries set next_attempt_at = $3
            where event_id = $1 and destination_id = $2 and state = 'pending'
              and leased_until is null and next_attempt_at > $3`,
    values: [eventId, destinationId, now],
  })
  if (rowCount === 1) await scheduleNow(tx, now, [destinationId])
}

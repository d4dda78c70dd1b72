// Chaos settings of a sandbox webhook endpoint: to test its handler, a client lets the service delay, repeat,
// reorder or drop deliveries. This file stores the settings, decides what they do with each delivery, and
// records the deliveries that were held back or repeated.

import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, DestinationId, EndpointId, EventId } from '#ids.ts'
import { type Claim, deliveryKeys } from './claims.ts'
import { scheduleNow } from './destinations.ts'
import { getEndpoint } from './endpoints.ts'
import { nextAttemptAt } from './retry-schedule.ts'
import { writeHeldBack } from './states.ts'

export type Chaos = {
  delayMs: number // The delay between the event and its first delivery.
  duplicate: number // Repetitions per delivery.
  reorder: boolean
  dropNext: number // Remaining attempts to drop.
}

type OwnEndpoint = { clientId: ClientId; id: EndpointId }

const ALL_OFF: Chaos = { delayMs: 0, duplicate: 0, reorder: false, dropNext: 0 }

const CHAOS_COLUMNS = `
  delay_ms, duplicate, reorder, drop_next`

// Returns the endpoint's settings; all are off if it has none.
export async function readChaos(db: Queryable, { clientId, id }: OwnEndpoint): Promise<Chaos> {
  await getEndpoint(db, clientId, id) // Refuses an endpoint that the client does not have.
  const { rows } = await db.query<Chaos>({
    name: 'read-webhook-chaos',
    text: `select ${CHAOS_COLUMNS} from webhook_chaos where endpoint_id = $1`,
    values: [id],
  })
  return rows[0] ?? ALL_OFF
}

// Replaces the endpoint's settings. A setting that is left out is switched off.
export async function setChaos(
  tx: Transaction,
  now: Date,
  { clientId, id, chaos }: OwnEndpoint & { chaos: Partial<Chaos> },
): Promise<Chaos> {
  await getEndpoint(tx, clientId, id) // Refuses an endpoint that the client does not have.
  const { delayMs, duplicate, reorder, dropNext } = { ...ALL_OFF, ...chaos }
  await tx.query({
    name: 'set-webhook-chaos',
    text: `insert into webhook_chaos
             (endpoint_id, client_id, delay_ms, duplicate, reorder, drop_next, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (endpoint_id) do update
             set delay_ms = $3, duplicate = $4, reorder = $5, drop_next = $6, updated_at = $7`,
    values: [id, clientId, delayMs, duplicate, reorder, dropNext, now],
  })
  return { delayMs, duplicate, reorder, dropNext }
}

// Deletes the endpoint's settings. A delivery that is held back is still sent at its time.
export async function deleteChaos(tx: Transaction, { clientId, id }: OwnEndpoint): Promise<void> {
  await getEndpoint(tx, clientId, id) // Refuses an endpoint that the client does not have.
  await tx.query({
    name: 'delete-webhook-chaos',
    text: 'delete from webhook_chaos where endpoint_id = $1',
    values: [id],
  })
}

const REORDER_WAIT_MS = 5_000

type ChaosState = Chaos & {
  heldEventId: EventId | null
  isOvertaken: boolean
}

type DueDelivery = {
  eventId: EventId
  createdAt: Date
  ladderStep: number
  isProbe: boolean
}

type ChaosVerdict =
  | { act: 'send'; repeats: number; overtakes: EventId | null }
  | { act: 'delayed' | 'reordered'; until: Date }
  | { act: 'dropped' }

// Decides what an endpoint's chaos settings do with its due deliveries, which are ordered by event. Returns a
// verdict for each, and the new state. Pure.
//
// Each due delivery gets the first of these verdicts that applies:
//
//   delayed    The event is younger than delayMs. The delivery waits until the event is that old.
//   reordered  `reorder` is on, no other delivery is held, and this is the first attempt. The delivery
//              waits until a later one has been sent, at most 5 seconds.
//   dropped    dropNext is above 0. The delivery is not sent now; the retry schedule sends it later.
//   send       The delivery is sent, then sent `repeats` more times if it succeeded. Then the held
//              delivery, if this one overtook it, is released.
//
// A probe of a paused endpoint is never delayed, reordered or dropped, because the deliveries behind it
// wait for its result. It is still repeated.
function decideChaos(
  before: ChaosState,
  deliveries: readonly DueDelivery[],
  now: Date,
): { verdicts: ChaosVerdict[]; after: ChaosState } {
  const after = { ...before }
  return { verdicts: deliveries.map((delivery) => decideOne(after, delivery, now)), after }
}

// Decides about one delivery, and updates `state` for the deliveries after it. `ladderStep` is the delivery's
// step of the retry schedule: 0 at the first attempt.
function decideOne(state: ChaosState, delivery: DueDelivery, now: Date): ChaosVerdict {
  const { eventId, createdAt, ladderStep, isProbe } = delivery
  const sendNormally = { act: 'send', repeats: state.duplicate, overtakes: null } as const
  if (isProbe) return sendNormally
  const oldEnoughAt = new Date(createdAt.getTime() + state.delayMs)
  if (now < oldEnoughAt) return { act: 'delayed', until: oldEnoughAt }
  let overtakes: EventId | null = null
  if (state.heldEventId === eventId) {
    state.heldEventId = null // This is the held delivery, and its wait is over.
  } else if (state.heldEventId !== null && !state.isOvertaken) {
    overtakes = state.heldEventId // This delivery is the first after the held one.
    state.isOvertaken = true
  } else if (state.heldEventId === null && state.reorder && ladderStep === 0) {
    state.heldEventId = eventId
    state.isOvertaken = false
    return { act: 'reordered', until: new Date(now.getTime() + REORDER_WAIT_MS) }
  }
  if (state.dropNext === 0) return { ...sendNormally, overtakes }
  state.dropNext--
  return { act: 'dropped' }
}

// The explanations in the delivery log, by the effect of the chaos settings.
const ERRORS = {
  delayed: 'delayed by your chaos settings',
  reordered: 'held back by your chaos settings, for a later event to overtake it',
  dropped: 'dropped by your chaos settings',
} as const

export type Disturbance = Extract<ChaosVerdict, { act: 'send' }>

// Returns the claims whose endpoint has chaos settings.
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

// Applies chaos settings to claimed deliveries. In one transaction, decides which deliveries are held back or
// dropped, counts and logs them, and ends their claims. Returns the claims to send. Deliveries that are held
// back or dropped do not affect the endpoint's health: the circuit breaker sees only sent deliveries.
//
// Locks: the endpoints' settings in id order, deliveries, then destinations.
export async function applyChaos(
  tx: Transaction,
  { now, random }: { now: Date; random: () => number },
  claims: readonly Claim[],
): Promise<Map<Claim, Disturbance>> {
  const toSend = new Map<Claim, Disturbance>()
  const heldBack: HeldDelivery[] = []
  const createdAt = await readTimes(tx, claims)
  for (const state of await lockChaos(tx, claims)) {
    const endpointClaims = claims
      .filter(({ endpointId }) => endpointId === state.endpointId)
      .sort((one, other) => (one.eventId < other.eventId ? -1 : 1))
    const due = endpointClaims.map((claim) => {
      return { ...claim, createdAt: createdAt.get(claim.eventId) ?? now }
    })
    const { verdicts, after } = decideChaos(state, due, now)
    await writeChaos(tx, { ...after, endpointId: state.endpointId })
    for (const [index, claim] of endpointClaims.entries()) {
      const verdict = verdicts[index] as ChaosVerdict
      if (verdict.act === 'send') toSend.set(claim, verdict)
      else heldBack.push(holdBack(claim, verdict, { now, random }))
    }
  }
  await recordHeldBack(tx, now, heldBack)
  return toSend
}

type HeldDelivery = { claim: Claim; act: keyof typeof ERRORS; next: Date | null }

// Returns a delivery to hold back, with the time of its next attempt. A dropped delivery follows the retry
// schedule, as if its attempt had failed.
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

// Locks and returns the settings of the endpoints, in id order.
async function lockChaos(tx: Transaction, claims: readonly Claim[]): Promise<OwnedState[]> {
  const { rows } = await tx.query<OwnedState>({
    name: 'lock-webhook-chaos',
    text: `select endpoint_id, ${CHAOS_COLUMNS}, held_event_id, is_overtaken
             from webhook_chaos where endpoint_id = any($1::uuid[])
            order by endpoint_id for no key update`,
    values: [[...new Set(claims.map(({ endpointId }) => endpointId))]],
  })
  return rows
}

// Stores what a batch of deliveries has changed: the drops that remain, and the delivery that is held.
async function writeChaos(tx: Transaction, state: OwnedState): Promise<void> {
  await tx.query({
    name: 'write-webhook-chaos',
    text: `update webhook_chaos set drop_next = $2, held_event_id = $3, is_overtaken = $4
            where endpoint_id = $1`,
    values: [state.endpointId, state.dropNext, state.heldEventId, state.isOvertaken],
  })
}

// Returns the time at which each delivery was created.
async function readTimes(tx: Transaction, claims: readonly Claim[]): Promise<Map<EventId, Date>> {
  const { rows } = await tx.query<{ eventId: EventId; createdAt: Date }>({
    name: 'times-of-deliveries',
    text: `select v.event_id, v.created_at
             from unnest($1::uuid[], $2::bigint[]) as c (event_id, destination_id)
             join deliveries v
               on v.event_id = c.event_id and v.destination_id = c.destination_id`,
    values: deliveryKeys(claims),
  })
  return new Map(rows.map(({ eventId, createdAt }) => [eventId, createdAt]))
}

// Records the deliveries that were held back or dropped. Only a drop uses up a step of the retry schedule. As
// with attempts, a verdict is ignored if the claim has ended.
async function recordHeldBack(
  tx: Transaction,
  now: Date,
  heldBack: readonly HeldDelivery[],
): Promise<void> {
  if (heldBack.length === 0) return
  await writeHeldBack(
    tx,
    now,
    heldBack.map((delivery) => ({ ...delivery, error: ERRORS[delivery.act] })),
  )
  for (const [destinationId, heldOfDestination] of Map.groupBy(
    heldBack,
    ({ claim }) => claim.destinationId,
  )) {
    // The worker reads the destination's queue again at the earliest of these times.
    const times = heldOfDestination
      .flatMap(({ next }) => next ?? [])
      .sort((a, b) => a.getTime() - b.getTime())
    if (times[0]) await scheduleNow(tx, times[0], [destinationId])
  }
}

// Makes an overtaken delivery due now, because a later event has been sent.
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

export type Repeat = {
  attemptedAt: Date
  status: number | null
  latencyMs: number
  error: string | null
  responseStart: string
  signature: string | null
}

// Logs the repetitions that were sent after a delivery. They change neither the delivery nor the endpoint's
// health. Skips a delivery that has been redelivered since, because its attempt numbers then belong to the
// redelivery.
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

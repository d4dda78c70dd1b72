// Replays: all events of a period again to one endpoint.
//
// The call that asks for a replay queues the first events itself, so a small replay is done when it answers.
// A worker queues the rest in steps. Each step is a short transaction with a limited number of events, so a
// client that replays a year delays nobody.
//
//   I240  a client has at most one replay that has not ended, and begins at most REPLAYS_PER_HOUR in an hour.
//
// Locks: the client's replays, then the replay, then deliveries and their destination.

import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '#clock.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type EndpointId, type ReplayId, timeOrderedId } from '#ids.ts'
import { findDestinations, resumeDestinations, scheduleNow } from './destinations.ts'
import { findEndpoint, getEndpoint } from './endpoints.ts'
import { sequenceBounds, unlessAlert, visibleEvent } from './events.ts'
import { endpointTarget } from './redeliver.ts'
import { REQUEUE_ON_CONFLICT } from './states.ts'

export const REPLAYS_PER_HOUR = 10
// The events that one step queues and reads at most. Events of other types and times are only read, which
// costs less.
export const STEP = { queuedMax: 500, scannedMax: 20_000 } as const
const REPLAYS_PER_ROUND = 4
const KEPT_DAYS = 30
// A start is counted if it is at most this far in the future: another clock may be a little ahead, but a
// start that a wrong clock dated next year must not count until then.
const AHEAD_MAX_MS = 5 * MINUTE_MS

// SQL condition: the worker has something to do.
export const HAS_REPLAYS = 'exists (select from webhook_replays where ended_at is null)'

export type Replay = {
  id: ReplayId
  endpointId: EndpointId
  fromAt: Date
  toAt: Date
  firstSequence: bigint
  nextSequence: bigint
  pastSequence: bigint
  queued: number
  createdAt: Date
  endedAt: Date | null
}

type ReplayRow = Replay & { clientId: ClientId; hasAlerts: boolean }

const COLUMNS = `id, client_id, endpoint_id, from_at, to_at, has_alerts, first_sequence, next_sequence,
                 past_sequence, queued, created_at, ended_at`

type ReplayRequest = {
  clientId: ClientId
  endpointId: EndpointId
  from: Date
  to: Date
  after?: bigint // Only events with a higher number.
  withoutAlerts?: boolean
  step?: Step // Tests take smaller steps.
}

type Step = Readonly<Record<keyof typeof STEP, number>>

// Begins a replay of the events that exist now, and takes its first step. A repeated request finds the
// running replay of the same endpoint and period. Refuses another one while one runs, and more than
// REPLAYS_PER_HOUR.
export async function startReplay(
  tx: Transaction,
  now: Date,
  request: ReplayRequest,
): Promise<Replay> {
  const { clientId, endpointId, from, to, after = 0n, withoutAlerts = false, step = STEP } = request
  const target = await endpointTarget(tx, clientId, endpointId)
  await tx.query({
    name: 'lock-webhook-replays',
    text: `select pg_advisory_xact_lock(hashtext('webhook_replays'), hashtext($1))`,
    values: [clientId.toString()],
  })
  const running = await findRunning(tx, clientId)
  if (running) {
    const isSame =
      running.endpointId === endpointId &&
      running.hasAlerts === !withoutAlerts &&
      running.fromAt.getTime() === from.getTime() &&
      running.toAt.getTime() === to.getTime()
    if (isSame) return running
    throw new Refusal('replay_running')
  }
  await requireRate(tx, now, clientId)
  const { first, past } = await sequenceBounds(tx, clientId, { from, to })
  const firstSequence = first > after ? first : after + 1n
  const replay: ReplayRow = {
    ...{ id: timeOrderedId<ReplayId>(now), clientId, endpointId, fromAt: from, toAt: to },
    hasAlerts: !withoutAlerts,
    firstSequence,
    nextSequence: firstSequence,
    pastSequence: past > firstSequence ? past : firstSequence,
    queued: 0,
    createdAt: now,
    endedAt: null,
  }
  await insertReplay(tx, now, replay)
  const begun = await takeStep(tx, now, { replay, step })
  const [destination] = await findDestinations(tx, [{ ...target, clientId }])
  if (destination) await resumeDestinations(tx, now, [destination.id])
  return begun
}

// Returns the latest replay to an endpoint.
export async function getReplay(
  db: Queryable,
  { clientId, endpointId }: Pick<ReplayRequest, 'clientId' | 'endpointId'>,
): Promise<Replay> {
  await getEndpoint(db, clientId, endpointId)
  const { rows } = await db.query<ReplayRow>({
    name: 'latest-webhook-replay',
    text: `select ${COLUMNS} from webhook_replays
            where client_id = $1 and endpoint_id = $2 order by id desc limit 1`,
    values: [clientId, endpointId],
  })
  if (!rows[0]) throw new Refusal('replay_not_found')
  return rows[0]
}

// Takes a step of the replays that have waited longest.
export async function stepReplays(
  { webhookPool: pool, clock, step = STEP }: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await pool.query<{ id: ReplayId }>({
    name: 'waiting-webhook-replays',
    text: `select id from webhook_replays where ended_at is null
            order by stepped_at limit ${REPLAYS_PER_ROUND}`,
  })
  for (const { id } of rows) {
    if (signal.aborted) break
    await withTransaction(pool, (tx) => stepReplay(tx, clock(), { id, step }))
  }
}

export type StepDeps = { webhookPool: Pool; clock: Clock; step?: Step }

// Takes the next step of a replay, unless another process is taking it.
async function stepReplay(
  tx: Transaction,
  now: Date,
  { id, step }: { id: ReplayId; step: Step },
): Promise<void> {
  const { rows } = await tx.query<ReplayRow>({
    name: 'lock-webhook-replay',
    text: `select ${COLUMNS} from webhook_replays
            where id = $1 and ended_at is null for no key update skip locked`,
    values: [id],
  })
  if (rows[0]) await takeStep(tx, now, { replay: rows[0], step })
}

// Queues the next events of the replay. Ends the replay after the last one, and when the endpoint is deleted
// or inactive.
async function takeStep(
  tx: Transaction,
  now: Date,
  { replay, step }: { replay: ReplayRow; step: Step },
): Promise<Replay> {
  const { clientId, endpointId, nextSequence, pastSequence, fromAt, toAt, hasAlerts } = replay
  const endpoint = await findEndpoint(tx, clientId, endpointId)
  if (!endpoint?.isActive) return writeStep(tx, now, { ...replay, endedAt: now })
  const target = await endpointTarget(tx, clientId, endpointId)
  const [destination] = await findDestinations(tx, [{ ...target, clientId }])
  const scanned = nextSequence + BigInt(step.scannedMax)
  const end = scanned < pastSequence ? scanned : pastSequence
  const { rows } = await tx.query<{ queued: number; last: bigint | null }>({
    name: 'replay-events',
    text: `with again as (
             select id, sequence from events e
              where client_id = $1 and sequence >= $2 and sequence < $3
                and created_at >= $4 and created_at < $5
                and type <> 'endpoint.test' and ($6::text[] is null or type = any($6))
                and ${visibleEvent('$1')} and ${unlessAlert('$10')}
              order by sequence limit $9
           ), queued as (
             insert into deliveries (event_id, destination_id, client_id, kind, next_attempt_at,
                                     created_at)
             select id, $7::bigint, $1, 'endpoint', $8::timestamptz, $8 from again ${REQUEUE_ON_CONFLICT}
           )
           select count(*)::int as queued, max(sequence) as last from again`,
    values: [
      ...[clientId, nextSequence, end, fromAt, toAt, endpoint.eventTypes, destination?.id, now],
      ...[step.queuedMax, !hasAlerts],
    ],
  })
  const { queued, last } = rows[0] as { queued: number; last: bigint | null }
  if (destination && queued > 0) await scheduleNow(tx, now, [destination.id])
  const reached = queued === step.queuedMax && last !== null ? last + 1n : end
  return writeStep(tx, now, {
    ...replay,
    nextSequence: reached,
    queued: replay.queued + queued,
    endedAt: reached === pastSequence ? now : null,
  })
}

async function writeStep(tx: Transaction, now: Date, replay: ReplayRow): Promise<Replay> {
  await tx.query({
    name: 'write-replay-step',
    text: `update webhook_replays
              set next_sequence = $2, queued = $3, stepped_at = $4, ended_at = $5
            where id = $1`,
    values: [replay.id, replay.nextSequence, replay.queued, now, replay.endedAt],
  })
  return replay
}

async function insertReplay(tx: Transaction, now: Date, replay: ReplayRow): Promise<void> {
  const { id, clientId, endpointId, fromAt, toAt, hasAlerts } = replay
  await tx.query({
    name: 'forget-webhook-replays',
    text: 'delete from webhook_replays where client_id = $1 and ended_at < $2',
    values: [clientId, new Date(now.getTime() - KEPT_DAYS * 24 * HOUR_MS)],
  })
  await tx.query({
    name: 'insert-webhook-replay',
    text: `insert into webhook_replays
             (id, client_id, endpoint_id, from_at, to_at, has_alerts, first_sequence, next_sequence,
              past_sequence, created_at, stepped_at)
           values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $9)`,
    values: [
      ...[id, clientId, endpointId, fromAt, toAt, hasAlerts, replay.firstSequence],
      ...[replay.pastSequence, now],
    ],
  })
}

async function findRunning(tx: Transaction, clientId: ClientId): Promise<ReplayRow | undefined> {
  const { rows } = await tx.query<ReplayRow>({
    name: 'running-webhook-replay',
    text: `select ${COLUMNS} from webhook_replays where client_id = $1 and ended_at is null`,
    values: [clientId],
  })
  return rows[0]
}

// Refuses a replay if the client has begun REPLAYS_PER_HOUR within the last hour. The refusal says when the
// first of them is an hour old.
async function requireRate(tx: Transaction, now: Date, clientId: ClientId): Promise<void> {
  const { rows } = await tx.query<{ createdAt: Date }>({
    name: 'recent-webhook-replays',
    text: `select created_at from webhook_replays
            where client_id = $1 and created_at > $2 and created_at <= $3
            order by created_at desc limit ${REPLAYS_PER_HOUR}`,
    values: [clientId, new Date(now.getTime() - HOUR_MS), new Date(now.getTime() + AHEAD_MAX_MS)],
  })
  const oldest = rows[REPLAYS_PER_HOUR - 1]
  if (!oldest) return
  const waitMs = oldest.createdAt.getTime() + HOUR_MS - now.getTime()
  throw new Refusal('too_many_replays', [], Math.ceil(waitMs / SECOND_MS))
}

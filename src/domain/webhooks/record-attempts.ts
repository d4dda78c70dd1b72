// Records attempt outcomes: deliveries, attempt log and destination health, in one transaction.
//
// A result counts only while its claim stands: the same number of attempts and the same lease. After an
// expired lease, another worker has the delivery, and its result must not be overwritten.
//
// Locks: deliveries, destinations in id order, then the clients' event counters.

import { advanceBreaker, type Health, type Result, type Verdict } from '#circuit-breaker.ts'
import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { type NewAlert, raiseAlerts } from '#domain/records/alerts.ts'
import type { NewEvent } from '#domain/records/event-types.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { ClientId, DestinationId, EndpointId } from '#ids.ts'
import { timestamp } from '#wat-time.ts'
import { type Claim, keysOf } from './claim-deliveries.ts'
import { scheduleNow } from './destinations.ts'

export type AttemptOutcome = {
  claim: Claim
  attemptedAt: Date
  isOk: boolean
  status: number | null
  latencyMs: number
  error: string | null
  responseStart: string
  signature: string | null // The sent one. Null: nothing was sent.
  nextAttemptAt: Date | null // Null: none is planned.
}

type HealthRow = Health & {
  id: DestinationId
  clientId: ClientId
  endpointId: EndpointId | null
  url: string
  isDisabled: boolean
}

const GONE = 410
const WHY = {
  gone: 'its receiver answered 410 Gone',
  failing: 'every delivery failed for 5 days',
} as const

// Returns for each outcome whether it counted.
export async function recordAttempts(
  tx: Transaction,
  now: Date,
  outcomes: readonly AttemptOutcome[],
): Promise<boolean[]> {
  const counted = await writeOutcomes(tx, now, outcomes)
  await updateHealth(
    tx,
    now,
    outcomes.filter((_, index) => counted[index]),
  )
  return counted
}

async function writeOutcomes(
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
  const counted = new Array<boolean>(outcomes.length).fill(false)
  for (const { place } of rows) counted[Number(place) - 1] = true
  return counted
}

function nextState({ isOk, nextAttemptAt }: AttemptOutcome): string {
  if (isOk) return 'delivered'
  return nextAttemptAt ? 'pending' : 'failed'
}

// A healthy destination whose deliveries succeed is neither locked nor written.
async function updateHealth(
  tx: Transaction,
  now: Date,
  outcomes: readonly AttemptOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return
  const byDestination = Map.groupBy(outcomes, ({ claim }) => claim.destinationId)
  const failed = outcomes.filter(({ isOk }) => !isOk).map(({ claim }) => claim.destinationId)
  const { rows } = await tx.query<HealthRow>({
    name: 'lock-destination-health',
    text: `select id, client_id as "clientId", endpoint_id as "endpointId", url, failures,
                  failing_since as "failingSince", paused_until as "pausedUntil",
                  due_at as "dueAt", disabled_at is not null as "isDisabled"
             from destinations
            where id = any($1::bigint[])
              and (failures > 0 or failing_since is not null or id = any($2::bigint[]))
            order by id
              for no key update`,
    values: [numberArray([...byDestination.keys()]), numberArray(failed)],
  })
  if (rows.length === 0) return
  const verdicts = rows.map((row) => {
    const results = (byDestination.get(row.id) ?? []).map(toResult)
    const verdict = advanceBreaker(row, results, now)
    return { row, verdict: row.isDisabled ? { ...verdict, disable: null } : verdict }
  })
  await writeHealth(tx, now, verdicts)
  await reportDisabled(tx, now, verdicts)
}

function toResult({ isOk, status, claim, nextAttemptAt }: AttemptOutcome): Result {
  return { isOk, isGone: status === GONE, isProbe: claim.isProbe, nextAttemptAt }
}

type JudgedHealth = { row: HealthRow; verdict: Verdict }

async function writeHealth(
  tx: Transaction,
  now: Date,
  judged: readonly JudgedHealth[],
): Promise<void> {
  await tx.query({
    name: 'write-destination-health',
    text: `update destinations d
              set failures = h.failures, failing_since = h.failing_since,
                  paused_until = h.paused_until, due_at = h.due_at,
                  disabled_at = case when h.why is null then d.disabled_at else $7::timestamptz end,
                  disabled_why = coalesce(h.why, d.disabled_why)
             from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::timestamptz[],
                         $5::timestamptz[], $6::text[])
                  as h (id, failures, failing_since, paused_until, due_at, why)
            where d.id = h.id`,
    values: [
      numberArray(judged.map(({ row }) => row.id)),
      numberArray(judged.map(({ verdict }) => verdict.failures)),
      judged.map(({ verdict }) => verdict.failingSince),
      judged.map(({ verdict }) => verdict.pausedUntil),
      judged.map(({ verdict }) => verdict.dueAt),
      judged.map(({ verdict: { disable } }) => disable && WHY[disable]),
      now,
    ],
  })
}

// The client gets an event. The operator gets an alert about a failing receiver, but not about one that
// answers that it is gone.
async function reportDisabled(tx: Transaction, now: Date, judged: readonly JudgedHealth[]) {
  const disabled = judged.filter(({ verdict }) => verdict.disable)
  const events = disabled.map(({ row, verdict }): NewEvent => {
    const { clientId, endpointId, url } = row
    const failingSince = verdict.failingSince && timestamp(verdict.failingSince)
    const reason = WHY[verdict.disable as 'gone' | 'failing']
    const facts = { id: endpointId, url, isActive: false, reason, failingSince } as const
    return { clientId, type: 'endpoint.disabled', facts }
  })
  const alerts = disabled
    .filter(({ verdict }) => verdict.disable === 'failing')
    .map(({ row }): NewAlert => {
      const { origin, pathname } = URL.parse(row.url) ?? { origin: '', pathname: '' }
      const detail = { clientId: row.clientId.toString(), url: `${origin}${pathname}` }
      const subject = `destination/${row.id} ${now.toISOString()}`
      return { kind: 'endpoint_disabled', subject, detail }
    })
  await appendEvents(tx, now, [...events, ...(await raiseAlerts(tx, now, alerts))])
}

// Releases claims that were not started, so that they can be claimed again at once.
export async function releaseClaims(
  tx: Transaction,
  now: Date,
  claims: readonly Claim[],
): Promise<void> {
  if (claims.length === 0) return
  await tx.query({
    name: 'release-claims',
    text: `update deliveries v set leased_until = null
             from unnest($1::uuid[], $2::bigint[], $3::int[], $4::timestamptz[])
                  as c (event_id, destination_id, attempts, leased_until)
            where v.event_id = c.event_id and v.destination_id = c.destination_id
              and v.attempts = c.attempts and v.leased_until = c.leased_until`,
    values: [
      ...keysOf(claims),
      numberArray(claims.map(({ attempts }) => attempts)),
      claims.map(({ leasedUntil }) => leasedUntil),
    ],
  })
  await scheduleNow(tx, now, [...new Set(claims.map(({ destinationId }) => destinationId))])
}

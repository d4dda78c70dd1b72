// Records attempt outcomes: deliveries, attempt log and destination health, in one transaction.
//
// An outcome is ignored unless its claim still stands, with the same number of attempts and the same lease.
// Once the lease has expired, another worker may have claimed the delivery, and the outcome of that worker
// must not be overwritten.
//
// Locks: deliveries, destinations in id order, then the clients' event counters.

import { timestamp } from '#clock.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, DestinationId, EndpointId } from '#ids.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { advanceBreaker, type Health, type Result, type Verdict } from '#records/call-rates.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { type Claim, deliveryKeys } from './claims.ts'
import { scheduleNow } from './destinations.ts'
import { type AttemptOutcome, writeOutcomes } from './states.ts'

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

// Records a batch of attempts and updates the health of their destinations. Returns for each outcome whether
// it was recorded.
export async function recordAttempts(
  tx: Transaction,
  now: Date,
  outcomes: readonly AttemptOutcome[],
): Promise<boolean[]> {
  const wereRecorded = await writeOutcomes(tx, now, outcomes)
  await updateHealth(
    tx,
    now,
    outcomes.filter(({ isExample }, index) => wereRecorded[index] && !isExample),
  )
  return wereRecorded
}

// Updates the health of the destinations. A healthy destination whose deliveries succeed is neither locked
// nor written.
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
    text: `select id, client_id, endpoint_id, url, failures, failing_since, paused_until,
                  due_at, disabled_at is not null as is_disabled
             from destinations
            where id = any($1::bigint[])
              and (failures > 0 or failing_since is not null or id = any($2::bigint[]))
            order by id
              for no key update`,
    values: [numberArray([...byDestination.keys()]), numberArray(failed)],
  })
  if (rows.length === 0) return
  // A destination that is already disabled is not disabled again.
  const verdicts = rows.map((row) => {
    const results = (byDestination.get(row.id) ?? []).map(toResult)
    const verdict = advanceBreaker(row, results, now)
    return { row, verdict: row.isDisabled ? { ...verdict, disable: null } : verdict }
  })
  await writeHealth(tx, now, verdicts)
  await reportDisabled(tx, now, verdicts)
}

// Returns the parts of an outcome that the circuit breaker decides by.
function toResult({ isOk, status, claim, nextAttemptAt }: AttemptOutcome): Result {
  return { isOk, isGone: status === GONE, isProbe: claim.isProbe, nextAttemptAt }
}

type JudgedHealth = { row: HealthRow; verdict: Verdict }

// Writes the destinations' health as the circuit breaker decided it.
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

// Reports destinations that were disabled: an event to the client, and an alert to the operator if the
// receiver kept failing. A receiver that answers 410 Gone raises no alert.
async function reportDisabled(tx: Transaction, now: Date, judged: readonly JudgedHealth[]) {
  const disabled = judged.filter(({ verdict }) => verdict.disable)
  // The events that tell each client which of its receivers was disabled, since when it failed, and why.
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
      ...deliveryKeys(claims),
      numberArray(claims.map(({ attempts }) => attempts)),
      claims.map(({ leasedUntil }) => leasedUntil),
    ],
  })
  await scheduleNow(tx, now, [...new Set(claims.map(({ destinationId }) => destinationId))])
}

// Reads the overview of a client: collections by hour and day, success rate, suspense and failing webhooks.
// Counts the pending approvals and other tasks of a user. Days are in West Africa Time.
//
// The cost is bounded: totals are hourly (reports/hourly-totals.ts), the suspense balance is one ledger
// account, and counts stop at COUNT_MAX or COUNTED_MAX.

import type { Client, Scope } from '#access/permissions.ts'
import { adjustments } from '#accounting/adjustments.ts'
import { reopenings } from '#accounting/month.ts'
import { unfitnessOf } from '#approvals/approvers.ts'
import { DAY_MS, HOUR_MS, watDayStart } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { holdRequests } from '#holds/end.ts'
import type { ClientId, PayoutId, SettlementId, UserId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { findApprovalObstacle } from '#payouts/approve.ts'
import { payoutFailures } from '#payouts/failures.ts'
import { adjustingEntries } from '#reconciliation/adjusting-entries.ts'
import { IS_OPEN_ALERT } from '#records/alerts.ts'
import { screeningRequests } from '#screening/requests.ts'
import { findObstacleToViewer, readPayees } from '#settlement/approve.ts'
import { readSettlement } from '#settlement/settlement.ts'
import { approvalRequests } from '#suspense/approve.ts'
import { findFirstHour, type HourlyTotals, readTotals, type Totals } from './hourly-totals.ts'

const WEEK_MS = 7 * DAY_MS

export const HOURS_SHOWN = 24
export const DAYS_SHOWN = 30
export const COUNT_MAX = 1_000

export type Period = Totals & { from: Date }
type Series = { today: Period; yesterday: Period; hours: Period[]; days: Period[] }

// Today and the same day of last week, both up to the last full hour.
export type Comparison = { until: Date; today: Period; lastWeek: Period }

export type Issues = {
  suspenseKobo: Kobo
  suspenseItems: bigint // At most COUNT_MAX.
  failingWebhooks: bigint
}

// Returns the start of the first day that the overview shows.
export function firstHourShown(now: Date): Date {
  return new Date(watDayStart(now).getTime() - (DAYS_SHOWN - 1) * DAY_MS)
}

// Groups totals by hour and by day. The current hour and day come last, and are not over yet.
export function buildSeries(totals: readonly HourlyTotals[], now: Date): Series {
  const todayMs = watDayStart(now).getTime()
  const thisHourMs = now.getTime() - (now.getTime() % HOUR_MS)
  const days = splitIntoPeriods({ totals, lastStart: todayMs, count: DAYS_SHOWN, lengthMs: DAY_MS })
  const hours = splitIntoPeriods({
    totals,
    lastStart: thisHourMs,
    count: HOURS_SHOWN,
    lengthMs: HOUR_MS,
  })
  return { today: days.at(-1) as Period, yesterday: days.at(-2) as Period, hours, days }
}

// Adds up today and the same day of last week, both from midnight to the last full hour.
export function compareWithLastWeek(totals: readonly HourlyTotals[], now: Date): Comparison {
  const todayMs = watDayStart(now).getTime()
  const untilMs = now.getTime() - (now.getTime() % HOUR_MS)
  // Adds up the hours from `startMs` on, before `endMs`.
  const sumHours = (startMs: number, endMs: number) => {
    const period = emptyPeriod(startMs)
    for (const { hour, ...hourTotals } of totals) {
      if (hour.getTime() >= startMs && hour.getTime() < endMs) addTotals(period, hourTotals)
    }
    return period
  }
  const lastWeek = sumHours(todayMs - WEEK_MS, untilMs - WEEK_MS)
  return { until: new Date(untilMs), today: sumHours(todayMs, untilMs), lastWeek }
}

export type PeriodFigures = {
  from: Date
  to: Date
  since: Date | null // The hour of the client's first event.
  figures: Period | null // null if there is no data, which is not the same as zero.
  isComplete: boolean
}

// Reads the figures of any period, so that periods can be compared. `from` and `to` are on the hour.
export async function readPeriod(
  db: Queryable,
  clientId: ClientId,
  { from, to, now }: { from: Date; to: Date; now: Date },
): Promise<PeriodFigures> {
  const since = await findFirstHour(db, clientId)
  const { hours, isComplete } = await readTotals(db, clientId, { since: from, until: to })
  const hasData = since !== null && since < to && from <= now
  const figures = hasData ? emptyPeriod(from.getTime()) : null
  if (figures) for (const { hour: _, ...hourTotals } of hours) addTotals(figures, hourTotals)
  return { from, to, since, figures, isComplete }
}

// Returns the share of finished payments that were paid, with four decimals, or null if none finished.
export function successRate({ successful, expired, cancelled }: Totals): number | null {
  const ended = successful + expired + cancelled
  return ended === 0n ? null : Number((successful * 10_000n) / ended) / 10_000
}

// Adds up the hours into `count` periods of equal length, the last of which begins at `lastStart`.
function splitIntoPeriods({
  totals,
  lastStart,
  count,
  lengthMs,
}: {
  totals: readonly HourlyTotals[]
  lastStart: number
  count: number
  lengthMs: number
}): Period[] {
  const first = lastStart - (count - 1) * lengthMs
  const series = Array.from({ length: count }, (_, at) => emptyPeriod(first + at * lengthMs))
  for (const { hour, ...hourTotals } of totals) {
    const period = series[Math.floor((hour.getTime() - first) / lengthMs)]
    if (period) addTotals(period, hourTotals)
  }
  return series
}

// A period without any movements.
function emptyPeriod(ms: number): Period {
  return {
    from: new Date(ms),
    credits: 0n,
    grossKobo: kobo(0n),
    reversedKobo: kobo(0n),
    returnedKobo: kobo(0n),
    suspendedKobo: kobo(0n),
    feesKobo: kobo(0n),
    refundedKobo: kobo(0n),
    successful: 0n,
    expired: 0n,
    cancelled: 0n,
  }
}

function addTotals(period: Record<keyof Totals, bigint>, hourTotals: Totals): void {
  for (const [name, value] of Object.entries(hourTotals)) period[name as keyof Totals] += value
}

// Counts a webhook as failing if its last attempt failed, or if we disabled it because of its answers. Does
// not count a webhook that the client switched off or deleted. `kind <> 'collection'` repeats the condition
// of the partial index on kind, owner and currency, so that PostgreSQL can use it.
export async function readIssues(db: Queryable, clientId: ClientId): Promise<Issues> {
  const { rows } = await db.query<Issues>({
    name: 'read-troubles',
    text: `select coalesce((select credits_kobo - debits_kobo from ledger_accounts
                             where kind = 'suspense' and owner = $2 and currency = $3
                               and kind <> 'collection'), 0) as suspense_kobo,
                  (select count(*) from (select from suspense_items
                                          where client_id = $1 and state = 'open'
                                          limit ${COUNT_MAX}) as open) as suspense_items,
                  (select count(*) from destinations d
                     left join webhook_endpoints e
                       on e.client_id = d.client_id and e.id = d.endpoint_id
                    where d.client_id = $1 and d.failing_since is not null
                      and coalesce(e.is_active, true)) as failing_webhooks`,
    values: [clientId, clientOwner(clientId), CURRENCY],
  })
  return rows[0] as Issues
}

export const COUNTED_MAX = 100

export const WORKFLOWS = [
  'payouts',
  'settlements',
  'suspense',
  'adjustments',
  'differences',
  'payoutFailures',
  'holds',
  'screening',
  'months',
] as const
type Workflow = (typeof WORKFLOWS)[number]

type Viewer = {
  client: Client
  actor: string
  userId: UserId
  newSince: Date
  scopes: ReadonlySet<Scope>
}

const SCOPES: Readonly<Record<Workflow, Scope>> = {
  payouts: 'payouts:write',
  settlements: 'payouts:write',
  suspense: 'suspense:write',
  adjustments: 'accounting:write',
  differences: 'accounting:write',
  payoutFailures: 'accounting:write',
  holds: 'operator',
  screening: 'operator',
  months: 'accounting:write',
}

const COUNTS: Readonly<Record<Workflow, (db: Queryable, viewer: Viewer) => Promise<number>>> = {
  payouts: countPayouts,
  settlements: countSettlements,
  suspense: (db, viewer) => approvalRequests.countApprovable(db, viewer, COUNTED_MAX),
  adjustments: (db, viewer) => adjustments.countApprovable(db, viewer, COUNTED_MAX),
  differences: async (db, viewer) =>
    Math.min(
      (await countDifferences(db, viewer)) +
        (await adjustingEntries.countApprovable(db, viewer, COUNTED_MAX)),
      COUNTED_MAX,
    ),
  payoutFailures: (db, viewer) => payoutFailures.countApprovable(db, viewer, COUNTED_MAX),
  holds: (db, viewer) => holdRequests.countApprovable(db, viewer, COUNTED_MAX),
  screening: (db, viewer) => screeningRequests.countApprovable(db, viewer, COUNTED_MAX),
  months: (db, viewer) => reopenings.countApprovable(db, viewer, COUNTED_MAX),
}

// Counts the requests that a signed-in user may approve now, by workflow: requests of other users, without an
// obstacle for this user. Each workflow applies the rule of its approval. Each count stops at COUNTED_MAX.
export async function countPendingApprovals(
  db: Queryable,
  viewer: Viewer,
): Promise<Record<Workflow, number>> {
  const counts = {} as Record<Workflow, number>
  for (const workflow of WORKFLOWS) {
    const mayApprove = viewer.scopes.has(SCOPES[workflow])
    counts[workflow] = mayApprove ? await COUNTS[workflow](db, viewer) : 0
  }
  return counts
}

// SQL scalar: why the user ($1) may not approve this maker's request, or null. $2 is `newSince`.
const UNFITNESS = (maker: string) =>
  unfitnessOf({ maker, people: 'maker_people', viewer: '$1::uuid', newSince: '$2' })

// Counts the client's payouts that the user may approve. The query leaves out payouts that the user may not
// approve because of who requested them (UNFITNESS); findApprovalObstacle() then applies the other rules to
// each payout.
async function countPayouts(db: Queryable, viewer: Viewer): Promise<number> {
  const { rows } = await db.query<{ id: PayoutId }>({
    name: 'payouts-to-approve',
    text: `select id from payouts
            where client_id = $3 and status = 'queued' and approval = 'needed'
              and ${UNFITNESS('requested_by_user')} is null
            order by id limit ${COUNTED_MAX}`,
    values: [viewer.userId, viewer.newSince, viewer.client.id],
  })
  const obstacles = []
  for (const { id } of rows) obstacles.push(await findApprovalObstacle(db, viewer, id))
  return obstacles.filter((obstacle) => obstacle === null).length
}

// Counts the client's settlements that the user may approve: those without an obstacle for this user.
async function countSettlements(db: Queryable, viewer: Viewer): Promise<number> {
  const { rows } = await db.query<{ id: SettlementId }>({
    name: 'settlements-to-approve',
    text: `select id from settlements
            where client_id = $1 and status = 'closed' order by id limit ${COUNTED_MAX}`,
    values: [viewer.client.id],
  })
  let count = 0
  for (const { id } of rows) {
    const settlement = await readSettlement(db, id)
    const payees = await readPayees(db, id)
    if ((await findObstacleToViewer(db, viewer, { settlement, payees })) === null) count++
  }
  return count
}

// Counts the differences with a request that the user may approve.
async function countDifferences(db: Queryable, { userId, newSince }: Viewer): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-differences-to-approve',
    text: `select count(*)::int as count
             from (select from differences
                    where state = 'asked' and ${UNFITNESS('asked_by_user')} is null
                    limit ${COUNTED_MAX}) as d`,
    values: [userId, newSince],
  })
  return rows[0]?.count ?? 0
}

// Counts of a user's tasks other than approvals. A count is null if the user's role does not allow the task,
// or if the client is restricted to some merchants.
type Tasks = {
  openDifferences: number | null
  suspenseItems: number | null
  failingWebhooks: number | null
  openAlerts: number | null
  openCases: number | null
}

type CountedTasks = Pick<Tasks, 'openDifferences' | 'openAlerts' | 'openCases'>

// Counts the open tasks of one user (`Tasks`), each up to COUNTED_MAX. The count is null for a task that the
// user may not do.
export async function countTasks(db: Queryable, { client, scopes }: Viewer): Promise<Tasks> {
  const isUnrestricted = client.merchantCodes === null
  const mayResolve = scopes.has('suspense:write') && isUnrestricted
  const maySeeWebhooks = scopes.has('webhooks:read') && isUnrestricted
  const issues = mayResolve || maySeeWebhooks ? await readIssues(db, client.id) : undefined
  const { rows } = await db.query<CountedTasks>({
    name: 'count-tasks',
    text: `select case when $1 then (select count(*)::int from (
                    select from differences where state = 'open' limit ${COUNTED_MAX}) as d) end
                    as open_differences,
                  case when $2 then (select count(*)::int from (
                    select from alerts where ${IS_OPEN_ALERT} limit ${COUNTED_MAX}) as a) end
                    as open_alerts,
                  case when $2 then (select count(*)::int from (
                    select from cases where state <> 'closed' limit ${COUNTED_MAX}) as c) end
                    as open_cases`,
    values: [scopes.has('accounting:write'), scopes.has('operator')],
  })
  const counts = rows[0] as CountedTasks
  return {
    ...counts,
    suspenseItems: mayResolve && issues ? capCount(issues.suspenseItems) : null,
    failingWebhooks: maySeeWebhooks && issues ? capCount(issues.failingWebhooks) : null,
  }
}

function capCount(count: bigint): number {
  return Math.min(Number(count), COUNTED_MAX)
}

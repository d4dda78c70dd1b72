// The overview: collections by hour and day, success rate, suspense, failing webhooks. Days are in
// West Africa Time.
//
// The cost is bounded: totals are hourly (hourly-totals.ts), the suspense balance is one ledger
// account, and counts stop at COUNT_MAX.

import type { Queryable } from '#db/pool.ts'
import type { ClientId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { watDayStart } from '#wat-time.ts'
import type { HourlyTotals, Totals } from './hourly-totals.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
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

export function firstHourShown(now: Date): Date {
  return new Date(watDayStart(now).getTime() - (DAYS_SHOWN - 1) * DAY_MS)
}

// The current hour and day come last, and are not over yet.
export function buildSeries(totals: readonly HourlyTotals[], now: Date): Series {
  const day = watDayStart(now).getTime()
  const hour = now.getTime() - (now.getTime() % HOUR_MS)
  const days = periods({ totals, lastStart: day, count: DAYS_SHOWN, lengthMs: DAY_MS })
  const hours = periods({ totals, lastStart: hour, count: HOURS_SHOWN, lengthMs: HOUR_MS })
  return { today: days.at(-1) as Period, yesterday: days.at(-2) as Period, hours, days }
}

export function compareWithLastWeek(totals: readonly HourlyTotals[], now: Date): Comparison {
  const day = watDayStart(now).getTime()
  const until = now.getTime() - (now.getTime() % HOUR_MS)
  const upTo = (from: number, past: number) => {
    const period = nothingFrom(from)
    for (const { hour, ...more } of totals) {
      if (hour.getTime() >= from && hour.getTime() < past) add(period, more)
    }
    return period
  }
  const lastWeek = upTo(day - WEEK_MS, until - WEEK_MS)
  return { until: new Date(until), today: upTo(day, until), lastWeek }
}

// The share of finished payments that were paid. Null: none finished.
export function successRate({ successful, expired, cancelled }: Totals): number | null {
  const ended = successful + expired + cancelled
  return ended === 0n ? null : Number((successful * 10_000n) / ended) / 10_000
}

function periods({
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
  const series = Array.from({ length: count }, (_, at) => nothingFrom(first + at * lengthMs))
  for (const { hour, ...more } of totals) {
    const period = series[Math.floor((hour.getTime() - first) / lengthMs)]
    if (period) add(period, more)
  }
  return series
}

function nothingFrom(ms: number): Period {
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

function add(period: Record<keyof Totals, bigint>, more: Totals): void {
  for (const [name, value] of Object.entries(more)) period[name as keyof Totals] += value
}

// A webhook fails if its last attempt failed, or if it was disabled because of its answers. A webhook
// that the client switched off or deleted does not count.
export async function readIssues(db: Queryable, clientId: ClientId): Promise<Issues> {
  const { rows } = await db.query<Issues>({
    name: 'read-troubles',
    text: `select coalesce((select credits_kobo - debits_kobo from ledger_accounts
                             where kind = 'suspense' and owner = $2 and currency = $3
                               and kind <> 'collection'), 0) as "suspenseKobo",
                  (select count(*) from (select from suspense_items
                                          where client_id = $1 and state = 'open'
                                          limit ${COUNT_MAX}) as open) as "suspenseItems",
                  (select count(*) from destinations d
                     left join webhook_endpoints e
                       on e.client_id = d.client_id and e.id = d.endpoint_id
                    where d.client_id = $1 and d.failing_since is not null
                      and coalesce(e.is_active, true)) as "failingWebhooks"`,
    values: [clientId, clientOwner(clientId), CURRENCY],
  })
  return rows[0] as Issues
}

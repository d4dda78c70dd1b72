// A client's usage per day (West Africa Time). Needs no index of its own and reads only the requested
// days: credits come from the hourly totals, ids of payments, advices and events start with their time,
// and accounts are found by id bounds.

import type { Queryable } from '#db/pool.ts'
import { idBounds } from '#db/time-bounds.ts'
import { type ClientId, leastIdAt } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { watDayStart } from '#wat-time.ts'
import { readTotals } from './hourly-totals.ts'

const DAY_MS = 86_400_000

export const USAGE_DAYS_MAX = 31

export type DailyUsage = {
  from: Date
  accounts: number
  advices: number
  payments: number
  credits: number
  grossKobo: Kobo
  webhooks: number
}

// The last `days` days, today last.
export async function readUsage(
  db: Queryable,
  now: Date,
  { clientId, days }: { clientId: ClientId; days: number },
): Promise<DailyUsage[]> {
  const todayMs = watDayStart(now).getTime()
  const starts = Array.from({ length: days }, (_, at) => todayMs - (days - 1 - at) * DAY_MS)
  const first = new Date(starts[0] as number)
  const counts = await countCreated(db, clientId, starts)
  const accounts = await countAccounts(db, clientId, first)
  const { hours } = await readTotals(db, clientId, { since: first })
  const usage = starts.map((ms, at) => ({
    from: new Date(ms),
    accounts: 0,
    advices: Number(counts[at]?.advices),
    payments: Number(counts[at]?.payments),
    credits: 0,
    grossKobo: kobo(0n),
    webhooks: Number(counts[at]?.webhooks),
  }))
  const usageOn = (at: Date) => usage[Math.floor((at.getTime() - first.getTime()) / DAY_MS)]
  for (const { day, count } of accounts) {
    const daily = usageOn(day)
    if (daily) daily.accounts += Number(count)
  }
  for (const { hour, credits, grossKobo } of hours) {
    const daily = usageOn(hour)
    if (!daily) continue
    daily.credits += Number(credits)
    daily.grossKobo = kobo(daily.grossKobo + grossKobo)
  }
  return usage
}

type Counts = { advices: bigint; payments: bigint; webhooks: bigint }

// Counts webhooks on the day of their event; only an unreachable receiver gets them later.
async function countCreated(
  db: Queryable,
  clientId: ClientId,
  starts: readonly number[],
): Promise<Counts[]> {
  const { rows } = await db.query<Counts>({
    name: 'count-use',
    text: `select (select count(*) from advices
                    where client_id = $1 and id >= d.first and id < d.past) as advices,
                  (select count(*) from payments
                    where client_id = $1 and id >= d.first and id < d.past) as payments,
                  (select count(*) from deliveries
                    where client_id = $1 and state = 'delivered'
                      and event_id >= d.first and event_id < d.past) as webhooks
             from unnest($2::uuid[], $3::uuid[]) with ordinality as d (first, past, place)
            order by d.place`,
    values: [clientId, starts.map(leastIdAt), starts.map((ms) => leastIdAt(ms + DAY_MS))],
  })
  return rows
}

async function countAccounts(db: Queryable, clientId: ClientId, since: Date) {
  const { firstId } = await idBounds(db, 'collection_accounts', { from: since })
  const { rows } = await db.query<{ day: Date; count: bigint }>({
    name: 'count-accounts-by-day',
    text: `select date_trunc('day', created_at, 'Africa/Lagos') as day, count(*)
             from collection_accounts
            where client_id = $1 and id >= $2 and created_at >= $3
            group by 1`,
    values: [clientId, firstId, since],
  })
  return rows
}

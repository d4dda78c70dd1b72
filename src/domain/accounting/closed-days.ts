// Closed days (I68): when, by whom, with which chart of accounts.

import type { Chart } from '#config/chart-settings.ts'
import { columns } from '#db/columns.ts'
import type { Queryable } from '#db/pool.ts'
import type { Kobo } from '#money.ts'
import { parseBankTime } from '#wat-time.ts'
import type { Period } from './journal-lines.ts'

export type UnbalancedBank = {
  bankCode: string
  currency: string
  status: string
  openDifferences?: number // Absent for days that were closed before this field existed.
}

export type ClosedDay = {
  day: string // yyyy-MM-dd, in West Africa.
  endsAt: Date
  chart: Chart
  reason: string | null
  unbalanced: UnbalancedBank[]
  closedBy: string
  closedAt: Date
  transfers: bigint | null // Null, like the hash, until the day is completed.
  journalHash: Buffer | null
}

const COLUMNS = columns(
  `to_char(day, 'YYYY-MM-DD') as day, ends_at, chart, reason, unbalanced, closed_by, closed_at,
   transfers, journal_hash`,
)

export const DAY_MS = 86_400_000

export function periodOf(day: string): Period {
  const from = parseBankTime(day) as Date
  return { from, to: new Date(from.getTime() + DAY_MS) }
}

export async function findClosedDay(db: Queryable, day: string): Promise<ClosedDay | undefined> {
  const { rows } = await db.query<ClosedDay>({
    name: 'find-closed-day',
    text: `select ${COLUMNS} from closed_days where day = $1`,
    values: [day],
  })
  return rows[0]
}

export async function findLastClosed(db: Queryable, by: Date): Promise<ClosedDay | undefined> {
  const { rows } = await db.query<ClosedDay>({
    name: 'find-last-closed-day',
    text: `select ${COLUMNS} from closed_days
            where ends_at <= $1 and completed_at is not null order by day desc limit 1`,
    values: [by],
  })
  return rows[0]
}

export async function listClosedDays(
  db: Queryable,
  { first, last }: { first: string; last: string },
): Promise<ClosedDay[]> {
  const { rows } = await db.query<ClosedDay>({
    name: 'list-closed-days',
    text: `select ${COLUMNS} from closed_days where day between $1 and $2 order by day`,
    values: [first, last],
  })
  return rows
}

export async function readDayTotals(
  db: Queryable,
  { first, last }: { first: string; last: string },
): Promise<{ day: string; currency: string; kobo: Kobo }[]> {
  const { rows } = await db.query<{ day: string; currency: string; kobo: Kobo }>({
    name: 'read-closed-day-totals',
    text: `select to_char(day, 'YYYY-MM-DD') as day, currency, sum(debit_kobo)::bigint as kobo
             from closed_day_lines where day between $1 and $2
            group by closed_day_lines.day, currency order by closed_day_lines.day, currency`,
    values: [first, last],
  })
  return rows
}

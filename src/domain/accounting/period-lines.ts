// The journal lines of several days: stored lines of closed days, and lines of open days added up now.

import type { Queryable } from '#db/pool.ts'
import { watDay } from '#wat-time.ts'
import { addUpLines, type JournalLine, type Period, readClosedLines } from './journal-lines.ts'

type Series = { beginsAt: Date; endsAt: Date }

// Call in one snapshot. The period begins and ends at midnight in West Africa.
export async function readPeriodLines(
  db: Queryable,
  { from, to }: Period,
  kinds: readonly string[],
): Promise<JournalLine[]> {
  const series = await findSeries(db)
  const [begin, end] = series
    ? [later(series.beginsAt, from), earlier(series.endsAt, to)]
    : [to, to]
  if (begin >= end) return addUpLines(db, { from, to }, kinds)
  const days = { first: watDay(begin), last: watDay(new Date(end.getTime() - 1)) }
  const lines = await readClosedLines(db, days, kinds)
  if (from < begin) lines.push(...(await addUpLines(db, { from, to: begin }, kinds)))
  if (end < to) lines.push(...(await addUpLines(db, { from: end, to }, kinds)))
  return lines
}

const later = (one: Date, other: Date) => (one > other ? one : other)
const earlier = (one: Date, other: Date) => (one < other ? one : other)

// Closed days have no gaps between them.
async function findSeries(db: Queryable): Promise<Series | undefined> {
  const { rows } = await db.query<{ beginsAt: Date | null; endsAt: Date | null }>({
    name: 'find-closed-series',
    text: `select min(ends_at) - interval '1 day' as "beginsAt", max(ends_at) as "endsAt"
             from closed_days where completed_at is not null`,
  })
  const { beginsAt, endsAt } = rows[0] ?? {}
  return beginsAt && endsAt ? { beginsAt, endsAt } : undefined
}

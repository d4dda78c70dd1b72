// Days on which banks work: neither weekends nor holidays. Days are yyyy-MM-dd.

const DAY_MS = 86_400_000
const LOOK_AHEAD_DAYS = 400 // Longer than any series of holidays.

export type Holidays = ReadonlySet<string>

export function isBusinessDay(day: string, holidays: Holidays): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday !== 0 && weekday !== 6 && !holidays.has(day)
}

// This day if it is a business day, otherwise the next one.
export function businessDayFrom(day: string, holidays: Holidays): string {
  return findBusinessDay(day, holidays, { first: 0, step: 1 })
}

export function businessDayBefore(day: string, holidays: Holidays): string {
  return findBusinessDay(day, holidays, { first: -1, step: -1 })
}

type Steps = { first: number; step: 1 | -1 }

function findBusinessDay(day: string, holidays: Holidays, { first, step }: Steps): string {
  for (let days = first; Math.abs(days) < LOOK_AHEAD_DAYS; days += step) {
    const at = new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
    if (isBusinessDay(at, holidays)) return at
  }
  throw new Error(`there is no business day within ${LOOK_AHEAD_DAYS} days of ${day}`)
}

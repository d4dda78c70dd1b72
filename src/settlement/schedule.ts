// Schedules of settlements, in West Africa Time and on business days only:
//
//   manual            never automatically
//   daily@HH:MM       each business day, with the cut-off at that time
//   T+1@HH:MM         each business day, with the cut-off at the start of the day: covers the days before
//   weekly@Mon@HH:MM  once a week, or on the next business day if that day is a holiday

import { DAY_MS, type Holidays, isBusinessDay, watDay } from '#clock.ts'

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const PATTERN = /^(?:(daily|T\+1)|weekly@(Mon|Tue|Wed|Thu|Fri))@([01][0-9]|2[0-3]):([0-5][0-9])$/
export const SCHEDULE_PATTERN =
  '^(manual|weekly|(daily|T\\+1|weekly@(Mon|Tue|Wed|Thu|Fri))@([01][0-9]|2[0-3]):[0-5][0-9])$'
const WEEKLY = 'weekly@Mon@09:00'

// The search for the next slot ends after this many days, which are more than any series of holidays.
const LOOK_AHEAD_DAYS = 400

// A time of a schedule: a settlement closes at `at`, and covers transfers posted before `cutOff`.
export type Slot = { at: Date; cutOff: Date }

// Returns the full form of a schedule: `weekly` without a day means Monday at 09:00.
export function normalSchedule(schedule: string): string {
  return schedule === 'weekly' ? WEEKLY : schedule
}

// Returns the first slot after this moment, or undefined for a manual schedule. Pure.
export function nextSlot(schedule: string, after: Date, holidays: Holidays): Slot | undefined {
  const match = PATTERN.exec(schedule)
  if (!match) return undefined
  const [, daily, weekday, hour, minute] = match
  const clockMs = (Number(hour) * 60 + Number(minute)) * 60_000
  const isInSchedule = (day: string) => weekday === undefined || isWeekly(day, weekday, holidays)
  const firstMidnight = dayStart(watDay(after))
  for (let days = 0; days <= LOOK_AHEAD_DAYS; days++) {
    const midnight = new Date(firstMidnight.getTime() + days * DAY_MS)
    const day = watDay(midnight)
    const at = new Date(midnight.getTime() + clockMs)
    if (at <= after || !isBusinessDay(day, holidays) || !isInSchedule(day)) continue
    return { at, cutOff: daily === 'T+1' ? midnight : at }
  }
  return undefined
}

// Whether a weekly settlement closes on this business day: the day is the chosen weekday, or neither the
// chosen weekday nor any day since then was a business day.
function isWeekly(day: string, weekday: string, holidays: Holidays): boolean {
  if (dayName(day) === weekday) return true
  const previousDay = dayBefore(day)
  return !isBusinessDay(previousDay, holidays) && isWeekly(previousDay, weekday, holidays)
}

function dayName(day: string): string {
  return DAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] as string
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10)
}

function dayStart(day: string): Date {
  return new Date(`${day}T00:00:00+01:00`)
}

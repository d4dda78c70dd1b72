// Days in the format of the API: yyyy-MM-dd, in West Africa Time.

import { dayOf, formatter, ZONE_OFFSET } from './format.ts'

const DAY_MS = 86_400_000
const short = formatter({ day: 'numeric', month: 'short' })
const dated = formatter({ day: 'numeric', month: 'short', year: 'numeric' })
const weekday = formatter({ weekday: 'short' })
const long = formatter({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

// Noon of the day in West Africa Time, which is far from the days before and after.
const noonOf = (day: string) => new Date(`${day}T12:00:00${ZONE_OFFSET}`)

export const today = () => dayOf(new Date())
// Returns the first day whose statement is not due yet. Banks send a day's statement by noon of the next
// day, so the limit is half a day ago.
export const firstNotDue = () => dayOf(new Date(Date.now() - DAY_MS / 2))

export const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') && !Number.isNaN(noonOf(text as string).getTime())

export function addDays(day: string, days: number): string {
  return dayOf(new Date(noonOf(day).getTime() + days * DAY_MS))
}

// Returns the days from `from` to `to`, both included.
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  return days
}

export const shortDay = (day: string) => short.format(noonOf(day))
export const datedDay = (day: string) => dated.format(noonOf(day))
export const weekdayOf = (day: string) => weekday.format(noonOf(day))
export const longDay = (day: string) => long.format(noonOf(day))

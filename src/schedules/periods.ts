// The periods of scheduled reports. Days are yyyy-MM-dd in Lagos, whose clocks never change, so every day has
// 24 hours.

import { watDay } from '#clock.ts'

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

// `to` is exclusive.
export type Period = { from: string; to: string }

// After a longer outage, only this many of the latest periods get a run.
const MISSED_MAX = 7

export function periodOf(frequency: Frequency, day: string): Period {
  const from = firstDay(frequency, day)
  return { from, to: following(frequency, from) }
}

function firstDay(frequency: Frequency, day: string): string {
  if (frequency === 'daily') return day
  if (frequency === 'monthly') return `${day.slice(0, 8)}01`
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return addDays(day, -((weekday + 6) % 7)) // Weeks begin on Monday.
}

function following(frequency: Frequency, from: string): string {
  if (frequency === 'monthly') return firstDay('monthly', addDays(from, 31))
  return addDays(from, frequency === 'daily' ? 1 : 7)
}

export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`)
  return new Date(at.setUTCDate(at.getUTCDate() + days)).toISOString().slice(0, 10)
}

// The report of a period is due on the day after its last one.
export function dueAt({ to }: Period, hour: number): Date {
  return new Date(`${to}T${String(hour).padStart(2, '0')}:00:00+01:00`)
}

type Timing = { frequency: Frequency; hour: number }

// The oldest period from `from` on that still gets a run.
export function nextPeriod({ frequency, hour }: Timing, from: string, now: Date): Period {
  const period = periodOf(frequency, from)
  let oldest = periodOf(frequency, watDay(now))
  while (dueAt(oldest, hour) > now) oldest = periodOf(frequency, addDays(oldest.from, -1))
  for (let at = 1; at < MISSED_MAX; at++) oldest = periodOf(frequency, addDays(oldest.from, -1))
  return oldest.from > period.from ? oldest : period
}

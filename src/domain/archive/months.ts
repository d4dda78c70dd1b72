// Months in West Africa, the unit of archives.

import { parseBankTime, watDay } from '#wat-time.ts'

// Later than bank reversals, refund requests and webhook redeliveries.
export const FINISHED_AFTER_DAYS = 180
const DAY_MS = 86_400_000
const MONTH = /^(20[0-9]{2})-(0[1-9]|1[0-2])$/

export type Month = { name: string; from: Date; to: Date } // The name looks like 2025-01.

export function parseMonth(text: string): Month | undefined {
  const [, year, month] = MONTH.exec(text) ?? []
  if (year === undefined) return undefined
  const begin = (at: number) => {
    const day = new Date(Date.UTC(Number(year), at)).toISOString().slice(0, 10)
    return parseBankTime(day) as Date
  }
  return { name: text, from: begin(Number(month) - 1), to: begin(Number(month)) }
}

export function monthAt(at: Date): Month {
  return parseMonth(watDay(at).slice(0, 7)) as Month
}

export function isFinished({ to }: Month, now: Date): boolean {
  return to.getTime() + FINISHED_AFTER_DAYS * DAY_MS <= now.getTime()
}

// From the month of `at` (included) to `before` (excluded).
export function monthsFrom(at: Date, before: Month): Month[] {
  const months: Month[] = []
  for (let month = monthAt(at); month.from < before.from; month = monthAt(month.to)) {
    months.push(month)
  }
  return months
}

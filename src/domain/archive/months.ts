// Months in West Africa, as archives are made of them.

// Beyond what banks reverse, payers ask back and merchants have delivered again.
const FINISHED_AFTER_DAYS = 180
const DAY_MS = 86_400_000
const WAT_OFFSET_MS = 3_600_000
const MONTH = /^(20[0-9]{2})-(0[1-9]|1[0-2])$/

export type Month = { name: string; from: Date; to: Date } // Named as 2025-01.

export function parseMonth(text: string): Month | undefined {
  const [, year, month] = MONTH.exec(text) ?? []
  return year === undefined ? undefined : monthOf(Number(year), Number(month) - 1)
}

export function monthAt(at: Date): Month {
  const inWat = new Date(at.getTime() + WAT_OFFSET_MS)
  return monthOf(inWat.getUTCFullYear(), inWat.getUTCMonth())
}

function monthOf(year: number, index: number): Month {
  const from = Date.UTC(year, index)
  return {
    name: new Date(from).toISOString().slice(0, 7),
    from: new Date(from - WAT_OFFSET_MS),
    to: new Date(Date.UTC(year, index + 1) - WAT_OFFSET_MS),
  }
}

export function isFinished({ to }: Month, now: Date): boolean {
  return to.getTime() + FINISHED_AFTER_DAYS * DAY_MS <= now.getTime()
}

// From the month of a moment up to another, which is not among them.
export function monthsFrom(at: Date, before: Month): Month[] {
  const months: Month[] = []
  for (let month = monthAt(at); month.from < before.from; month = monthAt(month.to)) {
    months.push(month)
  }
  return months
}

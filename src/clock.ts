// The only reader of the machine's clock; all other code receives `now`, so that tests can choose the time.
// Also West Africa Time (formatting, days, banks' times) and business days.

export type Clock = () => Date

export const systemClock: Clock = () => new Date()

// Elapsed time in milliseconds. It is not affected when the machine's clock is set, and it stops while the
// machine sleeps. Readings of two processes cannot be compared.
export type Monotonic = () => number

export const systemMonotonic: Monotonic = () => performance.now()

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

// West Africa Time (WAT) is UTC+1, without summer time.
const WAT_OFFSET_MS = HOUR_MS
const OFFSET = '(Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])'
const DATE = '([12][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const TIME = '([01][0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9])(?:[.,]([0-9]{1,9}))?)?'
const PATTERN = new RegExp(`^${DATE}(?:[T ]${TIME})?${OFFSET}?$`)

const DAY = new RegExp(`^${DATE}(?=${OFFSET}?$)`)

// Parses an ISO 8601 date or date-time, with `T` or a space. Banks often omit the offset; a time without one
// is in WAT. Returns undefined for anything else, including days that the month does not have. Drops digits
// beyond milliseconds. 24:00:00 is the end of its day.
export function parseBankTime(text: string): Date | undefined {
  const match = PATTERN.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = match
  const dayMs = Date.UTC(Number(year), Number(month) - 1, Number(day))
  if (new Date(dayMs).getUTCDate() !== Number(day)) return undefined
  const clockMs = (Number(hour) * 60 + Number(minute)) * MINUTE_MS + Number(second) * SECOND_MS
  const fractionMs = Number(fraction.padEnd(3, '0').slice(0, 3))
  if (clockMs + fractionMs > DAY_MS) return undefined
  return new Date(dayMs + clockMs + fractionMs - offsetMs(offset))
}

// Returns yyyy-MM-dd if the text is a day without a time, else undefined.
export function dayAlone(text: string): string | undefined {
  const day = DAY.exec(text)?.[0]
  return day && parseBankTime(text) ? day : undefined
}

// Formats as yyMMddHHmmss in WAT, the format of the NIP rail.
export function watDigits(at: Date): string {
  const iso = new Date(at.getTime() + WAT_OFFSET_MS).toISOString()
  return iso.slice(2, 19).replace(/[^0-9]/g, '')
}

// Returns the day in West Africa at this time, as yyyy-MM-dd.
export function watDay(at: Date): string {
  return new Date(at.getTime() + WAT_OFFSET_MS).toISOString().slice(0, 10)
}

// Returns the beginning of the day in West Africa that includes this time.
export function watDayStart(at: Date): Date {
  return new Date(Date.parse(`${watDay(at)}T00:00:00Z`) - WAT_OFFSET_MS)
}

// Formats as 2026-11-15T01:42:26.123, in WAT.
export function watTime(at: Date): string {
  return new Date(at.getTime() + WAT_OFFSET_MS).toISOString().slice(0, -1)
}

// Formats as 2026-11-15T01:42:26.123000+01:00.
export function timestamp(at: Date): string {
  return `${watTime(at)}000+01:00`
}

// Returns the offset of a time from UTC in milliseconds. A bank's time without an offset is in WAT.
function offsetMs(offset: string | undefined): number {
  if (offset === undefined) return WAT_OFFSET_MS
  if (offset === 'Z') return 0
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2))
  return (offset[0] === '-' ? -minutes : minutes) * MINUTE_MS
}

const LOOK_AHEAD_DAYS = 400 // Longer than any series of holidays.

export type Holidays = ReadonlySet<string>

// Returns whether the day, as yyyy-MM-dd, is neither a Saturday (6), a Sunday (0) nor a holiday.
export function isBusinessDay(day: string, holidays: Holidays): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday !== 0 && weekday !== 6 && !holidays.has(day)
}

// Returns this day if it is a business day, neither on a weekend nor a holiday; otherwise the next one. Days
// are yyyy-MM-dd.
export function businessDayFrom(day: string, holidays: Holidays): string {
  return findBusinessDay(day, holidays, { first: 0, step: 1 })
}

export function businessDayBefore(day: string, holidays: Holidays): string {
  return findBusinessDay(day, holidays, { first: -1, step: -1 })
}

type Steps = { first: number; step: 1 | -1 }

// Returns the first business day of a search that begins `first` days after the day and goes forwards (`step`
// 1) or backwards (-1).
function findBusinessDay(day: string, holidays: Holidays, { first, step }: Steps): string {
  for (let offsetDays = first; Math.abs(offsetDays) < LOOK_AHEAD_DAYS; offsetDays += step) {
    const candidate = new Date(Date.parse(`${day}T00:00:00Z`) + offsetDays * DAY_MS)
      .toISOString()
      .slice(0, 10)
    if (isBusinessDay(candidate, holidays)) return candidate
  }
  throw new Error(`there is no business day within ${LOOK_AHEAD_DAYS} days of ${day}`)
}

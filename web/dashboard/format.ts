// Formats amounts, times, days and API codes for users. A day is yyyy-MM-dd as in the API, in West Africa
// Time.

import { codeStrings, language } from '../copy.ts'

const { locale } = language
const naira = new Intl.NumberFormat(locale, { style: 'currency', currency: 'NGN' })
const wholeNumbers = new Intl.NumberFormat(locale)
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const compactNaira = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'NGN',
  notation: 'compact',
  maximumFractionDigits: 1,
})

export function money(amount: number, currency = 'NGN'): string {
  if (currency === 'NGN') return naira.format(amount)
  return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount)
}

export const shortMoney = (amount: number) => compactNaira.format(amount)
export const count = (value: number) => wholeNumbers.format(value)
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
export const seconds = (value: number) => `${tenths.format(value)} s`
export const share = (value: number) => percent.format(value)

const UNITS = ['B', 'kB', 'MB', 'GB']

// Formats a size with one decimal, such as 1.5 MB. `power` is the position of the unit: each is 1,000 times
// the one before.
export function bytes(value: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), UNITS.length - 1)
  return `${tenths.format(value / 1000 ** power)} ${UNITS[power]}`
}

// All times are in West Africa Time, because filters, sums and charts use the days of that zone.
const ZONE = { timeZone: 'Africa/Lagos' } as const
export const ZONE_OFFSET = '+01:00'

// Dates follow the user's region: "Nov 15" in the US. A date in another language than the page would not
// fit into its sentences, so a user of another language gets the dates of the catalogue.
export function dateLocale(languages: readonly string[] = navigator.languages): string {
  return languages.find((tag) => tag.split('-')[0] === language.tag && isLocale(tag)) ?? locale
}

// Chrome under LANG=C names its language en-US@posix, which Intl refuses.
function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

export const formatter = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(dateLocale(), { ...ZONE, ...options })

const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hour12: false }
const inThisYear = formatter({ ...time, day: 'numeric', month: 'short' })
const inOtherYear = formatter({ ...time, day: 'numeric', month: 'short', year: 'numeric' })
const exact = formatter({ dateStyle: 'full', timeStyle: 'long' })
const dayAndMonth = formatter({ day: 'numeric', month: 'short' })
const hourOnly = formatter(time)
const date = new Intl.DateTimeFormat('en-CA', ZONE) // Formats a day as 2026-11-15.
export const dayOf = (at: Date) => date.format(at)

// Includes the day and the time zone, because a user may read a screenshot later.
export function shownTime(iso: string, now = new Date()): string {
  const at = new Date(iso)
  const isThisYear = date.format(at).slice(0, 4) === date.format(now).slice(0, 4)
  return `${(isThisYear ? inThisYear : inOtherYear).format(at)} ${language.zone}`
}

export const exactTime = (iso: string) => `${exact.format(new Date(iso))} (${iso})`
export const hour = (iso: string) => hourOnly.format(new Date(iso))
export const day = (iso: string) => dayAndMonth.format(new Date(iso))

const CODES: Readonly<Record<string, string>> = codeStrings
const CODE = /^[a-z][\w.]*$|^[A-Z][a-z]+(?:[A-Z][a-z]+)*$/

// Converts a code of the API to words: its name in the catalogue, or else payment_reversed → Payment
// reversed. Leaves other text unchanged.
export function humanize(name: string): string {
  const known = Object.hasOwn(CODES, name) ? CODES[name] : undefined
  if (known !== undefined || !CODE.test(name)) return known ?? name
  const words = name
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

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

// Returns text that is no day unchanged, so that the service refuses it.
export function dayAfter(date: string): string {
  const at = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(at.getTime())) return date
  return new Date(at.getTime() + DAY_MS).toISOString().slice(0, 10)
}

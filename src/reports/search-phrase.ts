// Reads a search phrase with a day or a kind: `12,500 yesterday`, `ada last week`, `refund 3 Nov`,
// `settlement`. Pure: the time is an argument. Days are in West Africa Time, and numeric dates have the day
// first.

import { watDay, watDayStart } from '#clock.ts'
import type { Window } from '#db/bounds.ts'
import { type HitType, readAmount, type Term } from './search-hits.ts'

type Phrase = {
  rest: string // The text without the day and the kind: an amount, a name, or nothing.
  period: Window | undefined
  types: readonly HitType[] | undefined // undefined means every kind.
}

const DAY_MS = 86_400_000
const DAYS_MAX = 400
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*'
const WEEKDAYS = ['sun', 'mon', 'tues', 'wednes', 'thurs', 'fri', 'satur']

type Days = { first: string; days: number }
type Form = { pattern: RegExp; read: (match: RegExpExecArray, today: string) => Days | undefined }

const daysBefore = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)

const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()

// Returns undefined for a day that the month does not have.
function dayOf(year: number, month: number, day: number): Days | undefined {
  const first = new Date(Date.UTC(year, month - 1, day))
  if (first.getUTCMonth() !== month - 1 || first.getUTCDate() !== day) return undefined
  return { first: first.toISOString().slice(0, 10), days: 1 }
}

// Returns the day. Without a year, returns the latest such day that is not in the future.
function latestDay(year: string | undefined, month: number, day: number, today: string) {
  if (year !== undefined) return dayOf(Number(year), month, day)
  const thisYear = dayOf(Number(today.slice(0, 4)), month, day)
  if (thisYear && thisYear.first <= today) return thisYear
  return dayOf(Number(today.slice(0, 4)) - 1, month, day)
}

const monthOf = (name = '') => MONTHS.indexOf(name.toLowerCase().slice(0, 3)) + 1

const FORMS: readonly Form[] = [
  { pattern: /today/, read: (_, today) => ({ first: today, days: 1 }) },
  { pattern: /yesterday/, read: (_, today) => ({ first: daysBefore(today, 1), days: 1 }) },
  {
    pattern: /(?:last|past) ([0-9]{1,3}) days/,
    read: ([, count], today) => {
      const days = Number(count)
      if (days < 1 || days > DAYS_MAX) return undefined
      return { first: daysBefore(today, days - 1), days }
    },
  },
  {
    pattern: /(this|last) week/,
    read: ([, which], today) => {
      const monday = daysBefore(today, (weekday(today) + 6) % 7)
      return { first: which === 'this' ? monday : daysBefore(monday, 7), days: 7 }
    },
  },
  {
    pattern: /(this|last) month/,
    read: ([, which], today) => {
      const [year = 0, month = 0] = today.split('-').map(Number)
      const firstMs = Date.UTC(year, which === 'this' ? month - 1 : month - 2, 1)
      const first = new Date(firstMs).toISOString().slice(0, 10)
      const days = new Date(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5, 7)), 0))
      return { first, days: days.getUTCDate() }
    },
  },
  {
    pattern: new RegExp(`(?:last )?(${WEEKDAYS.join('|')})day`),
    read: ([text, name = ''], today) => {
      const back = (weekday(today) - WEEKDAYS.indexOf(name) + 7) % 7
      const isBefore = text.startsWith('last') && back === 0
      return { first: daysBefore(today, isBefore ? 7 : back), days: 1 }
    },
  },
  {
    pattern: /([0-9]{4})-([0-9]{2})-([0-9]{2})/,
    read: ([, year, month, day]) => dayOf(Number(year), Number(month), Number(day)),
  },
  {
    pattern: /([0-9]{1,2})\/([0-9]{1,2})(?:\/([0-9]{4}))?/,
    read: ([, day, month, year], today) => latestDay(year, Number(month), Number(day), today),
  },
  {
    pattern: new RegExp(`([0-9]{1,2})(?:st|nd|rd|th)? ${MONTH}(?:,? ([0-9]{4}))?`),
    read: ([, day, month, year], today) => latestDay(year, monthOf(month), Number(day), today),
  },
  {
    pattern: new RegExp(`${MONTH} ([0-9]{1,2})(?:st|nd|rd|th)?(?:,? ([0-9]{4}))?`),
    read: ([, month, day, year], today) => latestDay(year, monthOf(month), Number(day), today),
  },
]

const KINDS: readonly [RegExp, readonly HitType[]][] = [
  [/payments?/, ['payment', 'advice']],
  [/(?:payment )?requests?/, ['advice']],
  [/(?:credits?|transfers?)/, ['credit']],
  [/payouts?/, ['payout']],
  [/settlements?/, ['settlement']],
  // Also searches payments and credits, which can be refunded.
  [/refund(?:s|ed)?/, ['refund', 'payment', 'credit']],
]

// Returns undefined if the text names neither a day nor a kind.
export function readPhrase(text: string, now: Date): Phrase | undefined {
  const { rest: afterDay, period } = takeDay(text, now)
  const { rest, types } = takeKind(afterDay)
  return period || types ? { rest, period, types } : undefined
}

function takeDay(text: string, now: Date) {
  const today = watDay(now)
  for (const { pattern, read } of FORMS) {
    const match = asWords(pattern, '(?:on |from )?').exec(text)
    const days = match && read(withoutWhole(match, pattern), today)
    if (days) return { rest: without(text, match), period: windowOf(days) }
  }
  return { rest: text, period: undefined }
}

function takeKind(text: string) {
  for (const [pattern, types] of KINDS) {
    const match = asWords(pattern).exec(text)
    if (match) return { rest: without(text, match), types }
  }
  return { rest: text, types: undefined }
}

const asWords = ({ source }: RegExp, before = '') =>
  new RegExp(`(?<![^\\s])${before}(?:${source})(?![^\\s])`, 'i')

// Matches again, in lower case and without the preposition, so that the groups of `source` are numbered
// from 1.
function withoutWhole(match: RegExpExecArray, { source }: RegExp): RegExpExecArray {
  return new RegExp(source).exec(match[0].toLowerCase()) as RegExpExecArray
}

function without(text: string, { index, 0: found }: RegExpExecArray): string {
  return `${text.slice(0, index)} ${text.slice(index + found.length)}`
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function windowOf({ first, days }: Days): Window {
  const from = watDayStart(new Date(`${first}T12:00:00Z`))
  return { from, to: new Date(from.getTime() + days * DAY_MS) }
}

export function readPhraseTerm({ rest, period, types }: Phrase): Term {
  const nothing = {
    prefix: undefined,
    ownPrefix: undefined,
    creditId: undefined,
    digits: undefined,
  }
  return { text: rest, ...nothing, amountKobo: readAmount(rest), period, types }
}

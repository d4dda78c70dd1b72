// Reads a search phrase that names a day or a kind of object: `12,500 yesterday`, `ada last week`,
// `refund 3 Nov`, `settlement`. Days are in West Africa Time, and numeric dates have the day first.

import { DAY_MS, watDay, watDayStart } from '#clock.ts'
import type { Window } from '#db/bounds.ts'
import { type HitType, readAmount, type Term } from './search-hits.ts'

type Phrase = {
  rest: string // The text without the day and the kind: an amount, a name, or nothing.
  period: Window | undefined
  types: readonly HitType[] | undefined // undefined means every kind.
}

const LAST_DAYS_MAX = 400
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*'
const WEEKDAYS = ['sun', 'mon', 'tues', 'wednes', 'thurs', 'fri', 'satur']

type Days = { first: string; days: number }
type DayForm = {
  pattern: RegExp
  read: (match: RegExpExecArray, today: string) => Days | undefined
}

const daysBefore = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)

const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()

// Returns one day, or undefined if the month does not have that day.
function toDay(year: number, month: number, day: number): Days | undefined {
  const first = new Date(Date.UTC(year, month - 1, day))
  if (first.getUTCMonth() !== month - 1 || first.getUTCDate() !== day) return undefined
  return { first: first.toISOString().slice(0, 10), days: 1 }
}

// Returns the day. Without a year, returns the latest day of that month and number that is not in the future.
function latestDay(year: string | undefined, month: number, day: number, today: string) {
  if (year !== undefined) return toDay(Number(year), month, day)
  const thisYear = toDay(Number(today.slice(0, 4)), month, day)
  if (thisYear && thisYear.first <= today) return thisYear
  return toDay(Number(today.slice(0, 4)) - 1, month, day)
}

const monthOf = (name = '') => MONTHS.indexOf(name.toLowerCase().slice(0, 3)) + 1

// The ways to name a day or several days. The first form that matches decides.
const DAY_FORMS: readonly DayForm[] = [
  { pattern: /today/, read: (_, today) => ({ first: today, days: 1 }) },
  { pattern: /yesterday/, read: (_, today) => ({ first: daysBefore(today, 1), days: 1 }) },
  {
    pattern: /(?:last|past) ([0-9]{1,3}) days/,
    read: ([, count], today) => {
      const days = Number(count)
      if (days < 1 || days > LAST_DAYS_MAX) return undefined
      return { first: daysBefore(today, days - 1), days }
    },
  },
  {
    pattern: /(this|last) week/,
    read: ([, which], today) => {
      // getUTCDay() counts from Sunday; plus 6, modulo 7, it is the number of days since Monday.
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
      // Day 0 of the next month is the last day of this month.
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
    read: ([, year, month, day]) => toDay(Number(year), Number(month), Number(day)),
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

// The words for kinds of objects. The first one that matches decides.
const KIND_WORDS: readonly [RegExp, readonly HitType[]][] = [
  [/payments?/, ['payment', 'advice']],
  [/(?:payment )?requests?/, ['advice']],
  [/(?:credits?|transfers?)/, ['credit']],
  [/payouts?/, ['payout']],
  [/settlements?/, ['settlement']],
  // Also searches payments and credits, which can be refunded.
  [/refund(?:s|ed)?/, ['refund', 'payment', 'credit']],
]

// Splits a search text into a day, a kind of object and the rest. Returns undefined if it names neither a day
// nor a kind.
export function readPhrase(text: string, now: Date): Phrase | undefined {
  const { rest: afterDay, period } = takeDay(text, now)
  const { rest, types } = takeKind(afterDay)
  return period || types ? { rest, period, types } : undefined
}

// Splits the text into a day and the rest.
function takeDay(text: string, now: Date) {
  const today = watDay(now)
  for (const { pattern, read } of DAY_FORMS) {
    const match = matchWholeWords(pattern, '(?:on |from )?').exec(text)
    const days = match && read(matchGroups(match, pattern), today)
    if (days) return { rest: removeMatch(text, match), period: toWindow(days) }
  }
  return { rest: text, period: undefined }
}

// Splits the text into a kind and the rest.
function takeKind(text: string) {
  for (const [pattern, types] of KIND_WORDS) {
    const match = matchWholeWords(pattern).exec(text)
    if (match) return { rest: removeMatch(text, match), types }
  }
  return { rest: text, types: undefined }
}

// Makes a pattern match only between spaces or the ends of the text, with an optional word before it.
const matchWholeWords = ({ source }: RegExp, before = '') =>
  new RegExp(`(?<![^\\s])${before}(?:${source})(?![^\\s])`, 'i')

// Matches once more the text that matchWholeWords() has found, in lower case and by `source` alone, so that
// the groups of `source` are numbered from 1.
function matchGroups(match: RegExpExecArray, { source }: RegExp): RegExpExecArray {
  return new RegExp(source).exec(match[0].toLowerCase()) as RegExpExecArray
}

// Cuts the match out of the text.
function removeMatch(text: string, { index, 0: matched }: RegExpExecArray): string {
  return `${text.slice(0, index)} ${text.slice(index + matched.length)}`
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function toWindow({ first, days }: Days): Window {
  const from = watDayStart(new Date(`${first}T12:00:00Z`)) // Noon in UTC is on the same day in Lagos.
  return { from, to: new Date(from.getTime() + days * DAY_MS) }
}

// Turns a phrase into a search term: it has an amount, a period and kinds, but no references.
export function readPhraseTerm({ rest, period, types }: Phrase): Term {
  const nothing = {
    prefix: undefined,
    ownPrefix: undefined,
    creditId: undefined,
    digits: undefined,
  }
  return { text: rest, ...nothing, amountKobo: readAmount(rest), period, types }
}

// Finds the kind of a statement line, cleans its texts and reads its days. The narration decides the kind:
// the first pattern that matches.
//
// Incoming money is a credit whatever its narration says, because the payer wrote it ("school fees"). Only
// sweeps and returns, whose narration the bank writes, are recognised in both directions.

import { isSessionId } from '#banks/nuban.ts'
import type { LineKind } from './statement.ts'

export type KindRule = { kind: LineKind; pattern: RegExp }

const KINDS_OF_BOTH_DIRECTIONS: readonly LineKind[] = ['sweep', 'return']

// The Electronic Money Transfer Levy, which replaced stamp duty on transfers, under the names that
// banks give it: EMTL, EMT LEVY, FGN EMT LEVY, E-LEVY, STAMPDUTY.
const APART = '[ ._/-]*'
const LEVY = [
  `stamp${APART}dut(?:y|ies)`,
  'emtl',
  `emt${APART}(?:levy|charge|duty)`,
  `e${APART}levy`,
  `money${APART}transfer${APART}levy`,
  `fgn${APART}(?:levy|duty)`,
].join('|')
const STAMP_DUTY = new RegExp(`(?<![a-z])(?:${LEVY})(?![a-z])`, 'i')
const STAMP_DUTY_FIRST = new RegExp(
  `^(?:(?:fgn|cbn|firs|nip|nibss|electronic|being|dr|debit)${APART})*(?:${LEVY})(?![a-z])`,
  'i',
)

// This rule is also tried after the patterns of a profile. Without it, a levy that the profile does not know
// would look like a partial reversal of the credit.
export const STAMP_DUTY_RULE: KindRule = { kind: 'stamp_duty', pattern: STAMP_DUTY }

// Returns whether the narration begins with a name of the levy. Such a narration was written by the bank and
// not by a payer, even if it goes on with the words of the transfer that the levy is for.
export function beginsWithStampDuty(narration: string | null): boolean {
  return narration !== null && STAMP_DUTY_FIRST.test(narration)
}

// The usual narrations of Nigerian banks. A profile may replace these patterns.
export const DEFAULT_KINDS: readonly KindRule[] = [
  { kind: 'sweep', pattern: /^(?:auto(?:matic)? )?sweep\b/i },
  { kind: 'return', pattern: /^(?:rtn|returned?)\b/i },
  { kind: 'payout', pattern: /^(?:nip|neft|rtgs|trf|transfer)\b.{0,20}\bto\b/i },
  STAMP_DUTY_RULE,
  { kind: 'fee', pattern: /\b(?:charges?|fees?|comm(?:ission)?) ?(?:\+|&|and|incl\w*) ?vat\b/i },
  { kind: 'vat', pattern: /\b(?:vat|value added tax)\b/i },
  {
    kind: 'fee',
    pattern: /\b(?:charges?|chrgs?|chgs?|fees?|comm|commission|cot|camf|sms alerts?)\b/i,
  },
]

// Returns the kind of a line by its narration.
export function kindOf(
  line: { isCredit: boolean; isReversal: boolean; narration: string | null },
  rules: readonly KindRule[] = DEFAULT_KINDS,
): LineKind {
  const { isCredit, isReversal, narration } = line
  // A reversed fee is incoming money but still a fee, so a reversal may have any kind.
  const mayBeAnyKind = !isCredit || isReversal
  const rule = rules.find(
    ({ kind, pattern }) =>
      (mayBeAnyKind || KINDS_OF_BOTH_DIRECTIONS.includes(kind)) &&
      narration !== null &&
      pattern.test(narration),
  )
  return rule?.kind ?? (isCredit ? 'credit' : 'other')
}

// The texts of a line are cleaned before they are stored: one line, no control characters, a limited length.

export const NARRATION_MAX = 1000
export const REFERENCE_MAX = 140

// Matches texts that need cleaning, by the same characters as SPACES. Written out, because a pattern without
// `u` takes half the time.
const UNCLEAN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\s\s|^\s|\s$/
const SPACES = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
// A session id of NIP, anywhere in a text.
const NIP_SESSION_ID = /(?<![0-9])[0-9]{30}(?![0-9])/
// One of our account numbers, if the bank's own words introduce it. Any other ten digits may be an account of
// the payer.
const ACCOUNT_NUMBER =
  /\b(?:to|into|credit(?:ed)?)(?: (?:account|acct|a\/c))?[: ]{1,2}([0-9]{10})(?![0-9])/i
const PLACEHOLDER = /^(?:not ?provided|nonref|none|n\/?a|unknown|null|-+)$/i

// Returns the text on one line, cut to `max` characters; null if nothing is left.
export function cleanText(text: string | undefined, max: number): string | null {
  if (text === undefined || text === '') return null
  const clean = UNCLEAN.test(text) ? text.replace(SPACES, ' ').trim() : text
  if (clean === '') return null
  return clean.length > max ? clean.slice(0, max).toWellFormed() : clean
}

// Returns a reference, or null for a placeholder that a bank writes if there is none. Removes the apostrophe
// that spreadsheets put before long numbers.
export function cleanReference(text: string | undefined): string | null {
  const clean = cleanText(text?.startsWith("'") ? text.slice(1) : text, REFERENCE_MAX)
  return clean === null || PLACEHOLDER.test(clean) ? null : clean
}

// Returns a session id that a column or pattern of the profile gives, or null if it cannot be one.
export function cleanSessionId(text: string | undefined): string | null {
  const clean = cleanReference(text)
  return clean !== null && isSessionId(clean) ? clean : null
}

// Finds a session id of NIP anywhere in the texts.
export function findSessionId(...texts: readonly (string | null | undefined)[]): string | null {
  for (const text of texts) {
    const sessionId = text ? NIP_SESSION_ID.exec(text)?.[0] : undefined
    if (sessionId) return sessionId
  }
  return null
}

// Finds the number that the money was sent to, if the bank's words introduce it.
export function findAccountNumber(narration: string | null): string | null {
  return (narration && ACCOUNT_NUMBER.exec(narration)?.[1]) ?? null
}

// Days are read by a format that the profile names, such as dd-MMM-yyyy or MM/dd/yyyy HH:mm:ss. The order of
// day and month is never guessed.

const MONTHS: readonly string[] = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

const TOKENS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>[0-9]{4})',
  yy: '(?<year>[0-9]{2})',
  MMMM: '(?<month>[A-Za-z]{3,9})',
  MMM: '(?<month>[A-Za-z]{3})',
  MM: '(?<month>[0-9]{2})',
  M: '(?<month>[0-9]{1,2})',
  dd: '(?<day>[0-9]{2})',
  d: '(?<day>[0-9]{1,2})',
  HH: '[0-2][0-9]',
  H: '[0-2]?[0-9]',
  hh: '[01][0-9]',
  h: '[01]?[0-9]',
  mm: '[0-5][0-9]',
  ss: '[0-5][0-9]',
  SSS: '[0-9]{1,9}',
  a: '[AaPp]\\.?[Mm]\\.?',
}
const TOKEN = /yyyy|yy|MMMM|MMM|MM|M|dd|d|HH|H|hh|h|mm|ss|SSS|a|T|[^A-Za-z]|[A-Za-z]/g
const YEAR_MIN = 1990
const YEAR_MAX = 2089 // Two-digit years from 90 to 99 are in the last century.

// Returns the pattern of a date format. Returns undefined if the format has a letter that is no token of a
// date, other than the T before a time, or unless it has day, month and year exactly once each.
export function datePattern(format: string): RegExp | undefined {
  const tokens = format.match(TOKEN) ?? []
  const parts = tokens.map((token) => {
    if (Object.hasOwn(TOKENS, token)) return TOKENS[token]
    if (/^[A-SU-Za-z]$/.test(token)) return undefined
    return token.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  })
  if (parts.includes(undefined)) return undefined
  const source = parts.join('')
  const isWhole = ['year', 'month', 'day'].every((name) => source.split(`<${name}>`).length === 2)
  return isWhole ? new RegExp(`^${source}$`) : undefined
}

// Returns a function that reads a day by the first format that fits, as yyyy-MM-dd. The function returns
// undefined if no format fits or the month has no such day. `makeDay` decides which days exist: valueDayOf()
// for value days, else dayOf().
export function dayReader(
  formats: readonly string[],
  makeDay = dayOf,
): (text: string) => string | undefined {
  const patterns = formats.flatMap((format) => datePattern(format) ?? [])
  let [lastText, lastDay]: [string | undefined, string | undefined] = [undefined, undefined]
  return (text) => {
    // Reuses the last result, because a statement repeats each of its days thousands of times.
    if (text !== lastText) {
      lastText = text
      lastDay = patterns
        .map((pattern) => readDay(pattern, text, makeDay))
        .find((day) => day !== undefined)
    }
    return lastDay
  }
}

// Reads a day by one format.
function readDay(pattern: RegExp, text: string, makeDay: typeof dayOf): string | undefined {
  const groups = pattern.exec(text)?.groups
  if (!groups) return undefined
  const { year = '', month = '', day = '' } = groups
  return makeDay(fullYear(year), monthOf(month), Number(day))
}

// Returns the year of two or four digits as a number: 89 is 2089, and 90 is 1990.
export function fullYear(year: string): number {
  if (year.length !== 2) return Number(year)
  return Number(year) + (Number(year) >= YEAR_MIN % 100 ? 1900 : 2000)
}

// Returns the day as yyyy-MM-dd, or undefined if there is no such day.
export function dayOf(year: number, month: number, day: number): string | undefined {
  if (year < YEAR_MIN || year > YEAR_MAX) return undefined
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return date.toISOString().slice(0, 10)
}

const FEBRUARY = 2

// Like dayOf(), for value days. Banks that count interest by months of 30 days write 29 and 30 February. Both
// mean the last day of February.
export function valueDayOf(year: number, month: number, day: number): string | undefined {
  const isThirtyDayFebruary = month === FEBRUARY && (day === 29 || day === 30)
  return (
    dayOf(year, month, day) ?? (isThirtyDayFebruary ? valueDayOf(year, month, day - 1) : undefined)
  )
}

// Returns the number of a month, written as a number or by its English name; 0 for an unknown name.
function monthOf(month: string): number {
  if (/^[0-9]+$/.test(month)) return Number(month)
  const name = month.toLowerCase()
  return MONTHS.findIndex((full) => name === full || name === full.slice(0, 3)) + 1
}

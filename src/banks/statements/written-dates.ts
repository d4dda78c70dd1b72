// Days as banks write them, by a format such as dd-MMM-yyyy or MM/dd/yyyy HH:mm:ss. The order of day
// and month is never guessed.

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
const YEAR_MAX = 2089 // Two digits: 90 to 99 are of the last century.

// Undefined when the text names no day, year and month, or each more than once.
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

// yyyy-MM-dd, by the first format that fits; undefined when none does, or the month has no such day.
export function dayReader(
  formats: readonly string[],
  toDay = dayOf,
): (text: string) => string | undefined {
  const patterns = formats.flatMap((format) => datePattern(format) ?? [])
  let [lastText, lastDay]: [string | undefined, string | undefined] = [undefined, undefined]
  return (text) => {
    // A statement repeats each of its days thousands of times.
    if (text !== lastText) {
      lastText = text
      lastDay = patterns
        .map((pattern) => readDay(pattern, text, toDay))
        .find((day) => day !== undefined)
    }
    return lastDay
  }
}

function readDay(pattern: RegExp, text: string, toDay: typeof dayOf): string | undefined {
  const groups = pattern.exec(text)?.groups
  if (!groups) return undefined
  const { year = '', month = '', day = '' } = groups
  return toDay(fullYear(year), monthOf(month), Number(day))
}

export function fullYear(year: string): number {
  if (year.length !== 2) return Number(year)
  return Number(year) + (Number(year) >= YEAR_MIN % 100 ? 1900 : 2000)
}

export function dayOf(year: number, month: number, day: number): string | undefined {
  if (year < YEAR_MIN || year > YEAR_MAX) return undefined
  const at = new Date(Date.UTC(year, month - 1, day))
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined
  return at.toISOString().slice(0, 10)
}

const FEBRUARY = 2

// Banks that count interest by months of 30 days write 29 and 30 February: its last day.
export function valueDayOf(year: number, month: number, day: number): string | undefined {
  const isOfLongMonth = month === FEBRUARY && (day === 29 || day === 30)
  return dayOf(year, month, day) ?? (isOfLongMonth ? valueDayOf(year, month, day - 1) : undefined)
}

function monthOf(month: string): number {
  if (/^[0-9]+$/.test(month)) return Number(month)
  const name = month.toLowerCase()
  return MONTHS.findIndex((full) => name === full || name === full.slice(0, 3)) + 1
}

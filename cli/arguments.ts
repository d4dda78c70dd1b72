// Checks of amounts, counts and numbers before anything is sent. Invalid values are usage errors.

import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { CliProblem, EXIT } from './problems.ts'

const LIMIT_MAX = 100_000
const PLAIN_TEXT = /^(?=[\s\S]*\S)[^\p{Cc}\p{Cs}]*$/u
const EMAIL = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+\.[^\s@.\p{Cc}\p{Cs}]+$/u
const EMAIL_LENGTH_MAX = 254
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/

export function parseAmount(text: string): string {
  // The second pattern refuses an amount of zero.
  const isAmount = /^(?:0|[1-9][0-9]{0,13})(?:\.[0-9]{1,2})?$/.test(text) && /[1-9]/.test(text)
  if (!isAmount)
    throw new InvalidArgumentError(
      'It is an amount in naira, such as 6000 or 6000.50: digits only, and at most 10000000000000.',
    )
  return text
}

export function parseAccountNumber(text: string): string {
  if (!/^[0-9]{10}$/.test(text)) throw new InvalidArgumentError('Account numbers have 10 digits.')
  return text
}

export function parseLimit(text: string): number {
  return parseWhole(text, 1, LIMIT_MAX)
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => parseWhole(text, min, max)
}

function parseWhole(text: string, min: number, max: number): number {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`)
}

export function parseHttpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError('It is a URL, such as http://localhost:3000/hook.')
}

// Collects the values of an option that is repeated, or has values separated by commas.
export function collect(
  text: string,
  before: readonly string[] = [],
  choices?: readonly string[],
): readonly string[] {
  const values = text.split(',').flatMap((part) => part.trim() || [])
  if (values.length === 0) throw new InvalidArgumentError('It needs at least one value.')
  if (choices && !values.every((value) => choices.includes(value))) {
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
  }
  return [...before, ...values]
}

// Returns a parser for an option's text of up to `max` characters.
export function plainText(max: number): (text: string) => string {
  return (text) => {
    if (text.length <= max && PLAIN_TEXT.test(text)) return text
    throw new InvalidArgumentError(`It has 1 to ${max} characters, and no control characters.`)
  }
}

export function parseClientId(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$/.test(text)) return text
  throw new InvalidArgumentError('It has 3 to 40 letters, digits, - or _.')
}

export function parseEmail(text: string): string {
  if (text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text)) return text
  throw new InvalidArgumentError('It is an email address.')
}

// Parses a time. A zone is required, so that the time is unambiguous.
export function parseTime(text: string): Date {
  const time = new Date(TIME.test(text) ? text : Number.NaN)
  if (!Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError('It is a time with its zone, such as 2026-11-16T10:00:00Z.')
}

// Reads the fields of a request from a file, or from standard input for "-". Without a file there are none.
export function readBody(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {}
  const text = readOrRefuse(file)
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return body as Record<string, unknown>
    }
  } catch {
    // Text that is not JSON is reported below, like JSON that is not an object.
  }
  throw new CliProblem(
    `${file === '-' ? 'Standard input' : file} is not a JSON object.`,
    EXIT.usage,
  )
}

function readOrRefuse(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8') // 0 is standard input.
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliProblem(`Cannot read ${file} (${code}).`, EXIT.usage)
  }
}

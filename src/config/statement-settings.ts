// A bank's statements: their format, their account, and when they are due.

import { STATEMENT_FORMATS, type StatementFormat } from '#banks/statements/statement.ts'
import type { Report } from './setting-parsers.ts'

export type StatementSettings = {
  readonly statements?:
    | {
        readonly format?: StatementFormat | undefined
        readonly profile?: string | undefined // For CSV.
        readonly accountNumber?: string | undefined // In the bank's spelling.
        readonly timingDays?: number | undefined
        readonly expectedAt?: string | undefined // On the next day, in West Africa.
      }
    | undefined
}

export const TIMING_DAYS_DEFAULT = 2
export const EXPECTED_AT_DEFAULT = '12:00'
const TIMING_DAYS_MAX = 30
const PROFILE = /^[a-z0-9][a-z0-9-]{0,39}$/
const ACCOUNT_NUMBER = /^[A-Za-z0-9][A-Za-z0-9 /-]{3,38}$/
const TIME = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/

type Check = (value: unknown) => boolean
const text = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value)

const CHECKS: Readonly<Record<string, readonly [check: Check, what: string]>> = {
  format: [
    (value) => STATEMENT_FORMATS.some((format) => format === value),
    `one of ${STATEMENT_FORMATS.join(', ')}`,
  ],
  profile: [text(PROFILE), 'the name of a statement profile'],
  accountNumber: [text(ACCOUNT_NUMBER), '4 to 39 letters, digits, spaces, hyphens and slashes'],
  timingDays: [
    (value) =>
      typeof value === 'number' &&
      Number.isInteger(value) &&
      value >= 0 &&
      value <= TIMING_DAYS_MAX,
    `a whole number from 0 to ${TIMING_DAYS_MAX}`,
  ],
  expectedAt: [text(TIME), 'a time such as "12:00"'],
}

export function checkStatements(settings: unknown, report: Report): void {
  if (settings === undefined) return
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    report('statements must be an object')
    return
  }
  for (const [field, value] of Object.entries(settings)) {
    const check = CHECKS[field]
    if (!check) report(`statements has unknown field ${JSON.stringify(field)}`)
    else if (!check[0](value)) report(`statements.${field} must be ${check[1]}`)
  }
}

// Reads CSV profiles: a JSON file describes how a bank writes its statements as CSV
// (docs/statement-formats.md explains the fields). A profile is checked completely before it is used. Each
// problem is reported as a sentence.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ENCODINGS, type Encoding } from './decode.ts'
import { DEFAULT_KINDS, datePattern, type KindRule, STAMP_DUTY_RULE } from './lines.ts'
import { LINE_KINDS } from './statement.ts'

type JsonObject = Readonly<Record<string, unknown>>

const LIST_MAX = 50
const PATTERN_MAX = 500

// Reads the fields of a profile one by one, and collects the problems. An invalid field gets a placeholder
// value, so that the other fields are checked too.
class ProfileFields {
  readonly problems: string[] = []
  readonly #values: JsonObject
  readonly #readNames = new Set<string>() // Any other name in the file is a mistake.

  constructor(input: unknown) {
    this.#values = isRecord(input) ? input : {}
    if (!isRecord(input)) this.problems.push('The profile must be a JSON object.')
  }

  // Reads a text that must match the pattern.
  text(name: string, shape: { pattern: RegExp; what: string; fallback?: string }): string {
    const value = this.#read(name) ?? shape.fallback
    if (typeof value === 'string' && shape.pattern.test(value)) return value
    this.#report(name, value === undefined ? 'is missing' : `must be ${shape.what}`)
    return ''
  }

  // Reads a field that may be null. An absent field has the usual value.
  optional(name: string, usual: string, read: () => string): string | null {
    const value = this.#read(name)
    if (value === undefined) return usual
    return value === null ? null : read()
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback: T | undefined): T {
    const value = this.#read(name) ?? fallback
    const choice = choices.find((allowed) => allowed === value)
    if (!choice) this.#report(name, `must be one of: ${choices.join(', ')}`)
    return choice ?? (choices[0] as T)
  }

  whole(name: string, bounds: { least: number; most: number }, fallback: number): number {
    const value = this.#read(name) ?? fallback
    const { least, most } = bounds
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) {
      return Number(value)
    }
    this.#report(name, `must be a whole number from ${least} to ${most}`)
    return fallback
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.#read(name) ?? fallback
    if (typeof value !== 'boolean') this.#report(name, 'must be true or false')
    return value === true
  }

  // Reads a list of texts, each of which must pass the check.
  texts(name: string, isRight: (text: string) => boolean): readonly string[] {
    const texts = this.#list(name)
    for (const text of texts) {
      if (typeof text === 'string' && isRight(text)) continue
      this.#report(name, `has ${JSON.stringify(text)}, which cannot be used`)
    }
    if (texts.length === 0) this.#report(name, 'must have at least one')
    return texts.filter((text) => typeof text === 'string')
  }

  // Reads where each column is: under a header, or at a place from 1.
  columns<T extends string>(name: string, allowed: readonly T[]) {
    return this.#entries(name, allowed, (value, field) => {
      const isPlace = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 200
      const isHeader = typeof value === 'string' && value.trim() !== '' && value.length <= 100
      if (isPlace || isHeader) return value as string | number
      this.#report(field, 'must be a header or a number from 1 to 200')
      return undefined
    })
  }

  // Reads a pattern for each label. Its group `value` is the value if both are in one cell.
  labels<T extends string>(name: string, allowed: readonly T[]) {
    return this.#entries(name, allowed, (value, field) => this.#pattern(value, field, ['value']))
  }

  // Reads the texts that mean credit or debit. They are compared in upper case.
  indicators(name: string): { credit: readonly string[]; debit: readonly string[] } {
    // The texts of each direction that the profile names.
    const namedTexts = this.#entries(name, ['credit', 'debit'] as const, (value, field) => {
      const isTextList = Array.isArray(value) && value.every((text) => typeof text === 'string')
      if (!isTextList) this.#report(field, 'must be a list of texts')
      return isTextList ? (value as string[]).map((text) => text.toUpperCase()) : undefined
    })
    return {
      credit: namedTexts.credit ?? ['C', 'CR', 'CREDIT'],
      debit: namedTexts.debit ?? ['D', 'DR', 'DEBIT'],
    }
  }

  patterns(name: string, groups: readonly string[] = []): readonly RegExp[] {
    return this.#list(name).flatMap((text) => this.#pattern(text, name, groups) ?? [])
  }

  // Reads the rules that decide the kind of a line. An absent field has the usual rules.
  kinds(name: string, usual: readonly KindRule[]): readonly KindRule[] {
    if (this.#read(name) === undefined) return usual
    return this.#list(name).flatMap((rule) => {
      const kind = LINE_KINDS.find((allowed) => isRecord(rule) && allowed === rule.kind)
      if (!isRecord(rule) || !kind) {
        this.#report(name, `must each have a kind, one of: ${LINE_KINDS.join(', ')}`)
        return []
      }
      const pattern = this.#pattern(rule.pattern, `${name}.pattern`, [])
      return pattern ? [{ kind, pattern }] : []
    })
  }

  // Reports unknown fields: a mistyped name would otherwise leave the default in force.
  refuseUnknown(): void {
    for (const name of Object.keys(this.#values)) {
      if (!this.#readNames.has(name)) this.#report(name, 'is unknown')
    }
  }

  // Reads an object that has only the allowed keys, each value by `read`.
  #entries<T extends string, V>(
    name: string,
    allowed: readonly T[],
    read: (value: unknown, field: string) => V | undefined,
  ): Partial<Record<T, V>> {
    const value = this.#read(name) ?? {}
    if (!isRecord(value)) this.#report(name, 'must be an object')
    const entries: Partial<Record<T, V>> = {}
    for (const [key, inner] of isRecord(value) ? Object.entries(value) : []) {
      const field = allowed.find((candidate) => candidate === key)
      if (!field) this.#report(`${name}.${key}`, `is unknown; allowed: ${allowed.join(', ')}`)
      const entry = field && read(inner, `${name}.${key}`)
      if (field && entry !== undefined) entries[field] = entry
    }
    return entries
  }

  // Reads a list; an absent field is an empty list.
  #list(name: string): readonly unknown[] {
    const value = this.#read(name) ?? []
    if (Array.isArray(value) && value.length <= LIST_MAX) return value
    this.#report(name, `must be a list of at most ${LIST_MAX}`)
    return []
  }

  // Reads a regular expression, which may have only these named groups.
  #pattern(value: unknown, field: string, groups: readonly string[]): RegExp | undefined {
    try {
      if (typeof value === 'string' && value !== '' && value.length <= PATTERN_MAX) {
        const named = [...value.matchAll(/\(\?<([A-Za-z]\w*)>/g)].map(([, group]) => group ?? '')
        const unknownGroup = named.find((group) => !groups.includes(group))
        if (unknownGroup === undefined) return new RegExp(value, 'iu')
        const allowed = groups.join(', ') || 'none'
        this.#report(field, `names the group ${JSON.stringify(unknownGroup)}; allowed: ${allowed}`)
        return undefined
      }
    } catch {
      // The text is no regular expression, which is reported below.
    }
    this.#report(field, `must be a regular expression of 1 to ${PATTERN_MAX} characters`)
    return undefined
  }

  #read(name: string): unknown {
    this.#readNames.add(name)
    return this.#values[name]
  }

  #report(field: string, problem: string): void {
    this.problems.push(`${field} ${problem}.`)
  }
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const COLUMNS = [
  'booked',
  'value',
  'amount',
  'debit',
  'credit',
  'indicator',
  'balance',
  'currency',
  'narration',
  'bankReference',
  'endToEndId',
  'sessionId',
  'accountNumber',
  'counterpartyName',
  'counterpartyAccount',
  'counterpartyBank',
] as const
export type Column = (typeof COLUMNS)[number]

const LABELS = ['accountNumber', 'currency', 'opening', 'closing', 'from', 'to'] as const
export type Label = (typeof LABELS)[number]

export type CsvProfile = {
  name: string
  title: string
  delimiter: string
  quote: string | null
  encoding: Encoding
  skippedRows: number
  hasHeader: boolean
  columns: Readonly<Partial<Record<Column, string | number>>> // A header, or a place from 1.
  dateFormats: readonly string[]
  decimalMark: string
  thousandsMark: string | null
  currency: string
  sign: 'credit_positive' | 'debit_positive'
  isDebitNegative: boolean
  indicators: { credit: readonly string[]; debit: readonly string[] }
  balances: 'running' | 'labelled' | 'none'
  labels: Readonly<Partial<Record<Label, RegExp>>>
  isNewestFirst: boolean
  ignoredRows: readonly RegExp[]
  narrationPatterns: readonly RegExp[]
  reversals: readonly RegExp[]
  kinds: readonly KindRule[]
}

const NARRATION_GROUPS: readonly string[] = [
  'sessionId',
  'bankReference',
  'endToEndId',
  'accountNumber',
  'counterpartyName',
  'counterpartyAccount',
  'counterpartyBank',
]

// Reads a profile, or returns all its problems.
export function readProfile(input: unknown): { profile: CsvProfile } | { problems: string[] } {
  const fields = new ProfileFields(input)
  const profile: CsvProfile = {
    name: fields.text('name', {
      pattern: /^[a-z0-9][a-z0-9-]{0,39}$/,
      what: 'at most 40 small letters, digits and hyphens',
    }),
    title: fields.text('title', { pattern: /^.{1,100}$/, what: 'text of 1 to 100 characters' }),
    delimiter: fields.text('delimiter', {
      pattern: /^[,;|\t]$/,
      what: 'a comma, semicolon, bar or tab',
      fallback: ',',
    }),
    quote: fields.optional('quote', '"', () =>
      fields.text('quote', { pattern: /^["']$/, what: 'a double or single quote, or null' }),
    ),
    encoding: fields.choice('encoding', ENCODINGS, 'utf-8'),
    skippedRows: fields.whole('skippedRows', { least: 0, most: 1000 }, 0),
    hasHeader: fields.flag('hasHeader', true),
    columns: fields.columns('columns', COLUMNS),
    dateFormats: fields.texts('dateFormats', (text) => datePattern(text) !== undefined),
    decimalMark: fields.text('decimalMark', {
      pattern: /^[.,]$/,
      what: 'a point or a comma',
      fallback: '.',
    }),
    thousandsMark: fields.optional('thousandsMark', ',', () =>
      fields.text('thousandsMark', {
        pattern: /^[., '\u00a0\u202f]$/,
        what: 'a point, comma, apostrophe or space, or null',
      }),
    ),
    currency: fields.text('currency', {
      pattern: /^[A-Z]{3}$/,
      what: 'a code of three letters',
      fallback: 'NGN',
    }),
    sign: fields.choice('sign', ['credit_positive', 'debit_positive'], 'credit_positive'),
    isDebitNegative: fields.flag('isDebitNegative', false),
    indicators: fields.indicators('indicators'),
    balances: fields.choice('balances', ['running', 'labelled', 'none'], undefined),
    labels: fields.labels('labels', LABELS),
    isNewestFirst: fields.flag('isNewestFirst', false),
    ignoredRows: fields.patterns('ignoredRows'),
    narrationPatterns: fields.patterns('narrationPatterns', NARRATION_GROUPS),
    reversals: fields.patterns('reversals'),
    kinds: [...fields.kinds('kinds', DEFAULT_KINDS), STAMP_DUTY_RULE],
  }
  fields.refuseUnknown()
  if (fields.problems.length === 0) fields.problems.push(...findContradictions(profile))
  return fields.problems.length > 0 ? { problems: fields.problems } : { profile }
}

// Returns the problems of fields that are valid but do not fit together.
function findContradictions(profile: CsvProfile): string[] {
  const { columns, labels, balances, hasHeader } = profile
  const has = (column: Column) => columns[column] !== undefined
  const isNamed = Object.values(columns).some((column) => typeof column === 'string')
  const hasBothSides = has('debit') && has('credit')
  const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [!has('booked'), 'columns.booked is missing: the column of the booking date.'],
    [
      has('amount') ? has('debit') || has('credit') : !hasBothSides,
      'columns must have either amount, or both debit and credit.',
    ],
    [!has('amount') && has('indicator'), 'columns.indicator needs columns.amount.'],
    [!hasHeader && isNamed, 'Without a header, columns are numbers, from 1.'],
    [balances === 'running' && !has('balance'), 'Running balances need columns.balance.'],
    [
      balances === 'labelled' && (!labels.opening || !labels.closing),
      'Labelled balances need labels.opening and labels.closing.',
    ],
    [
      profile.thousandsMark === profile.decimalMark,
      'decimalMark and thousandsMark must not be the same.',
    ],
  ]
  return checks.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []))
}

// Manilla ships CSV profiles (statement-profiles/). An operator may add a folder of profiles, which replace
// shipped profiles of the same name.
export type LoadedProfile = { profile: CsvProfile; isShipped: boolean }

const SHIPPED = join(import.meta.dirname, '../../../statement-profiles')
const FILE_BYTES_MAX = 65_536

// Loads the shipped profiles and those of the folder, if there is one. Each problem is a sentence that names
// the file.
export function loadProfiles(folder?: string): {
  profiles: ReadonlyMap<string, LoadedProfile>
  problems: readonly string[]
} {
  const problems: string[] = []
  const profiles = new Map<string, LoadedProfile>()
  for (const profile of readFolder(SHIPPED, problems)) {
    profiles.set(profile.name, { profile, isShipped: true })
  }
  if (folder !== undefined) {
    for (const profile of readFolder(folder, problems)) {
      profiles.set(profile.name, { profile, isShipped: false })
    }
  }
  return { profiles, problems }
}

// Reads the profiles of a folder, and adds problems to the list.
function readFolder(folder: string, problems: string[]): CsvProfile[] {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    problems.push(`The folder of statement profiles ${JSON.stringify(folder)} cannot be read.`)
    return []
  }
  return names.sort().flatMap((name) => {
    const result = readFile(join(folder, name))
    if ('profile' in result && `${result.profile.name}.json` === name) return [result.profile]
    const fileProblems = 'problems' in result ? result.problems : ['name must be that of the file.']
    problems.push(...fileProblems.map((problem) => `Statement profile ${name}: ${problem}`))
    return []
  })
}

// Reads one profile, or returns its problems.
function readFile(path: string) {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) {
      return { problems: [`The file is larger than ${FILE_BYTES_MAX} bytes.`] }
    }
    return readProfile(JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, '')))
  } catch (error) {
    const isJson = error instanceof SyntaxError
    return { problems: [isJson ? 'The file is not JSON.' : 'The file cannot be read.'] }
  }
}

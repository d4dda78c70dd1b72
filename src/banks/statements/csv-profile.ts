// How one bank writes its statements as CSV: a JSON file, checked wholly before any statement is
// read with it, with a sentence for each problem (docs/statement-formats.md explains the fields).

import { ProfileFields } from './csv-profile-fields.ts'
import { ENCODINGS, type Encoding } from './decode-text.ts'
import { DEFAULT_KINDS, type KindRule, STAMP_DUTY_RULE } from './line-kinds.ts'
import { datePattern } from './written-dates.ts'

export const COLUMNS = [
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

export const LABELS = ['accountNumber', 'currency', 'opening', 'closing', 'from', 'to'] as const
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

// What a pattern of narrations may name.
export const NARRATION_GROUPS: readonly string[] = [
  'sessionId',
  'bankReference',
  'endToEndId',
  'accountNumber',
  'counterpartyName',
  'counterpartyAccount',
  'counterpartyBank',
]

export function readProfile(given: unknown): { profile: CsvProfile } | { problems: string[] } {
  const fields = new ProfileFields(given)
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
  if (fields.problems.length === 0) fields.problems.push(...contradictions(profile))
  return fields.problems.length > 0 ? { problems: fields.problems } : { profile }
}

function contradictions(profile: CsvProfile): string[] {
  const { columns, labels, balances, hasHeader } = profile
  const has = (column: Column) => columns[column] !== undefined
  const isNamed = Object.values(columns).some((column) => typeof column === 'string')
  const isTwo = has('debit') && has('credit')
  const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [!has('booked'), 'columns.booked is missing: the column of the booking date.'],
    [
      has('amount') ? has('debit') || has('credit') : !isTwo,
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

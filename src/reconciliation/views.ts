// Parameters, request bodies and comparisons that the routes of reconciliation share.

import { Type } from '@fastify/type-provider-typebox'
import { dayAlone } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import { bankCode, named, namedBody, oneOf, REFERENCE, text } from '#http/schemas.ts'
import { type DifferenceId, parseReference, type UserId } from '#ids.ts'
import { CURRENCY } from '#money.ts'
import type { BankAccount } from './banks.ts'
import { ACTIONS, READINGS } from './difference.ts'

export const RECONCILIATION = '/api/v1/operator/reconciliation'

const NOT_A_DAY = 'Must be a day, e.g. 2026-11-15.'

export const Day = (description: string) =>
  Type.String({ maxLength: 10, description, 'x-says': NOT_A_DAY })

export const AccountQuery = {
  bankCode: bankCode('Bank.'),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: `Currency. Default ${CURRENCY}.`,
      'x-says': 'Must be a currency code.',
    }),
  ),
}

// Refuses text that is no day of the calendar. `field` names it in the error.
export function requireDay(field: string, text: string): string {
  if (text.length !== 10 || dayAlone(text) === undefined) throw invalidField(field, NOT_A_DAY)
  return text
}

// Checks that the bank of a query is configured, and fills in the default currency.
export function requireAccount(
  { banks }: { banks: readonly BankSettings[] },
  query: { bankCode: string; currency?: string | undefined },
): BankAccount {
  if (!banks.some(({ code }) => code === query.bankCode)) {
    throw invalidField('bankCode', 'Must be a bank of the settings.')
  }
  return { bankCode: query.bankCode, currency: query.currency ?? CURRENCY }
}

const IDS_MAX = 500
const REASON_MAX = 500
const ID = /^[1-9][0-9]{0,14}$/

export const Reason = text(REASON_MAX, 'Reason, kept with the difference.')

const Action = {
  ...oneOf(
    ACTIONS,
    'book: bring the line into the books. match: confirm the suggested item. note: explain it; it ' +
      'stays in the arithmetic.',
  ),
  'x-says': `Must be one of ${ACTIONS.join(', ')}.`,
}

export const ResolutionRequest = namedBody('ResolutionRequest', {
  action: Action,
  reading: Type.Optional({
    ...oneOf(
      READINGS,
      'To book a debit that is smaller than the credit it names, say what it is. charge: the bank ' +
        'charged it. reversal: the bank took back a part of the credit.',
    ),
    'x-says': `Must be one of ${READINGS.join(', ')}.`,
  }),
  reason: Reason,
})

const Ids = (description: string) =>
  Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: IDS_MAX,
    description,
    'x-says': `Must be a list of 1 to ${IDS_MAX} ids of differences.`,
  })

export const BulkResolutionRequest = namedBody('BulkResolutionRequest', {
  ids: Ids('Differences, each resolved on its own.'),
  action: Action,
  reason: Reason,
})

export const ResolutionResult = named('ResolutionResult', {
  id: Type.Integer(),
  ok: Type.Boolean(),
  code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})

export function requireDifferenceId(id: string): DifferenceId {
  if (!ID.test(id)) throw new Refusal('difference_not_found')
  return BigInt(id) as DifferenceId
}

export const DifferenceOwnerBody = named('DifferenceOwner', {
  id: Type.String(),
  email: Type.String(),
  hasAccess: Type.Boolean({
    description: 'False: disabled, or without access to reconciliation by now.',
  }),
})

export const OwnerName = (description: string) =>
  Type.String({
    pattern: `^(?:me|nobody)$|${REFERENCE}`,
    description,
    'x-says': 'Must be me, nobody, or the ID of a user.',
  })

const owner = OwnerName('me, nobody, or the ID of a user of your client.')

export const AssignmentRequest = namedBody('AssignmentRequest', {
  owner,
  from: Type.Optional(OwnerName('Whose it was when you looked. Refused if it no longer is.')),
})

export const BulkAssignmentRequest = namedBody('BulkAssignmentRequest', {
  ids: Ids('Differences to assign.'),
  owner,
})

// Converts `me`, `nobody` or a user's id from a request to the id of the owner. Returns null for `nobody`.
export function toOwner(name: string, { userId }: Identity): UserId | null {
  if (name === 'nobody') return null
  if (name !== 'me') return parseReference<UserId>(name) as UserId
  if (userId === null) throw new Refusal('people_only')
  return userId
}

// The payer's name on a statement and in the books. Users see the score; no match depends on it.
export type PayerComparison = {
  onStatement: string | null
  inBooks: string | null
  score: number | null
}

const MARKS = /\p{M}/gu
const TITLES = new Set([
  'mr',
  'mrs',
  'ms',
  'miss',
  'dr',
  'chief',
  'alhaji',
  'alhaja',
  'prof',
  'engr',
])

// Returns the words of a name in lower case, without accents and titles.
const wordsOf = (name: string) =>
  name
    .normalize('NFD')
    .replace(MARKS, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !TITLES.has(word))

// Returns a score from 0 to 100: 100 if both names have the same words in any order. Banks cut names and
// write initials, so a word that is the beginning of another scores half. A word that only the longer name
// has costs a quarter of a word that differs.
function compareNames(one: string, other: string): number {
  const [shorter, longer] = [wordsOf(one), wordsOf(other)].sort((a, b) => a.length - b.length) as [
    string[],
    string[],
  ]
  if (shorter.length === 0) return 0
  const unmatched = [...longer]
  let points = 0
  // First takes out equal words, then pairs of which one word is the beginning of the other.
  for (const [isMatch, pointsPerWord] of [
    [(a: string, b: string) => a === b, 1],
    [(a: string, b: string) => a.startsWith(b) || b.startsWith(a), 0.5],
  ] as const) {
    for (let index = shorter.length - 1; index >= 0; index--) {
      const matchIndex = unmatched.findIndex((word) => isMatch(word, shorter[index] as string))
      if (matchIndex < 0) continue
      unmatched.splice(matchIndex, 1)
      shorter.splice(index, 1)
      points += pointsPerWord
    }
  }
  const matched = longer.length - unmatched.length
  // `shorter` now has only its unmatched words.
  const total = matched + shorter.length + Math.max(unmatched.length - shorter.length, 0) / 4
  return Math.round((100 * points) / total)
}

// Returns null if neither side has a name. The score is null unless both sides have one.
export function comparePayers(
  onStatement: string | null | undefined,
  inBooks: string | null | undefined,
): PayerComparison | null {
  if (!onStatement && !inBooks) return null
  const score = onStatement && inBooks ? compareNames(onStatement, inBooks) : null
  return { onStatement: onStatement || null, inBooks: inBooks || null, score }
}

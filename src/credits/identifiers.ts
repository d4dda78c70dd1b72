// Recognises repeated reports of a credit by the bank's identifiers: a session id, a settlement id, or
// another reference of the bank. Any of them shows that the credit was taken before, by whichever route it
// came (I12). The first functions are pure; the others read and write the stored identifiers.

import {
  type GivenIdentifier,
  IDENTIFIER_KINDS,
  type IdentifierKind,
} from '#banks/notifications.ts'
import { PREFIX_SCAN_MAX } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray, unseen } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import {
  type ArrayParameter,
  bool,
  CopyTarget,
  int8,
  text,
  texts,
  unless,
} from '#hot-path/copy-rows.ts'
import type { CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { IncomingCredit, SuspenseReason } from './judge.ts'

export type BankIdentifier = GivenIdentifier & { bankCode: string }
export type IdentifierRow = BankIdentifier & { creditId: CreditId; isFirst: boolean }

export type CreditDecision = {
  creditId: CreditId
  outcome: 'booked' | 'suspended'
  reason: SuspenseReason | null
  suspendedKobo: Kobo
}

export type CreditResult =
  | ({ status: 'taken' | 'duplicate' } & CreditDecision)
  | { status: 'session_reused' }

// A credit that is already in the books, with the answer that its bank got.
export type KnownCredit = CreditDecision & {
  accountNumber: string
  amountKobo: Kobo
  currency: string
  references: string[] // All identifiers, as `kind/value`. All known identifiers of a credit share one list.
}

// Returns the identifiers of a reported credit, each once. Views show the first one with the credit.
export function identifiersOf(credit: IncomingCredit): BankIdentifier[] {
  const { bankCode, sessionId, identifiedBy = 'session_id', isWeak, otherIdentifiers } = credit
  const first = { bankCode, kind: identifiedBy, value: sessionId, ...(isWeak && { isWeak }) }
  if (!otherIdentifiers || otherIdentifiers.length === 0) return [first]
  const identifiers = [first, ...otherIdentifiers.map((other) => ({ ...other, bankCode }))]
  return [
    ...new Map(identifiers.map((identifier) => [identifierName(identifier), identifier])).values(),
  ]
}

// Returns the key of an identifier in maps. Neither bank codes nor kinds contain a slash, so keys are unique.
function identifierName({ bankCode, kind, value }: BankIdentifier): string {
  return `${bankCode}/${kind}/${value}`
}

// Returns the answer to a credit that was taken before, or undefined if the credit is new. All its known
// identifiers must name one credit with the same terms. Bank charges are not compared, because not every
// route reports them.
export function recognise(
  byIdentifier: ReadonlyMap<string, KnownCredit>,
  credit: IncomingCredit,
  identifiers: readonly BankIdentifier[],
): CreditResult | undefined {
  const matches: KnownCredit[] = []
  for (const identifier of identifiers) {
    const match = byIdentifier.get(identifierName(identifier))
    if (match && !(identifier.isWeak && isOtherCredit(match, identifiers))) matches.push(match)
  }
  if (!matches[0]) {
    // All identifiers of the new credit belong to other credits, so a repeated report of it could not be
    // recognised.
    const isNameless = identifiers.every((identifier) =>
      byIdentifier.has(identifierName(identifier)),
    )
    return isNameless ? { status: 'session_reused' } : undefined
  }
  const { creditId, outcome, reason, suspendedKobo } = matches[0]
  const isSame = matches.every(
    (match) =>
      match.creditId === creditId &&
      match.accountNumber === credit.accountNumber &&
      match.amountKobo === credit.amountKobo &&
      match.currency === credit.currency,
  )
  if (!isSame) return { status: 'session_reused' }
  return { status: 'duplicate', creditId, outcome, reason, suspendedKobo }
}

// Returns whether a known credit that shares a weak identifier is another credit: for some kind, each of the
// two has an identifier that the other lacks. `identifiers` are those of the reported credit.
function isOtherCredit(match: KnownCredit, identifiers: readonly BankIdentifier[]): boolean {
  const knownReferences = match.references
  const reportedReferences = identifiers.map(referenceOf)
  return IDENTIFIER_KINDS.some(
    (kind) =>
      referencesOfKind(kind, knownReferences).some((name) => !reportedReferences.includes(name)) &&
      referencesOfKind(kind, reportedReferences).some((name) => !knownReferences.includes(name)),
  )
}

function referenceOf({ kind, value }: BankIdentifier): string {
  return `${kind}/${value}`
}

// Returns the identifiers of this kind. Leaves out a session id that repeats the value of another kind,
// because it does not distinguish credits.
function referencesOfKind(kind: IdentifierKind, references: readonly string[]): readonly string[] {
  const matching = references.filter((name) => name.startsWith(`${kind}/`))
  if (kind !== 'session_id') return matching
  const values = references.map((name) => name.slice(name.indexOf('/')))
  return matching.filter((name) => {
    const value = name.slice(kind.length)
    return values.indexOf(value) === values.lastIndexOf(value)
  })
}

// Removes identifiers that other credits already have, so that views show the new credit only with
// identifiers that no other credit has. Only a weak identifier can belong to another credit: by any other
// identifier, the credit would have been recognised.
export function withOwnIdentifiers(
  byIdentifier: ReadonlyMap<string, KnownCredit>,
  credit: IncomingCredit,
  identifiers: readonly BankIdentifier[],
): IncomingCredit {
  if (!identifiers.some(({ isWeak }) => isWeak)) return credit
  const [first, ...others] = identifiers.filter(
    (identifier) => !byIdentifier.has(identifierName(identifier)),
  )
  if (!first || others.length + 1 === identifiers.length) return credit
  const { value: sessionId, kind: identifiedBy } = first
  return { ...credit, sessionId, identifiedBy, otherIdentifiers: others }
}

type LearnedCredit = {
  credit: IncomingCredit
  identifiers: readonly BankIdentifier[]
  answer: CreditDecision & { status: 'taken' | 'duplicate' }
}

// Adds all identifiers of the credit to `byIdentifier`. Returns those that were new, for the caller to store.
export function learnIdentifiers(
  byIdentifier: Map<string, KnownCredit>,
  { credit, identifiers, answer }: LearnedCredit,
): IdentifierRow[] {
  const { accountNumber, amountKobo, currency } = credit
  const { creditId, outcome, reason, suspendedKobo } = answer
  const decision = { creditId, outcome, reason, suspendedKobo }
  // All names of a known credit share one list of references. New names are added to that list.
  const matches = identifiers.map((identifier) => byIdentifier.get(identifierName(identifier)))
  const references = matches.find((match) => match?.creditId === creditId)?.references ?? []
  const knownCredit = { ...decision, accountNumber, amountKobo, currency, references }
  const isNew = answer.status === 'taken'
  const learned: IdentifierRow[] = []
  for (const [index, identifier] of identifiers.entries()) {
    const name = identifierName(identifier)
    if (byIdentifier.has(name)) continue
    byIdentifier.set(name, knownCredit)
    references.push(referenceOf(identifier))
    learned.push({ ...identifier, creditId, isFirst: isNew && index === 0 })
  }
  return learned
}

// The identifiers of all credits are stored in one table with one key, credits_taken_once. If two
// transactions bring the same credit by different routes, the second waits at that key for the first, fails,
// runs again and finds a duplicate. All transactions write identifiers in the same order, so they cannot
// deadlock.

type KnownRow = KnownCredit & BankIdentifier

// Finds known credits by identifier, with the answer that the bank got first. If the payment closed underpaid
// later, the bank still gets that first answer. Looks up each identifier by key.
export async function findKnownCredits(
  tx: Transaction,
  identifiers: readonly BankIdentifier[],
): Promise<Map<string, KnownCredit>> {
  const { rows } = await tx.query<Omit<KnownRow, 'references'>>({
    name: 'find-taken-credits',
    text: `select i.value, i.bank_code, i.kind, c.id as credit_id,
                  c.account_number, c.amount_kobo, c.currency,
                  case when c.suspended_kobo < c.amount_kobo or c.reason = 'underpaid'
                       then 'booked' else 'suspended' end as outcome,
                  nullif(c.reason, 'underpaid') as reason,
                  case when c.reason = 'underpaid' then 0
                       else c.suspended_kobo end as suspended_kobo
             from unnest($1::text[], $2::text[], $3::text[]) as s (value, bank_code, kind)
             join lateral (select * from credit_identifiers i
                            where i.value = s.value and i.bank_code = coalesce(s.bank_code, $4)
                              and i.kind = coalesce(s.kind, 'session_id')
                            limit 1) i on true
             join lateral (select * from credits c where c.id = i.credit_id limit 1) c on true`,
    values: toLookupArrays(identifiers),
  })
  // Only a weak identifier can belong to two credits. The references then show which of the two it is.
  const references = identifiers.some(({ isWeak }) => isWeak)
    ? await findReferences(tx, [...new Set(rows.map(({ creditId }) => creditId))])
    : NO_REFERENCES
  return new Map(
    rows.map((row) => {
      return [identifierName(row), { ...row, references: references.get(row.creditId) ?? [] }]
    }),
  )
}

const NO_REFERENCES: ReadonlyMap<CreditId, string[]> = new Map()

// Returns all identifiers of each credit, as `kind/value`.
async function findReferences(tx: Transaction, ids: readonly CreditId[]) {
  if (ids.length === 0) return NO_REFERENCES
  const { rows } = await tx.query<{ id: CreditId; references: string[] }>({
    name: 'references-of-credits',
    text: `select c.id,
                  array(select f.kind || '/' || f.value from credit_identifiers f
                         where f.credit_id = c.id and not f.is_first
                        union all
                        select c.identified_by || '/' || c.session_id) as "references"
             from credits c where c.id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((row) => [row.id, row.references]))
}

const IDENTIFIERS = new CopyTarget<IdentifierRow>('credit_identifiers', {
  value: text(({ value }) => value),
  bank_code: text(({ bankCode }) => bankCode),
  kind: text(({ kind }) => kind),
  credit_id: int8(({ creditId }) => creditId),
  is_first: bool(({ isFirst }) => isFirst),
})

// Inserts identifiers in the order of their key, so that two transactions cannot deadlock.
export async function insertIdentifiers(
  tx: Transaction,
  rows: readonly IdentifierRow[],
): Promise<void> {
  await IDENTIFIERS.insert(tx, rows.toSorted(compareByKey), undefined)
}

// Compares identifiers by value, then by bank and kind.
function compareByKey(left: IdentifierRow, right: IdentifierRow): number {
  if (left.value !== right.value) return left.value < right.value ? -1 : 1
  return identifierName(left) < identifierName(right) ? -1 : 1
}

// Returns the parameters of findKnownCredits(): values, banks and kinds as arrays. To keep the arrays short,
// null stands for the bank of the first identifier, which is the last parameter, and for the kind session_id.
function toLookupArrays(identifiers: readonly BankIdentifier[]): ArrayParameter[] {
  const firstBankCode = identifiers[0]?.bankCode ?? ''
  return [
    texts(identifiers, ({ value }) => value),
    texts(identifiers, ({ bankCode }) => unless(firstBankCode, bankCode)),
    texts(identifiers, ({ kind }) => unless('session_id', kind)),
    firstBankCode,
  ]
}

type Query = { originals: readonly string[]; currency: string; accountNumber?: string | undefined }

// Finds the credit that a bank reverses: returns the first of the ids that is an identifier, of any kind, of
// a credit of this bank. If the bank names one of our numbers, skips credits to other numbers, because their
// owners would pay for the reversal.
export async function findOriginal(
  db: Queryable,
  bankCode: string,
  { originals, currency, accountNumber }: Query,
): Promise<string | undefined> {
  const { rows } = await db.query<{ value: string }>({
    name: 'find-reversed-credit',
    text: `select i.value from credit_identifiers i join credits c on c.id = i.credit_id
            where i.value = any($1::text[]) and i.bank_code = $2 and c.currency = $3
              and (c.account_number = $4
                   or not exists (select from numbers n where n.account_number = $4))
            order by array_position($1::text[], i.value)
            limit 1`,
    values: [originals, bankCode, currency, accountNumber ?? null],
  })
  return rows[0]?.value
}

// SQL scalar: an array of the ids of the credits with this identifier, of any kind and bank.
export const creditsCalled = (value: string) =>
  `array(select credit_id from credit_identifiers where value = ${value})`

// SQL scalar: an array of the ids of the credits with an identifier from `from` up to, but not including,
// `past`: the range of all identifiers that start with one prefix.
export const creditsCalledLike = (from: string, past: string) =>
  `array(select credit_id from credit_identifiers
          where value >= ${unseen(from)} and value < ${unseen(past)}
          order by value limit ${PREFIX_SCAN_MAX})`

// SQL subquery: the identifiers of the credit `c` except its first, as JSON.
export const OTHER_IDENTIFIERS = `
  (select json_agg(json_build_object('kind', i.kind, 'value', i.value) order by i.kind, i.value)
     from credit_identifiers i where i.credit_id = c.id and not i.is_first)`

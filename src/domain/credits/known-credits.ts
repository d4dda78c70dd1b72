// A bank's identifiers of a credit: a session id, a settlement id, a reference of its own. Each of them
// tells that the credit was taken before, by whichever route it comes (I12). Pure.

import {
  type GivenIdentifier,
  IDENTIFIER_KINDS,
  type IdentifierKind,
} from '#banks/notifications.ts'
import type { CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { IncomingCredit, SuspenseReason } from './judge-credit.ts'

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

export type KnownCredit = CreditDecision & {
  accountNumber: string
  amountKobo: Kobo
  currency: string
  references: string[] // All identifiers, as `kind/value`; one list, shared by all of them.
}

// Each once. The first is the one that the credit is shown with.
export function identifiersOf(credit: IncomingCredit): BankIdentifier[] {
  const { bankCode, sessionId, identifiedBy = 'session_id', isWeak, otherIdentifiers } = credit
  const first = { bankCode, kind: identifiedBy, value: sessionId, ...(isWeak && { isWeak }) }
  if (!otherIdentifiers || otherIdentifiers.length === 0) return [first]
  const all = [first, ...otherIdentifiers.map((other) => ({ ...other, bankCode }))]
  return [...new Map(all.map((each) => [identifierName(each), each])).values()]
}

// Neither codes nor kinds contain a slash, so names are unique.
export function identifierName({ bankCode, kind, value }: BankIdentifier): string {
  return `${bankCode}/${kind}/${value}`
}

// The answer to a credit that was taken before. Undefined: it is new. All its known identifiers must name
// one credit with the same terms. Bank charges are not compared, because not every route reports them.
export function recognise(
  byIdentifier: ReadonlyMap<string, KnownCredit>,
  credit: IncomingCredit,
  identifiers: readonly BankIdentifier[],
): CreditResult | undefined {
  const matches: KnownCredit[] = []
  for (const each of identifiers) {
    const match = byIdentifier.get(identifierName(each))
    if (match && !(each.isWeak && isAnother(match, identifiers))) matches.push(match)
  }
  if (!matches[0]) {
    // All its identifiers belong to other credits, so it could not be recognised when it comes again.
    const isNameless = identifiers.every((each) => byIdentifier.has(identifierName(each)))
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

// Each credit has an identifier of the same kind that the other does not have.
function isAnother(match: KnownCredit, identifiers: readonly BankIdentifier[]): boolean {
  const theirs = match.references
  const ours = identifiers.map(referenceOf)
  return IDENTIFIER_KINDS.some(
    (kind) =>
      ofKind(kind, theirs).some((name) => !ours.includes(name)) &&
      ofKind(kind, ours).some((name) => !theirs.includes(name)),
  )
}

function referenceOf({ kind, value }: BankIdentifier): string {
  return `${kind}/${value}`
}

// A session id that is also an identifier of another kind only fills the field and is ignored.
function ofKind(kind: IdentifierKind, references: readonly string[]): readonly string[] {
  const ofThis = references.filter((name) => name.startsWith(`${kind}/`))
  if (kind !== 'session_id') return ofThis
  const values = references.map((name) => name.slice(name.indexOf('/')))
  return ofThis.filter((name) => {
    const value = name.slice(kind.length)
    return values.indexOf(value) === values.lastIndexOf(value)
  })
}

// Removes identifiers of other credits, so that the new credit is shown with its own. Only weak ones can
// belong to another credit; any other would have been recognised.
export function withOwnIdentifiers(
  byIdentifier: ReadonlyMap<string, KnownCredit>,
  credit: IncomingCredit,
  identifiers: readonly BankIdentifier[],
): IncomingCredit {
  if (!identifiers.some(({ isWeak }) => isWeak)) return credit
  const [first, ...others] = identifiers.filter((each) => !byIdentifier.has(identifierName(each)))
  if (!first || others.length + 1 === identifiers.length) return credit
  const { value: sessionId, kind: identifiedBy } = first
  return { ...credit, sessionId, identifiedBy, otherIdentifiers: others }
}

type LearnedCredit = {
  credit: IncomingCredit
  identifiers: readonly BankIdentifier[]
  answer: CreditDecision & { status: 'taken' | 'duplicate' }
}

// Records all identifiers of the credit. Returns those that were new.
export function learn(
  byIdentifier: Map<string, KnownCredit>,
  { credit, identifiers, answer }: LearnedCredit,
): IdentifierRow[] {
  const { accountNumber, amountKobo, currency } = credit
  const { creditId, outcome, reason, suspendedKobo } = answer
  const decision = { creditId, outcome, reason, suspendedKobo }
  const before = identifiers.map((each) => byIdentifier.get(identifierName(each)))
  const references = before.find((each) => each?.creditId === creditId)?.references ?? []
  const knownCredit = { ...decision, accountNumber, amountKobo, currency, references }
  const isNew = answer.status === 'taken'
  const learned: IdentifierRow[] = []
  for (const [at, identifier] of identifiers.entries()) {
    const name = identifierName(identifier)
    if (byIdentifier.has(name)) continue
    byIdentifier.set(name, knownCredit)
    references.push(referenceOf(identifier))
    learned.push({ ...identifier, creditId, isFirst: isNew && at === 0 })
  }
  return learned
}

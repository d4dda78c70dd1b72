// What a bank calls a credit: a session id, a settlement id, a reference of its own. It may have
// several, and any of them tells that it was taken before, whichever route it comes by (I12). Pure.

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
  references: string[] // All its identifiers, as `kind/value`: one list, whichever it is found by.
}

// Each once; first the one that the credit is shown with.
export function identifiersOf(credit: IncomingCredit): BankIdentifier[] {
  const { bankCode, sessionId, identifiedBy = 'session_id', isWeak, otherIdentifiers } = credit
  const first = { bankCode, kind: identifiedBy, value: sessionId, ...(isWeak && { isWeak }) }
  if (!otherIdentifiers || otherIdentifiers.length === 0) return [first]
  const all = [first, ...otherIdentifiers.map((other) => ({ ...other, bankCode }))]
  return [...new Map(all.map((each) => [identifierName(each), each])).values()]
}

// Neither a code nor a kind has a slash, so no two identifiers have one name.
export function identifierName({ bankCode, kind, value }: BankIdentifier): string {
  return `${bankCode}/${kind}/${value}`
}

// What is answered to a credit that was taken before; undefined: it is new. Known by several
// identifiers, it must be one credit, and on the same terms. What was withheld of it is none of them:
// not every route tells.
export function recognise(
  taken: ReadonlyMap<string, KnownCredit>,
  credit: IncomingCredit,
  identifiers: readonly BankIdentifier[],
): CreditResult | undefined {
  const earlier: KnownCredit[] = []
  for (const each of identifiers) {
    const known = taken.get(identifierName(each))
    if (known && !(each.isWeak && isAnother(known, identifiers))) earlier.push(known)
  }
  if (!earlier[0]) {
    // Of others, every one of them: it has none to be known by when it comes again.
    const isNameless = identifiers.every((each) => taken.has(identifierName(each)))
    return isNameless ? { status: 'session_reused' } : undefined
  }
  const { creditId, outcome, reason, suspendedKobo } = earlier[0]
  const isSame = earlier.every(
    (known) =>
      known.creditId === creditId &&
      known.accountNumber === credit.accountNumber &&
      known.amountKobo === credit.amountKobo &&
      known.currency === credit.currency,
  )
  if (!isSame) return { status: 'session_reused' }
  return { status: 'duplicate', creditId, outcome, reason, suspendedKobo }
}

// Each is called by something of the same kind that the other is not called by.
function isAnother(known: KnownCredit, identifiers: readonly BankIdentifier[]): boolean {
  const theirs = known.references
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

// What stands in the place of a session id, and is of another kind too, is none.
function ofKind(kind: IdentifierKind, references: readonly string[]): readonly string[] {
  const found = references.filter((name) => name.startsWith(`${kind}/`))
  if (kind !== 'session_id') return found
  const values = references.map((name) => name.slice(name.indexOf('/')))
  return found.filter((name) => {
    const value = name.slice(kind.length)
    return values.indexOf(value) === values.lastIndexOf(value)
  })
}

// A new credit without the identifiers that are another's, so that it is shown by one of its own.
// Only weak ones can be: by any other it would have been recognised.
export function withOwnIdentifiers(
  taken: ReadonlyMap<string, KnownCredit>,
  credit: IncomingCredit,
  identifiers: readonly BankIdentifier[],
): IncomingCredit {
  if (!identifiers.some(({ isWeak }) => isWeak)) return credit
  const [first, ...others] = identifiers.filter((each) => !taken.has(identifierName(each)))
  if (!first || others.length + 1 === identifiers.length) return credit
  const { value: sessionId, kind: identifiedBy } = first
  return { ...credit, sessionId, identifiedBy, otherIdentifiers: others }
}

type Learning = {
  credit: IncomingCredit
  identifiers: readonly BankIdentifier[]
  answer: CreditDecision & { status: 'taken' | 'duplicate' }
}

// From here on the credit is known by all of these. Answers those that it was not known by.
export function learn(
  taken: Map<string, KnownCredit>,
  { credit, identifiers, answer }: Learning,
): IdentifierRow[] {
  const { accountNumber, amountKobo, currency } = credit
  const { creditId, outcome, reason, suspendedKobo } = answer
  const decision = { creditId, outcome, reason, suspendedKobo }
  const before = identifiers.map((each) => taken.get(identifierName(each)))
  const references = before.find((each) => each?.creditId === creditId)?.references ?? []
  const known = { ...decision, accountNumber, amountKobo, currency, references }
  const isNew = answer.status === 'taken'
  const learned: IdentifierRow[] = []
  for (const [at, identifier] of identifiers.entries()) {
    const name = identifierName(identifier)
    if (taken.has(name)) continue
    taken.set(name, known)
    references.push(referenceOf(identifier))
    learned.push({ ...identifier, creditId, isFirst: isNew && at === 0 })
  }
  return learned
}

// What a bank calls a credit: a session id, a settlement id, a reference of its own. It may have
// several, and any of them tells that it was taken before, whichever route it comes by (I12). Pure.

import type { GivenIdentifier } from '#banks/notifications.ts'
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
  references: readonly string[] // As `kind/value`, what the bank itself calls it: no session ids.
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
  if (!earlier[0]) return undefined
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

// The bank calls the known credit and this one differently, by a reference of the same kind.
function isAnother(known: KnownCredit, identifiers: readonly BankIdentifier[]): boolean {
  return (['settlement_id', 'bank_reference'] as const).some((kind) => {
    const theirs = known.references.filter((name) => name.startsWith(`${kind}/`))
    const ours = identifiers.filter((each) => each.kind === kind)
    const isCommon = ours.some(({ value }) => theirs.includes(`${kind}/${value}`))
    return theirs.length > 0 && ours.length > 0 && !isCommon
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
  const references = referencesOf(taken, creditId, identifiers)
  const known = { ...decision, accountNumber, amountKobo, currency, references }
  const isNew = answer.status === 'taken'
  const learned: IdentifierRow[] = []
  for (const [at, identifier] of identifiers.entries()) {
    const name = identifierName(identifier)
    if (taken.has(name)) continue
    taken.set(name, known)
    learned.push({ ...identifier, creditId, isFirst: isNew && at === 0 })
  }
  return learned
}

// Of the bank, as known before and as given now.
function referencesOf(
  taken: ReadonlyMap<string, KnownCredit>,
  creditId: CreditId,
  identifiers: readonly BankIdentifier[],
): readonly string[] {
  if (identifiers.length === 1 && identifiers[0]?.kind === 'session_id') return []
  const before = identifiers.flatMap((each) => taken.get(identifierName(each)) ?? [])
  return [
    ...before.flatMap((each) => (each.creditId === creditId ? each.references : [])),
    ...identifiers.flatMap(({ kind, value }) => (kind === 'session_id' ? [] : `${kind}/${value}`)),
  ]
}

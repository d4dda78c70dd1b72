// What a bank calls a credit: a session id, a settlement id, a reference of its own. It may have
// several, and any of them tells that it was taken before, whichever route it comes by (I12). Pure.

import type { CreditIdentifier } from '#banks/notifications.ts'
import type { CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { IncomingCredit, SuspenseReason } from './judge-credit.ts'

export type BankIdentifier = CreditIdentifier & { bankCode: string }
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
}

// Each once; first the one that the credit is shown with.
export function identifiersOf(credit: IncomingCredit): BankIdentifier[] {
  const { bankCode, sessionId, identifiedBy = 'session_id', otherIdentifiers } = credit
  const first = { bankCode, kind: identifiedBy, value: sessionId }
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
  const earlier = identifiers.flatMap((each) => taken.get(identifierName(each)) ?? [])
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

type LearnInput = {
  credit: IncomingCredit
  identifiers: readonly BankIdentifier[]
  answer: CreditDecision & { status: 'taken' | 'duplicate' }
}

// From here on the credit is known by all of these. Answers those that it was not known by.
export function learn(
  taken: Map<string, KnownCredit>,
  { credit, identifiers, answer }: LearnInput,
): IdentifierRow[] {
  const { accountNumber, amountKobo, currency } = credit
  const { status, ...decision } = answer
  const isNew = status === 'taken'
  const known = { ...decision, accountNumber, amountKobo, currency }
  const { creditId } = decision
  const learned: IdentifierRow[] = []
  for (const [at, identifier] of identifiers.entries()) {
    const name = identifierName(identifier)
    if (taken.has(name)) continue
    taken.set(name, known)
    learned.push({ ...identifier, creditId, isFirst: isNew && at === 0 })
  }
  return learned
}

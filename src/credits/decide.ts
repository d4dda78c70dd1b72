// Decides how each credit of a batch is booked. decideCredits() is a pure function from the locked rows and
// the batch to all writes and answers.
//
// A credit with a known identifier moves no money. If its terms are the same as before, the bank gets the
// first result again, and the credit's other identifiers are recorded. If its terms differ, or its
// identifiers belong to two credits, it is rejected and operators are alerted. A new credit is judged
// (judge.ts).

import type { HashPayer } from '#accounts/payer-rules.ts'
import { type ChargedFee, sumOfFees } from '#fees/charges.ts'
import type { AccountId, ClientId, CreditId } from '#ids.ts'
import { bankOwner, clientOwner, type SharedAccount } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { NewAlert } from '#records/alerts.ts'
import type { NewEvent } from '#records/events.ts'
import { overviewChanges } from '#records/money-totals.ts'
import { type PostedShare, sumOfShares } from '#splits/shares.ts'
import {
  type BankIdentifier,
  type CreditDecision,
  type CreditResult,
  type IdentifierRow,
  identifiersOf,
  type KnownCredit,
  learnIdentifiers,
  recognise,
  withOwnIdentifiers,
} from './identifiers.ts'
import type { SuspenseReason } from './judge.ts'
import {
  findTarget,
  type IncomingCredit,
  type IssuedNumber,
  type JudgedBy,
  judge,
  judgedTime,
  type PaymentTarget,
  type Target,
} from './judge.ts'
import { addPaid, deduct, settlePending, takeDeductions } from './settle.ts'

// The charges that a bank withheld from a credit (I37). The payer is credited with the full amount sent.
// Fee, stamp duty and VAT are our costs, each on a separate account. VAT may be reclaimed.
//
//   Bank → Settled 1,000     the amount that the payer sent
//   Bank cost → Bank 45      fee: the bank's account grows by 955, as on its statement
//   Stamp duty → Bank        stamp duty, if any
//   Input VAT → Bank         VAT, if any
//
// A reversal takes back the amount that the bank reports. The charges stay a cost, unless the bank reports
// their refund as separate money.

type Charge = { kind: 'bank_cost' | 'stamp_duty' | 'input_vat'; amountKobo: Kobo }

// Returns the charges by the cost account that bears them. Omits zero charges.
export function chargesOf({ charges }: IncomingCredit): Charge[] {
  if (!charges) return []
  const { feeKobo, vatKobo, dutyKobo } = charges
  const chargesByAccount: Charge[] = [
    { kind: 'bank_cost', amountKobo: feeKobo },
    { kind: 'stamp_duty', amountKobo: dutyKobo },
    { kind: 'input_vat', amountKobo: vatKobo },
  ]
  return chargesByAccount.filter(({ amountKobo }) => amountKobo > 0n)
}

// Returns the transfers that book the bank charges: from each cost account to the bank account.
function chargeTransfers(
  credit: IncomingCredit,
  creditId: CreditId,
  accountId: (account: SharedAccount) => Transfer['debitAccountId'],
): Transfer[] {
  const { bankCode, currency } = credit
  const owned = { owner: bankOwner(bankCode), currency }
  return chargesOf(credit).map(({ kind, amountKobo }) => ({
    debitAccountId: accountId({ kind, ...owned }),
    creditAccountId: accountId({ kind: 'bank', ...owned }),
    amountKobo,
    creditId,
    reason: 'bank_charge',
  }))
}

export type { CreditDecision, CreditResult } from './identifiers.ts'

export type CreditRow = CreditDecision & {
  credit: IncomingCredit
  target: Target | undefined
  judgedBy: JudgedBy | null // Null if the credit was not sent to a payment. Its time then does not matter.
}
export type SuspenseRow = {
  creditId: CreditId
  clientId: ClientId | null
  accountId: AccountId
  amountKobo: Kobo
  reason: SuspenseReason
}

type DecisionState = {
  identifiers: readonly (readonly BankIdentifier[])[] // For each credit of the batch.
  numbers: ReadonlyMap<string, IssuedNumber> // Deciding a credit changes the target of its number.
  byIdentifier: Map<string, KnownCredit> // By identifier name. Each decision adds the names of its credit.
  creditIds: readonly CreditId[] // One for each credit of the batch.
  accountId: (account: SharedAccount) => AccountId
  hashPayer: HashPayer
  bankTimeMaxAgeMs: number
  suspiciousKobo: Kobo
  now: Date
}

// The writes of a batch and the answers to its credits, in the order of the batch.
export type Plan = {
  answers: CreditResult[]
  identifiers: IdentifierRow[]
  credits: CreditRow[]
  transfers: Transfer[]
  fees: ChargedFee[]
  shares: PostedShare[]
  payments: Set<PaymentTarget>
  reopened: Set<PaymentTarget>
  suspense: SuspenseRow[]
  events: NewEvent[]
  alerts: NewAlert[]
}

// Returns the name of a session id in alerts. The bank code is part of it, because two banks may use the same
// session id.
export function sessionName({ bankCode, sessionId }: { bankCode: string; sessionId: string }) {
  return `${sessionId}@${bankCode}`
}

// Decides the credits one after another. Each decision changes `state`, so that a later credit of the batch
// sees the earlier ones.
export function decideCredits(credits: readonly IncomingCredit[], state: DecisionState): Plan {
  const plan: Plan = {
    answers: [],
    identifiers: [],
    credits: [],
    transfers: [],
    fees: [],
    shares: [],
    payments: new Set(),
    reopened: new Set(),
    suspense: [],
    events: [],
    alerts: [],
  }
  for (const [index, credit] of credits.entries()) {
    const identifiers = state.identifiers[index] as readonly BankIdentifier[]
    const repeatAnswer = recognise(state.byIdentifier, credit, identifiers)
    // The credit with only those identifiers that no other credit has.
    const identified = repeatAnswer
      ? credit
      : withOwnIdentifiers(state.byIdentifier, credit, identifiers)
    const creditId = state.creditIds[index] as CreditId
    const answer = repeatAnswer ?? takeNewCredit(plan, state, { credit: identified, creditId })
    plan.answers.push(answer)
    if (answer.status === 'session_reused') plan.alerts.push(createAlert(answer.status, credit))
    else {
      const learned = identified === credit ? identifiers : identifiersOf(identified)
      const facts = { credit: identified, identifiers: learned, answer }
      plan.identifiers.push(...learnIdentifiers(state.byIdentifier, facts))
    }
  }
  return plan
}

// Returns the alert about a credit whose session id was used before, or that came from another bank than the
// one that issued the number.
function createAlert(kind: 'session_reused' | 'wrong_bank', credit: IncomingCredit): NewAlert {
  const { accountNumber, currency, amountKobo, otherIdentifiers } = credit
  const optional = otherIdentifiers?.length ? { otherIdentifiers } : {}
  const detail = { accountNumber, currency, amountKobo: amountKobo.toString(), ...optional }
  return { kind, subject: sessionName(credit), detail }
}

// Books or suspends a credit that no bank reported before, or books a part and suspends the rest.
function takeNewCredit(
  plan: Plan,
  state: DecisionState,
  { credit, creditId }: { credit: IncomingCredit; creditId: CreditId },
): CreditResult {
  const number = state.numbers.get(credit.accountNumber)
  const target = findTarget(credit, number)
  const { bookedKobo, reason } = judge(credit, number, state)
  const suspendedKobo = kobo(credit.amountKobo - bookedKobo)
  if (target && bookedKobo > 0n) bookCredit(plan, state, { credit, creditId, target, bookedKobo })
  if (reason)
    suspendCredit(plan, state, { credit, creditId, target, amountKobo: suspendedKobo, reason })

  const decision: CreditDecision = {
    creditId,
    outcome: bookedKobo > 0n ? 'booked' : 'suspended',
    reason,
    suspendedKobo,
  }
  const judgedBy = target?.kind === 'payment' ? judgedTime(credit, target, state).by : null
  plan.credits.push({ ...decision, credit, target, judgedBy })
  plan.transfers.push(...chargeTransfers(credit, creditId, state.accountId))
  return { status: 'taken', ...decision }
}

type Booking = { credit: IncomingCredit; creditId: CreditId; target: Target; bookedKobo: Kobo }

// Books money to the collection account or payment, less the fee and the shares of subaccounts. A part
// payment stays on the pending account without deductions until the payment is paid in full.
function bookCredit(
  plan: Plan,
  state: DecisionState,
  { credit, creditId, target, bookedKobo }: Booking,
): void {
  const { bankCode, currency } = credit
  const bankId = state.accountId({ kind: 'bank', owner: bankOwner(bankCode), currency })
  const postCredit = (creditAccountId: AccountId) =>
    plan.transfers.push({
      debitAccountId: bankId,
      creditAccountId,
      amountKobo: bookedKobo,
      creditId,
      reason: 'credit',
    })
  const holding = { creditId, amountKobo: bookedKobo }
  const received = { credits: 1, gross: bookedKobo } as const
  if (target.kind === 'collection') {
    const { clientId, collectionAccountId } = target
    const deductions = deduct(target, [holding])
    const feesKobo = sumOfFees(deductions.fees)
    const afterDeductionsKobo = bookedKobo - feesKobo - sumOfShares(deductions.shares)
    target.balanceKobo = kobo(target.balanceKobo + afterDeductionsKobo)
    target.todayKobo = kobo(target.todayKobo + bookedKobo)
    postCredit(collectionAccountId)
    takeDeductions(plan, state, {
      deductions,
      accountId: collectionAccountId,
      newCreditId: creditId,
    })
    plan.events.push({
      clientId,
      type: 'collection.received',
      collectionAccountId,
      creditId,
      facts: { accountBalanceKobo: target.balanceKobo },
      ...overviewChanges(currency, { ...received, fees: feesKobo }),
    })
    return
  }
  const deductions = addPaid(plan, target, { holding, received }) // Also changes the payment's status.
  const owner = clientOwner(target.clientId)
  const pendingId = state.accountId({ kind: 'pending', owner, currency })
  if (target.status === 'PartPayment') {
    postCredit(pendingId)
    target.pending.push({ creditId, amountKobo: bookedKobo })
    reopenPaidLate(plan, state.now, target)
    return
  }
  const settledId = state.accountId({ kind: 'available', owner, currency })
  postCredit(settledId)
  plan.transfers.push(...settlePending(target, pendingId, settledId))
  takeDeductions(plan, state, { deductions, accountId: settledId, newCreditId: creditId })
}

// If a payer sent a part payment in time but the bank reported it late, the payment reopens for the rest. If
// another payment has reused its numbers, it stays closed as underpaid.
function reopenPaidLate(plan: Plan, now: Date, payment: PaymentTarget): void {
  if (now < payment.closesAt || !payment.mayReopen) return
  payment.closesAt = new Date(now.getTime() + payment.openSeconds * 1000)
  plan.reopened.add(payment)
}

type Suspension = {
  credit: IncomingCredit
  creditId: CreditId
  target: Target | undefined
  amountKobo: Kobo
  reason: SuspenseReason
}

// Puts money in the suspense of the client that owns the number, or in that of the bank if nobody owns it.
function suspendCredit(
  plan: Plan,
  state: DecisionState,
  { credit, creditId, target, amountKobo, reason }: Suspension,
): void {
  const { bankCode, currency } = credit
  const owner = target ? clientOwner(target.clientId) : bankOwner(bankCode)
  const accountId = state.accountId({ kind: 'suspense', owner, currency })
  plan.transfers.push({
    debitAccountId: state.accountId({ kind: 'bank', owner: bankOwner(bankCode), currency }),
    creditAccountId: accountId,
    amountKobo,
    creditId,
    reason: 'credit',
  })
  plan.suspense.push({
    creditId,
    clientId: target?.clientId ?? null,
    accountId,
    amountKobo,
    reason,
  })
  if (reason === 'wrong_bank') plan.alerts.push(createAlert(reason, credit))
  if (!target) return // Unidentified money has no client to notify. Operators see it on the suspense desk.
  const outcome = amountKobo === credit.amountKobo ? 'suspended' : 'booked'
  plan.events.push({
    clientId: target.clientId,
    type: 'credit.suspended',
    creditId,
    ...(target.kind === 'collection'
      ? { collectionAccountId: target.collectionAccountId }
      : { paymentId: target.paymentId }),
    facts: { reason, outcome, amountSuspendedKobo: amountKobo },
    ...overviewChanges(currency, {
      credits: outcome === 'suspended' ? 1 : 0,
      gross: amountKobo,
      suspended: amountKobo,
    }),
  })
}

// Decides a batch of credits. A pure function from the locked state and the batch to all writes and
// answers.
//
// A credit with a known identifier moves nothing. With the same terms, the first result is repeated and
// its other identifiers are learned. With other terms, or identifiers of two credits, it is rejected and
// the operator alerted. A new credit is judged (judge-credit.ts).

import type { HashPayer } from '#domain/accounts/payer-rules.ts'
import { type ChargedFee, sumOfFees } from '#domain/fees/credit-fees.ts'
import type { NewAlert } from '#domain/records/alerts.ts'
import type { NewEvent } from '#domain/records/event-types.ts'
import { moved } from '#domain/records/movements.ts'
import { type PostedShare, sumOfShares } from '#domain/splits/credit-splits.ts'
import type { AccountId, ClientId, CreditId } from '#ids.ts'
import { bankOwner, clientOwner, type SharedAccount } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { chargeTransfers } from './bank-charges.ts'
import {
  findTarget,
  type IncomingCredit,
  type IssuedNumber,
  type JudgedBy,
  judge,
  judgedTime,
  type PaymentTarget,
  type SuspenseReason,
  type Target,
} from './judge-credit.ts'
import {
  type BankIdentifier,
  type CreditDecision,
  type CreditResult,
  type IdentifierRow,
  identifiersOf,
  type KnownCredit,
  learn,
  recognise,
  withOwnIdentifiers,
} from './known-credits.ts'
import { addPaid, deduct, settlePending, takeDeductions } from './settle-payment.ts'

export type { CreditDecision, CreditResult } from './known-credits.ts'

export type CreditRow = CreditDecision & {
  credit: IncomingCredit
  target: Target | undefined
  judgedBy: JudgedBy | null // Null: not sent to a payment, so no time decides.
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
  numbers: ReadonlyMap<string, IssuedNumber> // Deciding a credit changes its target.
  byIdentifier: Map<string, KnownCredit> // By identifier name. Grows with each decision.
  creditIds: readonly CreditId[] // One for each credit of the batch.
  accountId: (account: SharedAccount) => AccountId
  hashPayer: HashPayer
  bankTimeMaxAgeMs: number
  suspiciousKobo: Kobo
  now: Date
}

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

export function sessionName({ bankCode, sessionId }: { bankCode: string; sessionId: string }) {
  return `${sessionId}@${bankCode}`
}

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
    const again = recognise(state.byIdentifier, credit, identifiers)
    const own = again ? credit : withOwnIdentifiers(state.byIdentifier, credit, identifiers)
    const answer =
      again ?? take(plan, state, { credit: own, creditId: state.creditIds[index] as CreditId })
    plan.answers.push(answer)
    if (answer.status === 'session_reused') plan.alerts.push(createAlert(answer.status, credit))
    else {
      const learned = own === credit ? identifiers : identifiersOf(own)
      const facts = { credit: own, identifiers: learned, answer }
      plan.identifiers.push(...learn(state.byIdentifier, facts))
    }
  }
  return plan
}

function createAlert(kind: 'session_reused' | 'wrong_bank', credit: IncomingCredit): NewAlert {
  const { accountNumber, currency, amountKobo, otherIdentifiers } = credit
  const others = otherIdentifiers?.length ? { otherIdentifiers } : {}
  const detail = { accountNumber, currency, amountKobo: amountKobo.toString(), ...others }
  return { kind, subject: sessionName(credit), detail }
}

function take(
  plan: Plan,
  state: DecisionState,
  { credit, creditId }: { credit: IncomingCredit; creditId: CreditId },
): CreditResult {
  const number = state.numbers.get(credit.accountNumber)
  const target = findTarget(credit, number)
  const { bookedKobo, reason } = judge(credit, number, state)
  const suspendedKobo = kobo(credit.amountKobo - bookedKobo)
  if (target && bookedKobo > 0n) book(plan, state, { credit, creditId, target, bookedKobo })
  if (reason) suspend(plan, state, { credit, creditId, target, amountKobo: suspendedKobo, reason })

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

function book(
  plan: Plan,
  state: DecisionState,
  { credit, creditId, target, bookedKobo }: Booking,
): void {
  const { bankCode, currency } = credit
  const bankId = state.accountId({ kind: 'bank', owner: bankOwner(bankCode), currency })
  const post = (creditAccountId: AccountId) =>
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
    const leftKobo = bookedKobo - feesKobo - sumOfShares(deductions.shares)
    target.balanceKobo = kobo(target.balanceKobo + leftKobo)
    target.todayKobo = kobo(target.todayKobo + bookedKobo)
    post(collectionAccountId)
    takeDeductions(plan, state, { deductions, accountId: collectionAccountId, by: creditId })
    plan.events.push({
      clientId,
      type: 'collection.received',
      collectionAccountId,
      creditId,
      facts: { accountBalanceKobo: target.balanceKobo },
      ...moved(currency, { ...received, fees: feesKobo }),
    })
    return
  }
  const deductions = addPaid(plan, target, { holding, received })
  const owner = clientOwner(target.clientId)
  const pendingId = state.accountId({ kind: 'pending', owner, currency })
  if (target.status === 'PartPayment') {
    post(pendingId)
    target.pending.push({ creditId, amountKobo: bookedKobo })
    reopen(plan, state.now, target)
    return
  }
  const settledId = state.accountId({ kind: 'available', owner, currency })
  post(settledId)
  plan.transfers.push(...settlePending(target, pendingId, settledId))
  takeDeductions(plan, state, { deductions, accountId: settledId, by: creditId })
}

// A part payment made in time but reported late reopens the payment for the rest. If its numbers have
// been reused, it stays closed as underpaid.
function reopen(plan: Plan, now: Date, payment: PaymentTarget): void {
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

function suspend(
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
  if (!target) return // Unidentified money: the operator sees it on the suspense desk.
  const outcome = amountKobo === credit.amountKobo ? 'suspended' : 'booked'
  plan.events.push({
    clientId: target.clientId,
    type: 'credit.suspended',
    creditId,
    ...(target.kind === 'collection'
      ? { collectionAccountId: target.collectionAccountId }
      : { paymentId: target.paymentId }),
    facts: { reason, outcome, amountSuspendedKobo: amountKobo },
    ...moved(currency, {
      credits: outcome === 'suspended' ? 1 : 0,
      gross: amountKobo,
      suspended: amountKobo,
    }),
  })
}

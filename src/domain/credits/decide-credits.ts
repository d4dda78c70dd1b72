// Decides a batch of credits. A pure function from the locked state and the batch to everything that
// is written and answered.
//
// A credit known by any of its identifiers moves nothing: with the same terms the first result is
// repeated, and its other identifiers are learned; with other terms, or if they name two credits, it
// is rejected and the operator alerted. A new one is judged (judge-credit.ts).

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
  judgedBy: JudgedBy | null // Null where no time decides: it was not sent to a payment.
}
export type SuspenseRow = {
  creditId: CreditId
  clientId: ClientId | null
  accountId: AccountId
  amountKobo: Kobo
  reason: SuspenseReason
}

type DecisionContext = {
  identifiers: readonly (readonly BankIdentifier[])[] // Of each credit of the batch.
  numbers: ReadonlyMap<string, IssuedNumber> // Their targets change as credits are decided.
  taken: Map<string, KnownCredit> // By identifier name. Grows as credits are decided.
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

export function decideCredits(credits: readonly IncomingCredit[], known: DecisionContext): Plan {
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
    const given = known.identifiers[index] as readonly BankIdentifier[]
    const again = recognise(known.taken, credit, given)
    const own = again ? credit : withOwnIdentifiers(known.taken, credit, given)
    const answer =
      again ?? take(plan, known, { credit: own, creditId: known.creditIds[index] as CreditId })
    plan.answers.push(answer)
    if (answer.status === 'session_reused') plan.alerts.push(createAlert(answer.status, credit))
    else {
      const identifiers = own === credit ? given : identifiersOf(own)
      plan.identifiers.push(...learn(known.taken, { credit: own, identifiers, answer }))
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
  known: DecisionContext,
  { credit, creditId }: { credit: IncomingCredit; creditId: CreditId },
): CreditResult {
  const number = known.numbers.get(credit.accountNumber)
  const target = findTarget(credit, number)
  const { bookedKobo, reason } = judge(credit, number, known)
  const suspendedKobo = kobo(credit.amountKobo - bookedKobo)
  if (target && bookedKobo > 0n) book(plan, known, { credit, creditId, target, bookedKobo })
  if (reason) suspend(plan, known, { credit, creditId, target, amountKobo: suspendedKobo, reason })

  const taken: CreditDecision = {
    creditId,
    outcome: bookedKobo > 0n ? 'booked' : 'suspended',
    reason,
    suspendedKobo,
  }
  const judgedBy = target?.kind === 'payment' ? judgedTime(credit, target, known).by : null
  plan.credits.push({ ...taken, credit, target, judgedBy })
  plan.transfers.push(...chargeTransfers(credit, creditId, known.accountId))
  return { status: 'taken', ...taken }
}

type Booking = { credit: IncomingCredit; creditId: CreditId; target: Target; bookedKobo: Kobo }

function book(
  plan: Plan,
  known: DecisionContext,
  { credit, creditId, target, bookedKobo }: Booking,
): void {
  const { bankCode, currency } = credit
  const bankId = known.accountId({ kind: 'bank', owner: bankOwner(bankCode), currency })
  const post = (creditAccountId: AccountId) =>
    plan.transfers.push({
      debitAccountId: bankId,
      creditAccountId,
      amountKobo: bookedKobo,
      creditId,
      reason: 'credit',
    })
  const holding = { creditId, amountKobo: bookedKobo }
  const came = { credits: 1, gross: bookedKobo } as const
  if (target.kind === 'collection') {
    const { clientId, collectionAccountId } = target
    const deductions = deduct(target, [holding])
    const feesKobo = sumOfFees(deductions.fees)
    const leftKobo = bookedKobo - feesKobo - sumOfShares(deductions.shares)
    target.balanceKobo = kobo(target.balanceKobo + leftKobo)
    target.todayKobo = kobo(target.todayKobo + bookedKobo)
    post(collectionAccountId)
    takeDeductions(plan, known, { deductions, accountId: collectionAccountId, by: creditId })
    plan.events.push({
      clientId,
      type: 'collection.received',
      collectionAccountId,
      creditId,
      facts: { accountBalanceKobo: target.balanceKobo },
      ...moved(currency, { ...came, fees: feesKobo }),
    })
    return
  }
  const deductions = addPaid(plan, target, { holding, came })
  const owner = clientOwner(target.clientId)
  const pendingId = known.accountId({ kind: 'pending', owner, currency })
  if (target.status === 'PartPayment') {
    post(pendingId)
    target.pending.push({ creditId, amountKobo: bookedKobo })
    reopen(plan, known.now, target)
    return
  }
  const settledId = known.accountId({ kind: 'available', owner, currency })
  post(settledId)
  plan.transfers.push(...settlePending(target, pendingId, settledId))
  takeDeductions(plan, known, { deductions, accountId: settledId, by: creditId })
}

// What was paid in time and reported late may not be all of it: the payment then waits for the rest.
// If its numbers have been reused by now, it stays closed, as underpaid.
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
  known: DecisionContext,
  { credit, creditId, target, amountKobo, reason }: Suspension,
): void {
  const { bankCode, currency } = credit
  const owner = target ? clientOwner(target.clientId) : bankOwner(bankCode)
  const accountId = known.accountId({ kind: 'suspense', owner, currency })
  plan.transfers.push({
    debitAccountId: known.accountId({ kind: 'bank', owner: bankOwner(bankCode), currency }),
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
  if (!target) return // Nobody's money: the operator sees it on the suspense desk.
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

// The types of events, and the facts of each type. Facts are stored with the event because the values may
// change later. Amounts are in kobo; rendering an event converts them to naira.

import type { EndpointId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export const EVENT_TYPES = [
  'account.created',
  'account.updated',
  'account.deactivated',
  'account.activated',
  'account.erased',
  'collection.received',
  'collection.reversed',
  'collection.refunded',
  'collection.refund_failed',
  'payment.processing',
  'payment.part_paid',
  'payment.extended',
  'payment.successful',
  'payment.expired',
  'payment.cancelled',
  'payment.reversed',
  'payment.refunded',
  'payment.refund_failed',
  'credit.suspended',
  'credit.assigned',
  'credit.returned',
  'credit.return_failed',
  'credit.reversed',
  'payout.confirmed',
  'payout.failed',
  'payout.returned',
  'settlement.closed',
  'settlement.paid',
  'settlement.failed',
  'hold.placed',
  'hold.released',
  'hold.forfeited',
  'alert.raised', // Sent to operators.
  'endpoint.disabled',
  'endpoint.test', // Sent to one endpoint, on request.
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export type ReversalFacts = {
  sessionId: string
  amountKobo: Kobo
  shortfallKobo: Kobo
  receivableKobo: Kobo
}

export type RefundFacts = {
  reference: string
  amountKobo: Kobo
  bankReference: string | null // null until the bank confirms the refund.
  failureReason: string | null
}

type AccountFacts = { accountBalanceKobo: Kobo; isActive: boolean; isDefault: boolean }
type CollectionFacts = { accountBalanceKobo: Kobo }
type PaymentFacts = {
  status: 'Processing' | 'PartPayment' | 'Successful' | 'Expired' | 'Cancelled' | 'Reversed'
  amountPaidKobo: Kobo
}
type ClosedFacts = PaymentFacts & { amountSuspendedKobo: Kobo }
// `refundedAmountKobo` is the total refunded so far.
type Refunded = { refundedAmountKobo: Kobo; refund: RefundFacts }
// `outcome` is absent if the event's type names it.
type CreditFacts = { reason: string | null; outcome?: string | undefined }

type PayoutFacts = {
  reference: string
  purpose: 'payout' | 'settlement'
  status: 'confirmed' | 'failed'
  amountKobo: Kobo
  currency: string
  feeKobo: Kobo
  vatKobo: Kobo
  bankAccount: string | null
  bankCode: string
  accountName: string
  narration: string
  bankReference: string | null // null until the bank confirms the payout.
  failureReason: string | null
  requestedAt: string
  settledAt: string
}

// The bank returned all or a part of a payout that it had paid. `status` is `confirmed`, or `failed` if the
// payout failed in the books and only a statement showed that the bank paid it.
type ReturnedFacts = Omit<PayoutFacts, 'purpose' | 'status'> & {
  purpose: 'payout' | 'settlement' | 'refund'
  status: string
  returnedAmountKobo: Kobo
  returnedAt: string
}

// `status` is the new status; docs/settlement.md explains the amounts.
export type SettlementFacts = {
  reference: string
  status: string
  currency: string
  periodFrom: string | null
  cutOff: string
  lines: number
  grossKobo: Kobo
  feesKobo: Kobo
  vatKobo: Kobo
  reversedKobo: Kobo
  refundsKobo: Kobo
  paidOutKobo: Kobo
  recoveredKobo: Kobo
  reservedKobo: Kobo
  releasedKobo: Kobo
  carriedKobo: Kobo
  netKobo: Kobo
  closedAt: string
}

// States neither the reason nor the actor: a client under investigation must not learn of it from us.
type HoldFacts = {
  reference: string
  target: string
  sessionId: string | null
  accountNumber: string | null
  merchantCode: string | null
  currency: string
  amountKobo?: Kobo // Absent if everything is held.
  heldKobo: Kobo
  forfeitedKobo: Kobo
  state: string
  placedAt: string
  endedAt: string | null
}

export type EventFacts = {
  'account.created': AccountFacts
  'account.updated': AccountFacts & { changes: readonly string[] }
  'account.deactivated': AccountFacts
  'account.activated': AccountFacts
  'account.erased': AccountFacts
  'collection.received': CollectionFacts
  'collection.reversed': CollectionFacts & { amountReversedKobo: Kobo; reversal: ReversalFacts }
  'collection.refunded': CollectionFacts & Refunded
  'collection.refund_failed': CollectionFacts & Refunded
  'payment.processing': PaymentFacts
  'payment.part_paid': PaymentFacts
  'payment.extended': PaymentFacts & { expiresAt: string }
  'payment.successful': PaymentFacts
  'payment.expired': ClosedFacts
  'payment.cancelled': ClosedFacts
  'payment.reversed': PaymentFacts & { amountReversedKobo: Kobo; reversal: ReversalFacts }
  'payment.refunded': PaymentFacts & Refunded
  'payment.refund_failed': PaymentFacts & Refunded
  'credit.suspended': CreditFacts & { amountSuspendedKobo: Kobo }
  'credit.assigned': CreditFacts & { amountAssignedKobo: Kobo }
  'credit.returned': CreditFacts & {
    amountReturnedKobo: Kobo
    returnReference: string
    bankReference: string | null
  }
  'credit.return_failed': CreditFacts & {
    returnReference: string
    failureReason: string | null
    amountSuspendedKobo: Kobo
  }
  'credit.reversed': CreditFacts & {
    amountReversedKobo: Kobo
    amountShortfallKobo: Kobo
    amountReceivableKobo: Kobo
    reversal: ReversalFacts
  }
  'payout.confirmed': PayoutFacts
  'payout.failed': PayoutFacts
  'payout.returned': ReturnedFacts
  'settlement.closed': SettlementFacts
  'settlement.paid': SettlementFacts
  'settlement.failed': SettlementFacts
  'hold.placed': HoldFacts
  'hold.released': HoldFacts
  'hold.forfeited': HoldFacts
  'alert.raised': {
    id: number
    kind: string
    title: string
    remedy: string
    subject: string
    detail: object
    raisedAt: string
    reversal?: ReversalFacts // Set if a reversal raised the alert.
  }
  'endpoint.disabled': {
    id: EndpointId | null
    url: string
    isActive: false
    reason: string
    failingSince: string | null
  }
  'endpoint.test': { endpointId: EndpointId; message: string }
}

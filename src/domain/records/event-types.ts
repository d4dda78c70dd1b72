// Event types, each with its facts: values that may change later. Facts hold kobo; rendering an
// event converts to naira.

import type { AccountId, ClientId, CreditId, EndpointId, PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Moved } from './movements.ts'

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
  'alert.raised', // For operators.
  'endpoint.disabled',
  'endpoint.test', // For one endpoint, on request.
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
  bankReference: string | null // Once confirmed.
  failureReason: string | null
}

type AccountFacts = { accountBalanceKobo: Kobo; isActive: boolean; isDefault: boolean }
type CollectionFacts = { accountBalanceKobo: Kobo }
type PaymentFacts = {
  status: 'Processing' | 'PartPayment' | 'Successful' | 'Expired' | 'Cancelled' | 'Reversed'
  amountPaidKobo: Kobo
}
type ClosedFacts = PaymentFacts & { amountSuspendedKobo: Kobo }
// Includes the total refunded so far.
type Refunded = { refundedAmountKobo: Kobo; refund: RefundFacts }
// Without an outcome, the event's type is the credit's outcome.
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
  bankReference: string | null
  failureReason: string | null
  requestedAt: string
  settledAt: string
}

// The bank gave back all or a part of a payout that it had paid. `status` is confirmed, or failed if only
// the statement showed that the bank paid it.
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
  'alert.raised': {
    id: number
    kind: string
    title: string
    remedy: string
    subject: string
    detail: object
    raisedAt: string
    reversal?: ReversalFacts // The reversal that raised the alert.
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

export type EventSubject = {
  clientId: ClientId
  collectionAccountId?: AccountId
  paymentId?: PaymentId
  creditId?: CreditId
  moved?: Moved
}

export type NewEventOf<Type extends EventType> = EventSubject & {
  type: Type
  facts: EventFacts[Type]
}
export type NewEvent = { [Type in EventType]: NewEventOf<Type> }[EventType]

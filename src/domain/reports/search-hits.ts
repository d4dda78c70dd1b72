// Search hits: their type, reference, title and amount.

import type { CollectionAccount } from '#domain/accounts/collection-accounts.ts'
import type { CreditTrace } from '#domain/credits/credit-list.ts'
import type { ListedAdvice } from '#domain/payments/payment-list.ts'
import { adviceStatus, type Payment, statusAt } from '#domain/payments/payments.ts'
import type { Payout } from '#domain/payouts/payouts.ts'
import type { Statement } from '#domain/reconciliation/statements.ts'
import { type Refund, refundStatus } from '#domain/refunds/refunds.ts'
import type { Settlement } from '#domain/settlement/settlements.ts'
import type { Return } from '#domain/suspense/returns.ts'
import type { ListedEvent } from '#domain/webhooks/event-list.ts'
import type { Kobo } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'

export const HIT_TYPES = [
  'payment',
  'advice',
  'account',
  'credit',
  'event',
  'payout',
  'settlement',
  'refund',
  'return',
  'statement',
] as const
export type HitType = (typeof HIT_TYPES)[number]

export type Hit = {
  type: HitType
  reference: string
  title: string
  detail: string | null
  amountKobo: Kobo | null
  currency: string | null
  of?: { type: HitType; reference: string } // The object that it belongs to and is shown with.
}

export function adviceHit({ advice, payment }: ListedAdvice, now: Date): Hit {
  if (payment) return paymentHit(payment, now)
  const { id, customerName, amountKobo, currency, merchantRef } = advice
  const detail = `${adviceStatus(advice, undefined, now)}, ${merchantRef ?? id}`
  return { type: 'advice', reference: id, title: customerName, detail, amountKobo, currency }
}

export function paymentHit(payment: Payment, now: Date): Hit {
  const { id, customerName, amountKobo, currency, merchantRef } = payment
  const detail = `${statusAt(payment, now)}${refundedPart(payment)}, ${merchantRef ?? id}`
  return { type: 'payment', reference: id, title: customerName, detail, amountKobo, currency }
}

function refundedPart({ refundedKobo, amountPaidKobo }: Payment): string {
  if (refundedKobo === 0n) return ''
  return refundedKobo < amountPaidKobo ? ', partly refunded' : ', refunded'
}

export function accountHit(account: CollectionAccount): Hit {
  const { accountNumber, accountName, balanceKobo, currencyCode } = account
  return {
    type: 'account',
    reference: accountNumber,
    title: accountName,
    detail: accountNumber,
    amountKobo: balanceKobo,
    currency: currencyCode,
  }
}

export function creditHit(credit: CreditTrace, sealer: Sealer): Hit {
  const { sourceAccountName, sessionId, amountKobo, currency } = credit
  const reference = publicId(sealer, 'credit', credit.id).toString()
  return {
    type: 'credit',
    reference,
    title: sourceAccountName ?? `Credit ${reference}`,
    detail: sessionId,
    amountKobo,
    currency,
  }
}

export function eventHit({ id, type, sequence }: ListedEvent): Hit {
  return {
    type: 'event',
    reference: id,
    title: type,
    detail: `Event ${sequence}`,
    amountKobo: null,
    currency: null,
  }
}

export function payoutHit(payout: Payout): Hit {
  const { reference, toAccountName, status, amountKobo, currency } = payout
  const detail = `${status}, ${reference}`
  return { type: 'payout', reference, title: toAccountName, detail, amountKobo, currency }
}

export function settlementHit({ reference, status, netKobo, currency }: Settlement): Hit {
  const sum = { amountKobo: netKobo, currency }
  return { type: 'settlement', reference, title: reference, detail: status, ...sum }
}

export function refundHit(refund: Refund, sealer: Sealer): Hit {
  const { reference, reason, amountKobo, currency, paymentId, creditId, parts } = refund
  const detail = `${refundStatus(parts)}, ${reference}`
  const of: Hit['of'] =
    creditId === null
      ? { type: 'payment', reference: paymentId as string }
      : { type: 'credit', reference: publicId(sealer, 'credit', creditId).toString() }
  return { type: 'refund', reference, title: reason, detail, amountKobo, currency, of }
}

export function returnHit({ reference, payerName, status, amountKobo, currency }: Return): Hit {
  const title = payerName ?? reference
  return {
    type: 'return',
    reference,
    title,
    detail: `${status}, ${reference}`,
    amountKobo,
    currency,
  }
}

export function statementHit(statement: Statement): Hit {
  const { id, reference, bankCode, fromDay, toDay, closingKobo, currency } = statement
  const days = fromDay === toDay ? fromDay : `${fromDay} – ${toDay}`
  return {
    type: 'statement',
    reference: id.toString(),
    title: reference ?? '',
    detail: `${bankCode}, ${days}`,
    amountKobo: closingKobo,
    currency,
  }
}

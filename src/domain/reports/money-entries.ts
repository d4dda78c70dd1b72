// Timeline entries of money: ledger transfers, reversals and refunds.

import type { RefundedCredit } from '#domain/refunds/refunds.ts'
import type { CreditReversal, CreditTransfer, LedgerSide } from './credit-histories.ts'
import { kindName } from './ledger-names.ts'
import { type TimelineEntry, toEntry } from './timeline-entries.ts'

const sideName = ({ kind, accountNumber }: LedgerSide) =>
  accountNumber ? `account ${accountNumber}` : kindName(kind)

export function transferEntry(transfer: CreditTransfer, currency: string): TimelineEntry {
  const { from, to, amountKobo, reason, creditId } = transfer
  const moved = `Ledger transfer from ${sideName(from)} to ${sideName(to)}.`
  return toEntry(transfer.postedAt, 'transfer', {
    description: moved,
    amountKobo,
    currency,
    reference: `credit/${creditId}`,
    detail: { from: from.kind, to: to.kind, reason },
  })
}

export function reversalEntry(reversal: CreditReversal, currency: string): TimelineEntry {
  const { receivedAt, amountKobo, sessionId, shortfallKobo, receivableKobo } = reversal
  const isShort = shortfallKobo + receivableKobo > 0n
  const what = `Reversed by the bank${isShort ? ', partly after the funds had left' : ''}.`
  return toEntry(receivedAt, 'reversal', {
    description: what,
    amountKobo,
    currency,
    reference: sessionId,
  })
}

const SETTLED: Partial<Record<RefundedCredit['status'], string>> = {
  confirmed: 'Refunded to the payer and confirmed by the bank.',
  failed: 'The refund failed; the funds are available again.',
  cancelled: 'The refund was cancelled; the funds are available again.',
}

export function refundEntries(refund: RefundedCredit): TimelineEntry[] {
  const { reference, amountKobo, currency, requestedAt, settledAt, status } = refund
  const about = { amountKobo, currency, reference }
  const request = toEntry(requestedAt, 'refund', { description: 'Refund requested.', ...about })
  if (!settledAt) return [request]
  const { bankReference, failureReason } = refund
  const detail = status === 'confirmed' ? { bankReference } : { failureReason }
  const description = SETTLED[status] as string
  return [request, toEntry(settledAt, 'refund', { description, ...about, detail })]
}

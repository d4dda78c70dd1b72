// Schemas and presenters of refunds.

import { Type } from '@fastify/type-provider-typebox'
import {
  type Refund,
  type RefundPart,
  type RefundStatus,
  refundedKobo,
  refundStatus,
} from '#domain/refunds/refunds.ts'
import { Amount, named, nullable, text } from '#http/schemas.ts'
import { maskAccountNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

export const REASON_MAX = 200

const STATUSES: readonly RefundStatus[] = [
  'queued',
  'sending',
  'unknown',
  'confirmed',
  'failed',
  'cancelled',
  'part_failed',
]

export const RefundRequest = named(
  'RefundRequest',
  { amount: Amount, reason: text(REASON_MAX, 'Why it is refunded.') },
  { additionalProperties: false },
)

const RefundPayout = named('RefundPayout', {
  reference: Type.String({ description: 'Payout reference, as in /api/v1/payouts.' }),
  status: Type.String(),
  approval: Type.String({ description: 'not_needed, needed, approved or rejected.' }),
  amount: Type.Number(),
  creditId: Type.Integer({ description: 'Credit that it gives back.' }),
  bankCode: Type.String({ description: 'Bank that sends it: the one the credit came in at.' }),
  toBankCode: Type.String(),
  toAccountName: Type.String(),
  toAccountNumberMasked: Type.String(),
  bankReference: nullable('string', { description: 'Set if confirmed.' }),
  failureReason: nullable('string', { description: 'Set if failed or cancelled.' }),
  settledAt: nullable('string'),
})

export const RefundBody = named('Refund', {
  reference: Type.String({ description: 'Permanent refund reference: RFD and digits.' }),
  status: Type.Unsafe<RefundStatus>({
    type: 'string',
    enum: [...STATUSES],
    description: 'Of its payouts. part_failed: some were confirmed, and some failed.',
  }),
  amount: Type.Number(),
  refundedAmount: Type.Number({ description: 'Of amount, what the banks have confirmed.' }),
  currency: Type.String(),
  reason: Type.String(),
  paymentReference: nullable('string', { description: 'Of a refund of a payment.' }),
  creditId: nullable('number', { description: 'Of a refund of a credit.' }),
  payouts: Type.Array(RefundPayout, { description: 'One per credit, the newest credit first.' }),
  requestedBy: Type.String(),
  requestedAt: Type.String(),
})

export function presentRefund(refund: Refund, sealer: Sealer) {
  const { parts, creditId } = refund
  return {
    reference: refund.reference,
    status: refundStatus(parts),
    amount: toNaira(refund.amountKobo),
    refundedAmount: toNaira(refundedKobo(parts)),
    currency: refund.currency,
    reason: refund.reason,
    paymentReference: refund.paymentId,
    creditId: creditId === null ? null : publicId(sealer, 'credit', creditId),
    payouts: parts.map((part) => presentPart(part, sealer)),
    requestedBy: refund.requestedBy,
    requestedAt: timestamp(refund.requestedAt),
  }
}

function presentPart(part: RefundPart, sealer: Sealer) {
  return {
    reference: part.reference,
    status: part.status,
    approval: part.approval,
    amount: toNaira(part.amountKobo),
    creditId: publicId(sealer, 'credit', part.creditId),
    bankCode: part.bankCode,
    toBankCode: part.toBankCode,
    toAccountName: part.toAccountName,
    toAccountNumberMasked: maskAccountNumber(sealer.open(part.toAccountSealed)),
    bankReference: part.bankReference,
    failureReason: part.failureReason,
    settledAt: part.settledAt && timestamp(part.settledAt),
  }
}

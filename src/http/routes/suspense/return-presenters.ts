// Schemas and presenters of returns, for operators.

import { Type } from '@fastify/type-provider-typebox'
import { PAYOUT_STATUSES } from '#domain/payouts/payouts.ts'
import {
  isReturnReference,
  RETURN_STATUSES,
  type Return,
  SENDERS,
  type Sender,
} from '#domain/suspense/returns.ts'
import { Refusal } from '#errors.ts'
import { named, nullable } from '#http/schemas.ts'
import { maskAccountNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

export const StatusQuery = Type.Optional(
  Type.Unsafe<Return['status']>({
    type: 'string',
    enum: [...RETURN_STATUSES],
    'x-says': `Must be one of ${RETURN_STATUSES.join(', ')}.`,
  }),
)

export const RevealQuery = Type.Optional(
  Type.Unsafe<'true' | 'false'>({
    type: 'string',
    enum: ['true', 'false'],
    description:
      'true: show payerAccountNumber in full. Requires returns:write; every disclosure is ' +
      'recorded in the audit log.',
    'x-says': 'Must be true or false.',
  }),
)

export const ReturnBody = named('Return', {
  reference: Type.String({
    description: 'Permanent reference; pass it to the bank with the instruction.',
  }),
  status: Type.String({ description: `One of ${RETURN_STATUSES.join(', ')}.` }),
  sentBy: nullable('string', {
    description:
      `Who sends it, or has sent it, while it is pending: ${SENDERS.join(', ')}. Only what is ` +
      'the operator’s is sent by hand. Null: it is settled.',
  }),
  payoutStatus: nullable('string', {
    description:
      `Status of its payout, of the same reference: ${PAYOUT_STATUSES.join(', ')}. Null: it has ` +
      'none.',
  }),
  blockedBy: nullable('string', {
    description:
      'client_suspended: do not send it before the client is resumed. return_credit_reversed: the ' +
      'bank has reversed the credit, so the payer has the money. Do not send it; fail the return. ' +
      'return_may_have_been_sent: it is older than the restored database. Ask the bank, then ' +
      'confirm or fail it.',
  }),
  amount: Type.Number(),
  currency: Type.String(),
  bankCode: Type.String({ description: 'Bank that holds and returns the money.' }),
  sessionId: Type.String({ description: 'Session ID of the returned credit.' }),
  payerName: nullable('string'),
  payerBankCode: nullable('string'),
  payerAccountNumberMasked: nullable('string'),
  payerAccountNumber: nullable('string', {
    description:
      'Null unless reveal=true, while it is not to be sent by hand (sentBy, blockedBy), and of ' +
      'what is pending while payouts are held.',
  }),
  narration: nullable('string'),
  clientId: nullable('string', { description: 'Owner of the suspense item. Null: unidentified.' }),
  suspenseId: Type.Integer(),
  creditId: Type.Integer(),
  bankReference: nullable('string', { description: 'Set once the bank confirms.' }),
  failureReason: nullable('string'),
  requestedBy: nullable('string'),
  requestedAt: Type.String(),
  settledBy: nullable('string'),
  settledAt: nullable('string'),
})

export function checkedReference({ reference }: { reference: string }): string {
  if (!isReturnReference(reference)) throw new Refusal('return_not_found')
  return reference
}

type Shown = { sentBy: Sender | null; isRevealed?: boolean }

export function presentReturn(given: Return, sealer: Sealer, { sentBy, isRevealed }: Shown) {
  const { payerAccountSealed, settledAt } = given
  const number = payerAccountSealed && sealer.open(payerAccountSealed)
  return {
    reference: given.reference,
    status: given.status,
    sentBy,
    payoutStatus: given.payoutStatus,
    blockedBy: given.blockedBy,
    amount: toNaira(given.amountKobo),
    currency: given.currency,
    bankCode: given.bankCode,
    sessionId: given.sessionId,
    payerName: given.payerName,
    payerBankCode: given.payerBankCode,
    payerAccountNumberMasked: number && maskAccountNumber(number),
    payerAccountNumber: isRevealed ? number : null,
    narration: given.narration,
    clientId: given.clientId,
    suspenseId: publicId(sealer, 'suspense', given.itemId),
    creditId: publicId(sealer, 'credit', given.creditId),
    bankReference: given.bankReference,
    failureReason: given.failureReason,
    requestedBy: given.requestedBy,
    requestedAt: timestamp(given.requestedAt),
    settledBy: given.settledBy,
    settledAt: settledAt && timestamp(settledAt),
  }
}

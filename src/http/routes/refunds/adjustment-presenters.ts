// Schemas and presenters of adjustments.

import { Type } from '@fastify/type-provider-typebox'
import {
  ADJUSTMENT_KINDS,
  ADJUSTMENT_STATES,
  type Adjustment,
  OWED,
} from '#domain/refunds/adjustments.ts'
import { CannotApprove, presentObstacle } from '#http/routes/suspense/approval-presenters.ts'
import { Amount, digits, named, nullable, oneOf, text } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'

export const REASON_MAX = 500

export const choice = <T extends string>(values: readonly T[], description: string) => ({
  ...oneOf(values, description),
  'x-says': `Must be one of ${values.join(', ')}.`,
})

export const AdjustmentRequest = named(
  'AdjustmentRequest',
  {
    kind: choice(ADJUSTMENT_KINDS, 'recovery: it was paid back. write_off: it will not be.'),
    of: choice(OWED, 'receivable: owed by a client. shortfall: owed by a bank.'),
    clientId: Type.Optional(text(64, 'Who owes a receivable.')),
    bankCode: Type.Optional(
      digits('^[0-9]{3,6}$', 'Which bank owes a shortfall.', 'Must be a bank code.'),
    ),
    amount: Amount,
    reason: text(REASON_MAX, 'Reason, shown to the approver.'),
  },
  { additionalProperties: false },
)

export const AdjustmentBody = named('Adjustment', {
  reference: Type.String({ description: 'ADJ and digits.' }),
  kind: Type.String({ description: 'recovery or write_off.' }),
  of: Type.String({ description: 'receivable or shortfall.' }),
  clientId: nullable('string'),
  bankCode: nullable('string'),
  amount: Type.Number(),
  currency: Type.String(),
  reason: Type.String({ description: 'Reason given by the requester.' }),
  state: Type.String({ description: `One of ${ADJUSTMENT_STATES.join(', ')}.` }),
  requestedBy: Type.String(),
  requestedAt: Type.String(),
  cannotApprove: CannotApprove('Why you cannot approve it while open. Null if you can.'),
  decidedBy: nullable('string'),
  decidedAt: nullable('string'),
  decisionReason: nullable('string'),
})

export function presentAdjustment(adjustment: Adjustment) {
  const { decidedAt, obstacle } = adjustment
  return {
    reference: adjustment.reference,
    kind: adjustment.kind,
    of: adjustment.of,
    clientId: adjustment.clientName,
    bankCode: adjustment.bankCode,
    amount: toNaira(adjustment.amountKobo),
    currency: adjustment.currency,
    reason: adjustment.reason,
    state: adjustment.state,
    requestedBy: adjustment.requestedBy,
    requestedAt: timestamp(adjustment.requestedAt),
    cannotApprove: presentObstacle(obstacle),
    decidedBy: adjustment.decidedBy,
    decidedAt: decidedAt && timestamp(decidedAt),
    decisionReason: adjustment.decisionReason,
  }
}

// Schemas and presenters of requests to fail payouts.

import { Type } from '@fastify/type-provider-typebox'
import { FAILURE_STATES, type PayoutFailure } from '#domain/payouts/payout-failures.ts'
import { CannotApprove, presentObstacle } from '#http/routes/suspense/approval-presenters.ts'
import { named, nullable, text } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'

export const REASON_MAX = 500
const EVIDENCE_MAX = 400

export const Evidence = text(
  EVIDENCE_MAX,
  'What the bank said: who, when, and under which reference. Shown to the approver.',
)

export const PayoutFailureBody = named('PayoutFailure', {
  reference: Type.String({ description: 'PFR and digits.' }),
  payout: nullable('string', { description: 'Payout that is to fail. Null: those of a file.' }),
  payoutFile: nullable('string', { description: 'File whose open payouts are to fail.' }),
  amount: Type.Number({ description: 'That becomes available again.' }),
  reason: nullable('string', { description: 'Of a payout: shown to the client.' }),
  evidence: Type.String({ description: 'What the bank said.' }),
  state: Type.String({ description: `One of ${FAILURE_STATES.join(', ')}.` }),
  requestedBy: Type.String(),
  requestedAt: Type.String(),
  cannotApprove: CannotApprove('Why you cannot approve it while open. Null if you can.'),
  decidedBy: nullable('string'),
  decidedAt: nullable('string'),
  decisionReason: nullable('string'),
})

export const OpenFailure = Type.Union([PayoutFailureBody, Type.Null()], {
  description: 'Open request to fail it. Null: there is none.',
})

export function presentFailure(failure: PayoutFailure) {
  const { amountKobo, requestedAt, decidedAt, obstacle } = failure
  return {
    reference: failure.reference,
    payout: failure.payout,
    payoutFile: failure.payoutFile,
    amount: toNaira(amountKobo),
    reason: failure.reason,
    evidence: failure.evidence,
    state: failure.state,
    requestedBy: failure.requestedBy,
    requestedAt: timestamp(requestedAt),
    cannotApprove: presentObstacle(obstacle),
    decidedBy: failure.decidedBy,
    decidedAt: decidedAt && timestamp(decidedAt),
    decisionReason: failure.decisionReason,
  }
}

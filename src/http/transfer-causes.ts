// What a ledger transfer is of, where it is not of a credit: fields of every list of transfers.

import type { CauseReferences } from '#domain/records/transfer-causes.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { nullable } from './schemas.ts'

export const CauseFields = {
  payoutReference: nullable('string', { description: 'Of a payout or refund.' }),
  settlementReference: nullable('string', { description: 'Of a settlement, or its payouts.' }),
  adjustmentId: nullable('number', { description: 'Of a recovery or write-off.' }),
  differenceId: nullable('number', { description: 'Of what was booked from a bank’s statement.' }),
}

export function presentCause(cause: CauseReferences, sealer: Sealer) {
  const { payoutReference, settlementReference, adjustmentId, differenceId } = cause
  return {
    payoutReference,
    settlementReference,
    adjustmentId: adjustmentId === null ? null : publicId(sealer, 'adjustment', adjustmentId),
    differenceId: differenceId === null ? null : publicId(sealer, 'difference', differenceId),
  }
}

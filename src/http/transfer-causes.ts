// What a ledger transfer is of, where it is not of a credit: fields of every list of transfers.

import type { CauseReferences } from '#domain/records/transfer-causes.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { nullable } from './schemas.ts'

export const CauseFields = {
  payoutReference: nullable('string', { description: 'Of a payout or refund.' }),
  settlementReference: nullable('string', { description: 'Of a settlement, or its payouts.' }),
  adjustmentId: nullable('number', { description: 'Of a recovery or write-off.' }),
}

export function presentCause(cause: CauseReferences, sealer: Sealer) {
  const { payoutReference, settlementReference, adjustmentId } = cause
  return {
    payoutReference,
    settlementReference,
    adjustmentId: adjustmentId === null ? null : publicId(sealer, 'adjustment', adjustmentId),
  }
}

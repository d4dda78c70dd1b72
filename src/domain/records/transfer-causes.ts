// References that identify a transfer without a credit: its payout or settlement, its adjustment,
// or its difference (I46).

import type { AdjustmentId, DifferenceId } from '#ids.ts'

export type CauseReferences = {
  payoutReference: string | null
  settlementReference: string | null // Also for a payout of a settlement.
  adjustmentId: AdjustmentId | null // A recovery or a write-off.
  differenceId: DifferenceId | null // Booked from a bank's statement.
}

export const CAUSE_COLUMNS = `
  payout.reference as "payoutReference", settlement.reference as "settlementReference",
  t.adjustment_id as "adjustmentId", t.difference_id as "differenceId"`
export const CAUSE_JOINS = `
  left join payouts payout on payout.id = t.payout_id
  left join settlements settlement on settlement.id = coalesce(t.settlement_id, payout.settlement_id)`

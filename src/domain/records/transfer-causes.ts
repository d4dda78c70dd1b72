// What a ledger transfer of another cause than a credit is shown by: the reference of its payout,
// settlement or adjustment (I46).

export type CauseReferences = {
  payoutReference: string | null
  settlementReference: string | null
  adjustmentReference: string | null
}

// Of the transfer `t`.
export const CAUSE_COLUMNS = `
  null::text as "payoutReference", null::text as "settlementReference",
  null::text as "adjustmentReference"`
export const CAUSE_JOINS = ''

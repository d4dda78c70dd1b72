// SQL that several rooms share: the cause of a transfer, personal data on statement lines, and ages in days.

import type { AdjustmentId, DifferenceId } from '#ids.ts'

// References that identify a transfer without a credit: its payout or settlement, its adjustment,
// its difference or its hold (I46).
export type CauseReferences = {
  payoutReference: string | null
  settlementReference: string | null // Also set for a payout of a settlement.
  adjustmentId: AdjustmentId | null // Set for a recovery or a write-off.
  differenceId: DifferenceId | null // Set for a booking from a bank's statement.
  holdReference: string | null
}

export const CAUSE_COLUMNS = `
  payout.reference as payout_reference, settlement.reference as settlement_reference,
  t.adjustment_id, t.difference_id, hold.reference as hold_reference`
export const CAUSE_JOINS = `
  left join payouts payout on payout.id = t.payout_id
  left join settlements settlement on settlement.id = coalesce(t.settlement_id, payout.settlement_id)
  left join holds hold on hold.id = t.hold_id`

// SQL condition: the statement line `l` has personal data.
export const SOMEBODY_ON_LINE = `
  num_nonnulls(l.counterparty_name, l.counterparty_sealed, l.counterparty_bank, l.narration) > 0`

// SQL assignments: erase the personal data of a statement line.
export const NOBODY_ON_LINE =
  'counterparty_name = null, counterparty_sealed = null, counterparty_bank = null, narration = null'

// Ages are in calendar days of West Africa. These are the buckets of a client's suspense.
export const AGE_BUCKETS = ['0-1', '2-7', '8-30', '30+'] as const
export type AgeBucket = (typeof AGE_BUCKETS)[number]

// Finer age buckets, for the operator's ageing of suspense and of differences.
export const AGEING_BUCKETS = [
  '0-1',
  '2-7',
  '8-30',
  '31-60',
  '61-90',
  '91-180',
  '181-365',
  '365+',
] as const
export type AgeingBucket = (typeof AGEING_BUCKETS)[number]

// SQL expression: the calendar day of a moment in West Africa (UTC+1).
const watDayOf = (moment: string) => `(${moment} at time zone interval '1 hour')::date`

// SQL expression: the number of midnights in West Africa between two moments.
export const ageDays = (since: string, until: string) => `(${watDayOf(until)} - ${watDayOf(since)})`

// SQL expressions: the age bucket for a number of days.
export const bucketOf = (days: string) => `
  case when ${days} <= 1 then '0-1' when ${days} <= 7 then '2-7' when ${days} <= 30 then '8-30'
       else '30+' end`

export const ageingBucketOf = (days: string) => `
  case when ${days} <= 30 then ${bucketOf(days)} when ${days} <= 60 then '31-60'
       when ${days} <= 90 then '61-90' when ${days} <= 180 then '91-180'
       when ${days} <= 365 then '181-365' else '365+' end`

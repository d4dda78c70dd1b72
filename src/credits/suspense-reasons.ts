// The reasons why a credit, or a part of it, is put in suspense.

import type { LimitViolation } from '#accounts/limits.ts'
import type { RuleViolation } from '#accounts/payer-rules.ts'

export type SuspenseReason =
  | 'unknown_number'
  | 'wrong_bank'
  | 'wrong_currency'
  | 'account_inactive'
  | 'amount_suspicious'
  | 'already_paid'
  | 'cancelled'
  | 'payment_reversed'
  | 'late'
  | RuleViolation
  | LimitViolation
  | 'amount_mismatch'
  | 'excess'
  | 'underpaid' // The payment closed before it was paid in full.

const REASONS: Record<SuspenseReason, string> = {
  unknown_number: 'no virtual account has the number it was sent to',
  wrong_bank: 'another bank reported it than the one that has the number',
  wrong_currency: 'it is not in the currency of the account',
  amount_suspicious: 'the amount is above what is booked without a look',
  account_inactive: 'the collection account is not active',
  already_paid: 'the payment had been settled before',
  cancelled: 'the payment had been cancelled',
  payment_reversed: 'the payment had been reversed',
  late: 'it came after the payment had closed',
  below_minimum: 'it is less than the account accepts at a time',
  above_maximum: 'it is more than the account accepts at a time',
  over_credit_limit: 'it is more than the limit of the account for one credit',
  over_daily_limit: 'with it the account would have taken more than its limit for a day',
  over_balance_limit: 'with it the account would have held more than its limit',
  payer_not_allowed: 'the payer is not among those who may pay',
  amount_mismatch: 'it is not exactly the amount that was due',
  excess: 'it is more than was due',
  underpaid: 'the payment closed before the whole amount was there',
}

// Returns the reason as the end of a sentence, such as “Held in suspense: it is more than was due.” A reason
// that an older release stored may have no text.
export function reasonInWords(reason: string): string {
  return REASONS[reason as SuspenseReason] ?? reason.replaceAll('_', ' ')
}

// Records which outcomes occurred in a simulation. A run proves nothing about outcomes that never occurred,
// so each full run must reach all outcomes listed here.

import type { Answer, Op } from '../support/model.ts'

const REASONS = [
  'unknown_number',
  'wrong_bank',
  'wrong_currency',
  'already_paid',
  'cancelled',
  'payment_reversed',
  'late',
  'account_inactive',
  'below_minimum',
  'above_maximum',
  'payer_not_allowed',
  'over_credit_limit',
  'over_daily_limit',
  'over_balance_limit',
  'amount_mismatch',
]

const ALL: readonly string[] = [
  'credits 00 booked',
  'credits 00 booked excess',
  ...REASONS.map((reason) => `credits 00 suspended ${reason}`),
  'credits 01 duplicate',
  'credits 01 duplicate late',
  'credits 02 rejected session_reused',
  'credits 00 kept invalid_amount',
  'credits 00 kept invalid_session_id',
  'credits 02 rejected invalid_amount',
  'findings 00 booked',
  'findings 00 booked excess',
  'findings 00 suspended unknown_number',
  'findings 01 duplicate',
  'findings 02 rejected session_reused',
  'reversal 00 reversed',
  'reversal 01 duplicate',
  'reversal 02 rejected session_reused',
  'reversal 03 retry original_not_found',
  'reversal 02 rejected amount_exceeds_original',
  'assign done',
  'assign suspense_not_fitting',
  'assign suspense_not_found',
  'return done',
  'cancel Cancelled',
  'cancel advice_paid',
  'rule done',
  'advice merchant_ref_reused',
  'advice invalid_request',
  'initiate Processing',
  'initiate numbers_exhausted',
  'read Processing',
  'read PartPayment',
  'read Successful',
  'read Expired',
  'read Reversed',
]

export class Sights {
  readonly #seen = new Set<string>()

  add(op: Op, answer: Answer): void {
    for (const result of Array.isArray(answer) ? answer : [answer]) {
      const { responseCode, outcome, code, refused, status, isDone } = result
      const words = [op.do, responseCode, outcome, code, refused, status, isDone && 'done']
      this.#seen.add(words.filter(Boolean).join(' '))
    }
  }

  get missing(): string[] {
    return ALL.filter((sight) => !this.#seen.has(sight))
  }
}

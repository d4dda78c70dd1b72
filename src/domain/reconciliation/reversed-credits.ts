// The credit that a debit of the kind reversed_at_bank names. A debit smaller than the credit has two
// readings, which only a person can tell apart: a charge, or a partial reversal.

import type { CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export const READINGS = ['charge', 'reversal'] as const
export type Reading = (typeof READINGS)[number]

// Null, null and false for every other difference.
export type ReversedCredit = {
  reversedCreditId: CreditId | null
  reversedKobo: Kobo | null
  isPartialReversal: boolean
}

// For the difference `d` and its line `l`, by the first identifier that is a credit's, as in
// credit-identifiers.ts.
export const JOIN_REVERSED = `
  left join lateral (
    select c.id, c.amount_kobo as kobo,
           c.amount_kobo - c.fee_kobo - c.vat_kobo - c.duty_kobo as net_kobo
      from credit_identifiers k join all_credits c on c.id = k.credit_id
     where k.value in (l.session_id, l.bank_reference, l.end_to_end_id)
       and k.bank_code = d.bank_code and c.currency = d.currency
     order by array_position(array[l.session_id, l.bank_reference, l.end_to_end_id], k.value)
     limit 1) as reversed on d.kind = 'reversed_at_bank'`

// The net amount that the bank paid counts as the whole credit, unless the line is called a charge.
export const REVERSED_COLUMNS = `
  reversed.id as "reversedCreditId", reversed.kobo as "reversedKobo",
  coalesce(-d.amount_kobo < reversed.kobo
           and (-d.amount_kobo <> reversed.net_kobo or l.kind in ('fee', 'vat', 'stamp_duty')), false)
    as "isPartialReversal"`

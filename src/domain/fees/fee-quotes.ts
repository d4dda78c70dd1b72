// What a fee will be, as told before the money is there: on an advice, and to the payer.
//
// Where the customer bears it, the payment asks for so much more (askFor), and keeps what it asked by:
// later rules do not change what a payer was shown. Where the merchant bears it, nothing is asked, and
// the rule in force when the money is booked counts.

import type { FeeRuleId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { askFor, computeFee } from './compute-fee.ts'
import type { FeeRule } from './fee-rules.ts'

// What a payer is asked for, and how much of it is fee and VAT; null where the merchant bears them.
export type FeeQuote = {
  amountKobo: Kobo
  feeRuleId: FeeRuleId | null
  quotedFeeKobo: Kobo | null
  quotedVatKobo: Kobo | null
}

// Of a payment `p`, besides its amount.
export const QUOTE_COLUMNS = `
         p.fee_rule_id as "feeRuleId", p.quoted_fee_kobo as "quotedFeeKobo",
         p.quoted_vat_kobo as "quotedVatKobo"`

export function quoteFor(rule: FeeRule | undefined, wantedKobo: Kobo): FeeQuote {
  if (rule?.bearer !== 'customer') {
    return { amountKobo: wantedKobo, feeRuleId: null, quotedFeeKobo: null, quotedVatKobo: null }
  }
  const amountKobo = askFor(rule, wantedKobo)
  const { feeKobo, vatKobo } = computeFee(rule, amountKobo)
  return { amountKobo, feeRuleId: rule.id, quotedFeeKobo: feeKobo, quotedVatKobo: vatKobo }
}

// As an advice shows it.
type AdviceCharges = {
  chargeKobo: Kobo // The fee, …
  vatChargeKobo: Kobo // … and the VAT on it.
  customerChargeKobo: Kobo // What the payer pays on top of the amount.
  merchantChargeKobo: Kobo // What is deducted from what the payer pays.
}

type PaymentFees = FeeQuote & { isSettled: boolean; chargedFeeKobo: Kobo; chargedVatKobo: Kobo }

// Of a settled payment what was charged; before that what would be, by its quote or the rule in force.
export function describeCharges(
  wantedKobo: Kobo,
  rule: FeeRule | undefined,
  payment: PaymentFees | undefined,
): AdviceCharges {
  const quote = payment ?? quoteFor(rule, wantedKobo)
  const isCustomers = quote.feeRuleId !== null
  const expected =
    isCustomers || !rule || rule.bearer === 'customer'
      ? { feeKobo: quote.quotedFeeKobo ?? kobo(0n), vatKobo: quote.quotedVatKobo ?? kobo(0n) }
      : computeFee(rule, wantedKobo)
  const { feeKobo, vatKobo } = payment?.isSettled
    ? { feeKobo: payment.chargedFeeKobo, vatKobo: payment.chargedVatKobo }
    : expected
  return {
    chargeKobo: feeKobo,
    vatChargeKobo: vatKobo,
    customerChargeKobo: kobo(quote.amountKobo - wantedKobo),
    merchantChargeKobo: isCustomers ? kobo(0n) : kobo(feeKobo + vatKobo),
  }
}

// Fee quotes, before the money arrives: on an advice, and to the payer.
//
// If the customer bears the fee, the payment requests the gross amount (grossUp) and stores its
// quote, so that later rules do not change the amount a payer was shown. If the merchant bears it,
// the rule in force when the money is booked applies.

import type { FeeRuleId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { computeFee, grossUp } from './compute-fee.ts'
import type { FeeRule } from './fee-rules.ts'

// The amount to request, with its fee and VAT; these are null if the merchant bears them.
export type FeeQuote = {
  amountKobo: Kobo
  feeRuleId: FeeRuleId | null
  quotedFeeKobo: Kobo | null
  quotedVatKobo: Kobo | null
}

export const QUOTE_COLUMNS = `
         p.fee_rule_id as "feeRuleId", p.quoted_fee_kobo as "quotedFeeKobo",
         p.quoted_vat_kobo as "quotedVatKobo"`

export function quoteFor(rule: FeeRule | undefined, targetKobo: Kobo): FeeQuote {
  if (rule?.bearer !== 'customer') {
    return { amountKobo: targetKobo, feeRuleId: null, quotedFeeKobo: null, quotedVatKobo: null }
  }
  const amountKobo = grossUp(rule, targetKobo)
  const { feeKobo, vatKobo } = computeFee(rule, amountKobo)
  return { amountKobo, feeRuleId: rule.id, quotedFeeKobo: feeKobo, quotedVatKobo: vatKobo }
}

type AdviceCharges = {
  chargeKobo: Kobo // The fee, …
  vatChargeKobo: Kobo // … and the VAT on it.
  customerChargeKobo: Kobo // Paid by the payer on top of the amount.
  merchantChargeKobo: Kobo // Deducted from the payment.
}

type PaymentFees = FeeQuote & { isSettled: boolean; chargedFeeKobo: Kobo; chargedVatKobo: Kobo }

// The actual charges of a settled payment. Before that, the expected ones by its quote or the rule
// in force.
export function describeCharges(
  targetKobo: Kobo,
  rule: FeeRule | undefined,
  payment: PaymentFees | undefined,
): AdviceCharges {
  const quote = payment ?? quoteFor(rule, targetKobo)
  const isCustomers = quote.feeRuleId !== null
  const expected =
    isCustomers || !rule || rule.bearer === 'customer'
      ? { feeKobo: quote.quotedFeeKobo ?? kobo(0n), vatKobo: quote.quotedVatKobo ?? kobo(0n) }
      : computeFee(rule, targetKobo)
  const { feeKobo, vatKobo } = payment?.isSettled
    ? { feeKobo: payment.chargedFeeKobo, vatKobo: payment.chargedVatKobo }
    : expected
  return {
    chargeKobo: feeKobo,
    vatChargeKobo: vatKobo,
    customerChargeKobo: kobo(quote.amountKobo - targetKobo),
    merchantChargeKobo: isCustomers ? kobo(0n) : kobo(feeKobo + vatKobo),
  }
}

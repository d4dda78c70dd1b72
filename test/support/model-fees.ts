// The model's fees (model.ts), written from docs/money-flow.md: the fee of a rule, the amount quoted to a
// payer who bears the fee, and the share of the fee that each part of the money bears.

import type { Books } from './model-books.ts'
import { Account, type Client, type Part, type Payment } from './model-places.ts'
import { shareOut } from './model-splits.ts'

export type FeeRule = {
  flatKobo: bigint
  bps: number
  minKobo: bigint
  capKobo: bigint | null
  waiveBelowKobo: bigint
  isVatIncluded: boolean
  isCustomers: boolean // The customer bears the fee.
  isSubaccounts: boolean // Subaccounts bear the fee.
}

const VAT_BPS = 750n

// Divides and rounds half up.
const halfUp = (dividend: bigint, divisor: bigint) => (2n * dividend + divisor) / (2n * divisor)

// The fee of an amount in ten-thousandths of a kobo, because basis points give fractions of a kobo.
function priceOf(rule: FeeRule, kobo: bigint): bigint {
  const flat = kobo < rule.waiveBelowKobo ? 0n : rule.flatKobo
  const price = flat * 10_000n + kobo * BigInt(rule.bps)
  if (price < rule.minKobo * 10_000n) return rule.minKobo * 10_000n
  if (rule.capKobo !== null && price > rule.capKobo * 10_000n) return rule.capKobo * 10_000n
  return price
}

// The fee and VAT that are deducted from an amount, so together they never exceed it. If the rule's fee would
// exceed the amount, the whole amount is fee and VAT.
export function feeOn(rule: FeeRule, kobo: bigint): { fee: bigint; vat: bigint } {
  const { fee, vat } = feeOnTop(rule, kobo)
  if (fee + vat <= kobo) return { fee, vat }
  const cappedVat = halfUp(kobo * VAT_BPS, 10_000n + VAT_BPS)
  return { fee: kobo - cappedVat, vat: cappedVat }
}

// The fee and VAT that are added to an amount, so together they may exceed it.
export function feeOnTop(rule: FeeRule, kobo: bigint): { fee: bigint; vat: bigint } {
  const price = halfUp(priceOf(rule, kobo), 10_000n)
  const vat = halfUp(price * VAT_BPS, rule.isVatIncluded ? 10_000n + VAT_BPS : 10_000n)
  return { fee: rule.isVatIncluded ? price - vat : price, vat }
}

// The amount to quote to a payer who bears the fee: the smallest from which `wantedKobo` remains after fee
// and VAT, both with and without their rounding. Tries kobo by kobo instead of solving the equation as the
// service does.
export function askedOf(rule: FeeRule | undefined, wantedKobo: bigint): bigint {
  if (!rule?.isCustomers) return wantedKobo
  const rate = rule.isVatIncluded ? 10_000n : 10_000n + VAT_BPS
  for (let kobo = wantedKobo; ; kobo++) {
    const { fee, vat } = feeOn(rule, kobo)
    // Without rounding. Both sides are in hundred-millionths of a kobo: ten-thousandths by the price, and
    // again by the rate.
    const isExact = (kobo - wantedKobo) * 100_000_000n >= priceOf(rule, kobo) * rate
    if (isExact && kobo - fee - vat >= wantedKobo) return kobo
  }
}

// The client's fee rule in force.
export function ruleOf(books: Books, client: Client): FeeRule | undefined {
  return books.rules.get(client.name)?.rule
}

// Charges the fee and shares out the split when a part was booked to an account, or when a part completed a
// payment. For a payment, all its parts are charged together.
export function charge(books: Books, owner: Account | Payment, part: Part): void {
  const currentRule = ruleOf(books, owner.client)
  if (owner instanceof Account) {
    if (currentRule) chargeParts(currentRule, [part])
    shareOut(owner.split, currentRule, [part])
    return
  }
  // A rule that the customer bears applies only if it was quoted when the payment began.
  const rule = owner.quotedRule ?? (currentRule?.isCustomers ? undefined : currentRule)
  const parts = [...[...owner.parts].filter((earlierPart) => earlierPart !== part), part]
  if (rule) chargeParts(rule, parts)
  shareOut(owner.advice.terms.split, rule, parts)
}

// Charges one fee on the sum of the parts, and records each part's share of fee and VAT.
function chargeParts(rule: FeeRule, parts: readonly Part[]): void {
  const { fee, vat } = feeOn(
    rule,
    parts.reduce((sum, part) => sum + part.kobo, 0n),
  )
  const totals = distributed(
    fee + vat,
    parts.map((part) => part.kobo),
  )
  const vats = distributed(vat, totals)
  for (const [index, part] of parts.entries()) {
    const [total, vatShare] = [totals[index] as bigint, vats[index] as bigint]
    part.charged = { fee: total - vatShare, vat: vatShare, baseKobo: part.kobo }
  }
}

// Divides a total in proportion to the parts, rounding down. The remainder goes to the last parts; no part
// gets more than its own amount.
export function distributed(total: bigint, parts: readonly bigint[]): bigint[] {
  const sumOfParts = parts.reduce((sum, part) => sum + part, 0n)
  const shares = parts.map((part) => (sumOfParts === 0n ? 0n : (total * part) / sumOfParts))
  let remainder = total - shares.reduce((sum, share) => sum + share, 0n)
  for (const index of [...parts.keys()].reverse()) {
    while (remainder > 0n && (shares[index] as bigint) < (parts[index] as bigint)) {
      shares[index] = (shares[index] as bigint) + 1n
      remainder -= 1n
    }
  }
  return shares
}

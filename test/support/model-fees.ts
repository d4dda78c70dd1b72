// The model's fees, after docs/money-flow.md: the price of a rule, the amount quoted to a payer who bears
// it, and the share of each part.

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
  isCustomers: boolean
  isSubaccounts: boolean
}

const VAT_BPS = 750n

const halfUp = (dividend: bigint, divisor: bigint) => (2n * dividend + divisor) / (2n * divisor)

// In ten-thousandths of a kobo, before rounding.
function priceOf(rule: FeeRule, kobo: bigint): bigint {
  const flat = kobo < rule.waiveBelowKobo ? 0n : rule.flatKobo
  const price = flat * 10_000n + kobo * BigInt(rule.bps)
  if (price < rule.minKobo * 10_000n) return rule.minKobo * 10_000n
  if (rule.capKobo !== null && price > rule.capKobo * 10_000n) return rule.capKobo * 10_000n
  return price
}

export function feeOn(rule: FeeRule, kobo: bigint): { fee: bigint; vat: bigint } {
  const { fee, vat } = feeOnTop(rule, kobo)
  if (fee + vat <= kobo) return { fee, vat }
  const share = halfUp(kobo * VAT_BPS, 10_000n + VAT_BPS)
  return { fee: kobo - share, vat: share }
}

// Added to the amount, so it may exceed it.
export function feeOnTop(rule: FeeRule, kobo: bigint): { fee: bigint; vat: bigint } {
  const price = halfUp(priceOf(rule, kobo), 10_000n)
  const vat = halfUp(price * VAT_BPS, rule.isVatIncluded ? 10_000n + VAT_BPS : 10_000n)
  return { fee: rule.isVatIncluded ? price - vat : price, vat }
}

// Tries kobo by kobo until the amount is enough before and after rounding.
export function askedOf(rule: FeeRule | undefined, wantedKobo: bigint): bigint {
  if (!rule?.isCustomers) return wantedKobo
  const rate = rule.isVatIncluded ? 10_000n : 10_000n + VAT_BPS
  for (let kobo = wantedKobo; ; kobo++) {
    const { fee, vat } = feeOn(rule, kobo)
    const isExact = (kobo - wantedKobo) * 100_000_000n >= priceOf(rule, kobo) * rate
    if (isExact && kobo - fee - vat >= wantedKobo) return kobo
  }
}

export function ruleOf(books: Books, client: Client): FeeRule | undefined {
  return books.rules.get(client.name)?.rule
}

// The part has come to its owner and, for a payment, settled it: charges the fee, then the split.
export function charge(books: Books, owner: Account | Payment, part: Part): void {
  const now = ruleOf(books, owner.client)
  if (owner instanceof Account) {
    if (now) share(now, [part])
    shareOut(owner.split, now, [part])
    return
  }
  const rule = owner.quotedRule ?? (now?.isCustomers ? undefined : now)
  const parts = [...[...owner.parts].filter((each) => each !== part), part]
  if (rule) share(rule, parts)
  shareOut(owner.advice.terms.split, rule, parts)
}

// The last part bears the rounding.
function share(rule: FeeRule, parts: readonly Part[]): void {
  const { fee, vat } = feeOn(
    rule,
    parts.reduce((sum, part) => sum + part.kobo, 0n),
  )
  const all = distributed(
    fee + vat,
    parts.map((part) => part.kobo),
  )
  const vats = distributed(vat, all)
  for (const [at, part] of parts.entries()) {
    const [whole, ofVat] = [all[at] as bigint, vats[at] as bigint]
    part.charged = { fee: whole - ofVat, vat: ofVat, baseKobo: part.kobo }
  }
}

export function distributed(total: bigint, parts: readonly bigint[]): bigint[] {
  const whole = parts.reduce((sum, part) => sum + part, 0n)
  const shares = parts.map((part) => (whole === 0n ? 0n : (total * part) / whole))
  let left = total - shares.reduce((sum, each) => sum + each, 0n)
  for (const at of [...parts.keys()].reverse()) {
    while (left > 0n && (shares[at] as bigint) < (parts[at] as bigint)) {
      shares[at] = (shares[at] as bigint) + 1n
      left -= 1n
    }
  }
  return shares
}

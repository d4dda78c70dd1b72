// Computes the fee of a rule on an amount. Pure, in whole kobo: fee and VAT are each rounded half up.
//
//   fee   flat (waived below a threshold) + bps of the amount, at least min, at most cap
//   VAT   on top of the fee, or included in it
//   net   the rest; fee and VAT never exceed the amount
//
// If the customer bears the fee, grossUp computes the amount to request, so that at least the target
// amount is left after fee and VAT on the whole: before rounding and after it, so never short.

import { type Kobo, kobo } from '#money.ts'

export type FeeBasis = 'credit' | 'payout'
export type FeeBearer = 'merchant' | 'customer' | 'subaccount'

export type FeeTerms = {
  code: string
  basis: FeeBasis
  flatKobo: Kobo
  bps: number
  minKobo: Kobo
  capKobo: Kobo | null // Null means no cap.
  waiveFlatBelowKobo: Kobo // No flat fee below this amount.
  vatBps: number
  vatIncluded: boolean
  bearer: FeeBearer
}

export type Fee = { feeKobo: Kobo; vatKobo: Kobo; netKobo: Kobo }

export const VAT_BPS_DEFAULT = 750
export const RATE_BPS_MAX = 5_000

const ALL_BPS = 10_000n

export function computeFee(terms: FeeTerms, amountKobo: Kobo): Fee {
  const { feeKobo, vatKobo } = computeFeeOnTop(terms, amountKobo)
  const netKobo = amountKobo - feeKobo - vatKobo
  if (netKobo >= 0n) return { feeKobo, vatKobo, netKobo: kobo(netKobo) }
  // Fee and VAT take the whole amount, in proportion.
  const vatBps = BigInt(terms.vatBps)
  const shareKobo = roundHalfUp(amountKobo * vatBps, ALL_BPS + vatBps)
  return { feeKobo: kobo(amountKobo - shareKobo), vatKobo: kobo(shareKobo), netKobo: kobo(0n) }
}

// For fees that are not deducted from the amount, as for payouts: they may exceed it.
export function computeFeeOnTop(terms: FeeTerms, amountKobo: Kobo): Omit<Fee, 'netKobo'> {
  const vatBps = BigInt(terms.vatBps)
  const priceKobo = roundHalfUp(exactPrice(terms, amountKobo), ALL_BPS)
  const vatKobo = terms.vatIncluded
    ? roundHalfUp(priceKobo * vatBps, ALL_BPS + vatBps)
    : roundHalfUp(priceKobo * vatBps, ALL_BPS)
  const feeKobo = terms.vatIncluded ? priceKobo - vatKobo : priceKobo
  return { feeKobo: kobo(feeKobo), vatKobo: kobo(vatKobo) }
}

// The smallest gross amount that leaves at least `targetKobo`.
export function grossUp(terms: FeeTerms, targetKobo: Kobo): Kobo {
  const waivedBelow = terms.waiveFlatBelowKobo
  // The flat fee starts at the threshold, so the net amount grows monotonically only on either side
  // of it.
  const below = smallestFrom(targetKobo, terms, targetKobo)
  if (below < waivedBelow || targetKobo >= waivedBelow) return below
  return smallestFrom(waivedBelow, terms, targetKobo)
}

function smallestFrom(startKobo: Kobo, terms: FeeTerms, targetKobo: Kobo): Kobo {
  const { waiveFlatBelowKobo, flatKobo, minKobo } = terms
  const isBelow = startKobo < waiveFlatBelowKobo
  const regime = isBelow ? { ...terms, flatKobo: kobo(0n) } : terms
  let low: bigint = startKobo
  // At the highest rates a quarter of every further kobo is left.
  let high = startKobo + 4n * (targetKobo + 2n * (flatKobo + minKobo)) + 1n
  while (low < high) {
    const middle = (low + high) / 2n
    if (coversTarget(regime, kobo(middle), targetKobo)) high = middle
    else low = middle + 1n
  }
  while (computeFee(regime, kobo(low)).netKobo < targetKobo) low++
  return kobo(low)
}

function coversTarget(terms: FeeTerms, amountKobo: Kobo, targetKobo: Kobo): boolean {
  const rate = terms.vatIncluded ? ALL_BPS : ALL_BPS + BigInt(terms.vatBps)
  const charged = exactPrice(terms, amountKobo) * rate
  return (amountKobo - targetKobo) * ALL_BPS * ALL_BPS >= charged
}

// In ten-thousandths of a kobo.
function exactPrice(terms: FeeTerms, amountKobo: Kobo): bigint {
  const flatKobo = amountKobo < terms.waiveFlatBelowKobo ? 0n : terms.flatKobo
  const price = flatKobo * ALL_BPS + amountKobo * BigInt(terms.bps)
  const least = terms.minKobo * ALL_BPS
  const most = terms.capKobo === null ? price : terms.capKobo * ALL_BPS
  if (price < least) return least
  return price > most ? most : price
}

function roundHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}

// What a rule charges on an amount. Pure, in whole kobo: fee and VAT are each rounded half up.
//
//   fee   flat (waived below a threshold) + bps of the amount, at least min, at most cap
//   VAT   on top of the fee, or included in it
//   net   what is left; fee and VAT never exceed the amount
//
// A customer who bears the fee is asked for so much that, after fee and VAT on all that he sends, at
// least the wanted amount is left: before rounding and after it, so never short (askFor).

import { type Kobo, kobo } from '#money.ts'

export type FeeBasis = 'credit' | 'payout'
export type FeeBearer = 'merchant' | 'customer' | 'subaccount'

export type FeeTerms = {
  code: string
  basis: FeeBasis
  flatKobo: Kobo
  bps: number
  minKobo: Kobo
  capKobo: Kobo | null // Null: no cap.
  waiveFlatBelowKobo: Kobo // No flat fee on less than this.
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
  // It takes all there is, of which VAT has its share.
  const vatBps = BigInt(terms.vatBps)
  const shareKobo = roundHalfUp(amountKobo * vatBps, ALL_BPS + vatBps)
  return { feeKobo: kobo(amountKobo - shareKobo), vatKobo: kobo(shareKobo), netKobo: kobo(0n) }
}

// The same where it is not taken out of the amount, as of payouts: it may exceed it.
export function computeFeeOnTop(terms: FeeTerms, amountKobo: Kobo): Omit<Fee, 'netKobo'> {
  const vatBps = BigInt(terms.vatBps)
  const priceKobo = roundHalfUp(exactPrice(terms, amountKobo), ALL_BPS)
  const vatKobo = terms.vatIncluded
    ? roundHalfUp(priceKobo * vatBps, ALL_BPS + vatBps)
    : roundHalfUp(priceKobo * vatBps, ALL_BPS)
  const feeKobo = terms.vatIncluded ? priceKobo - vatKobo : priceKobo
  return { feeKobo: kobo(feeKobo), vatKobo: kobo(vatKobo) }
}

// The smallest amount to ask the payer for, of which at least `wantedKobo` is left.
export function askFor(terms: FeeTerms, wantedKobo: Kobo): Kobo {
  const waivedBelow = terms.waiveFlatBelowKobo
  // The flat fee sets in at once, so what is left grows only on either side of the threshold.
  const below = smallestFrom(wantedKobo, terms, wantedKobo)
  if (below < waivedBelow || wantedKobo >= waivedBelow) return below
  return smallestFrom(waivedBelow, terms, wantedKobo)
}

function smallestFrom(startKobo: Kobo, terms: FeeTerms, wantedKobo: Kobo): Kobo {
  const { waiveFlatBelowKobo, flatKobo, minKobo } = terms
  // Below the threshold it is as if there were no flat fee, however far one looks.
  const isBelow = startKobo < waiveFlatBelowKobo
  const regime = isBelow ? { ...terms, flatKobo: kobo(0n) } : terms
  let low: bigint = startKobo
  // At the highest rates a quarter is left of every further kobo.
  let high = startKobo + 4n * (wantedKobo + 2n * (flatKobo + minKobo)) + 1n
  while (low < high) {
    const middle = (low + high) / 2n
    if (isEnough(regime, kobo(middle), wantedKobo)) high = middle
    else low = middle + 1n
  }
  while (computeFee(regime, kobo(low)).netKobo < wantedKobo) low++
  return kobo(low)
}

// Before anything is rounded.
function isEnough(terms: FeeTerms, amountKobo: Kobo, wantedKobo: Kobo): boolean {
  const rate = terms.vatIncluded ? ALL_BPS : ALL_BPS + BigInt(terms.vatBps)
  const charged = exactPrice(terms, amountKobo) * rate
  return (amountKobo - wantedKobo) * ALL_BPS * ALL_BPS >= charged
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

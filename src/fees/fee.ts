// Computes the fee of a rule on an amount. Pure, in whole kobo: fee and VAT are each rounded half up.
//
//   fee   flat (waived below a threshold) + bps of the amount, at least min, at most cap
//   VAT   on top of the fee, or included in it
//   net   the rest; fee and VAT never exceed the amount
//
// If the customer bears the fee, grossUp computes the amount to request, so that at least the target amount
// is left after the fee and VAT on the requested amount. shareFee splits one fee over the credits of a
// payment.

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
  waiveFlatBelowKobo: Kobo // Amounts below this one pay no flat fee.
  vatBps: number
  vatIncluded: boolean
  bearer: FeeBearer
}

type Fee = { feeKobo: Kobo; vatKobo: Kobo; netKobo: Kobo }

export const VAT_BPS_DEFAULT = 750
export const RATE_BPS_MAX = 5_000

const ALL_BPS = 10_000n

// Computes a fee that is deducted from the amount, as for credits.
export function computeFee(terms: FeeTerms, amountKobo: Kobo): Fee {
  const { feeKobo, vatKobo } = computeFeeOnTop(terms, amountKobo)
  const netKobo = amountKobo - feeKobo - vatKobo
  if (netKobo >= 0n) return { feeKobo, vatKobo, netKobo: kobo(netKobo) }
  // Fee and VAT together take the whole amount, in proportion.
  const vatBps = BigInt(terms.vatBps)
  const shareKobo = roundHalfUp(amountKobo * vatBps, ALL_BPS + vatBps)
  return { feeKobo: kobo(amountKobo - shareKobo), vatKobo: kobo(shareKobo), netKobo: kobo(0n) }
}

// Computes a fee that is paid on top of the amount, as for payouts. The fee may exceed the amount.
export function computeFeeOnTop(terms: FeeTerms, amountKobo: Kobo): Omit<Fee, 'netKobo'> {
  const vatBps = BigInt(terms.vatBps)
  const priceKobo = roundHalfUp(exactPrice(terms, amountKobo), ALL_BPS)
  const vatKobo = terms.vatIncluded
    ? roundHalfUp(priceKobo * vatBps, ALL_BPS + vatBps)
    : roundHalfUp(priceKobo * vatBps, ALL_BPS)
  const feeKobo = terms.vatIncluded ? priceKobo - vatKobo : priceKobo
  return { feeKobo: kobo(feeKobo), vatKobo: kobo(vatKobo) }
}

// Returns the amount to request from a customer who bears the fee: the smallest gross amount that leaves at
// least `targetKobo`.
export function grossUp(terms: FeeTerms, targetKobo: Kobo): Kobo {
  const waivedBelow = terms.waiveFlatBelowKobo
  // The flat fee starts at the threshold, so the net amount grows monotonically only on either side
  // of it.
  const below = smallestGrossFrom(targetKobo, terms, targetKobo)
  if (below < waivedBelow || targetKobo >= waivedBelow) return below
  return smallestGrossFrom(waivedBelow, terms, targetKobo)
}

// The smallest gross amount from `startKobo` on that leaves at least the target after fee and VAT. Charges
// the flat fee as at `startKobo`, even beyond the threshold where it starts.
function smallestGrossFrom(startKobo: Kobo, terms: FeeTerms, targetKobo: Kobo): Kobo {
  const { waiveFlatBelowKobo, flatKobo, minKobo } = terms
  const isBelow = startKobo < waiveFlatBelowKobo
  const regime = isBelow ? { ...terms, flatKobo: kobo(0n) } : terms
  let low: bigint = startKobo
  // An upper bound: at the highest rates, fee and VAT leave a quarter of every further kobo, so four times
  // the target and the fixed fees is enough.
  let high = startKobo + 4n * (targetKobo + 2n * (flatKobo + minKobo)) + 1n
  while (low < high) {
    const middle = (low + high) / 2n
    if (coversTarget(regime, kobo(middle), targetKobo)) high = middle
    else low = middle + 1n
  }
  // coversTarget() compares the exact fee. The rounded fee may be a little higher, so the amount may have to
  // grow by a kobo.
  while (computeFee(regime, kobo(low)).netKobo < targetKobo) low++
  return kobo(low)
}

// Returns whether the amount less its exact, unrounded fee and VAT leaves the target. Both sides are in
// hundred-millionths of a kobo, so that nothing is divided.
function coversTarget(terms: FeeTerms, amountKobo: Kobo, targetKobo: Kobo): boolean {
  const rate = terms.vatIncluded ? ALL_BPS : ALL_BPS + BigInt(terms.vatBps)
  const charged = exactPrice(terms, amountKobo) * rate
  return (amountKobo - targetKobo) * ALL_BPS * ALL_BPS >= charged
}

// Returns the fee before rounding, in ten-thousandths of a kobo.
function exactPrice(terms: FeeTerms, amountKobo: Kobo): bigint {
  const flatKobo = amountKobo < terms.waiveFlatBelowKobo ? 0n : terms.flatKobo
  const price = flatKobo * ALL_BPS + amountKobo * BigInt(terms.bps)
  const minPrice = terms.minKobo * ALL_BPS
  const maxPrice = terms.capKobo === null ? price : terms.capKobo * ALL_BPS
  if (price < minPrice) return minPrice
  return price > maxPrice ? maxPrice : price
}

function roundHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}

// A payment of several credits has one fee on the whole amount. Each credit bears a share of the fee, so that
// the reversal of one credit returns its share. No share exceeds its credit, and the shares sum to the fee.

export type FeeShare = { feeKobo: Kobo; vatKobo: Kobo }

// Splits the fee in proportion to the parts, which sum to the amount that the fee was computed on. The last
// part, which settled the payment, bears the rounding remainder as far as it can.
export function shareFee(fee: FeeShare, partsKobo: readonly Kobo[]): FeeShare[] {
  const sharesKobo = distribute(fee.feeKobo + fee.vatKobo, partsKobo)
  const vatsKobo = distribute(fee.vatKobo, sharesKobo)
  return sharesKobo.map((shareKobo, index) => {
    const vatKobo = vatsKobo[index] as bigint
    return { feeKobo: kobo(shareKobo - vatKobo), vatKobo: kobo(vatKobo) }
  })
}

// Splits the total in proportion to the parts. The rounding remainder goes to the last part, and to earlier
// ones if the last has no room. No share exceeds its part if the total does not exceed the sum of the parts.
export function distribute(totalKobo: bigint, partsKobo: readonly bigint[]): bigint[] {
  const wholeKobo = partsKobo.reduce((sum, part) => sum + part, 0n)
  if (wholeKobo === 0n) return partsKobo.map(() => 0n)
  const shares = partsKobo.map((part) => (totalKobo * part) / wholeKobo)
  let leftKobo = totalKobo - shares.reduce((sum, share) => sum + share, 0n)
  for (let index = shares.length - 1; leftKobo > 0n; index--) {
    const share = shares[index] as bigint
    const room = (partsKobo[index] as bigint) - share
    const addedKobo = leftKobo < room ? leftKobo : room
    shares[index] = share + addedKobo
    leftKobo -= addedKobo
  }
  return shares
}

// Returns the fee that stays charged if a reversal leaves only `leftKobo` of the amount `baseKobo` that the
// fee was charged on. It is rounded in the client's favour, so that it never exceeds `leftKobo`.
export function feeLeft({ feeKobo, vatKobo }: FeeShare, baseKobo: Kobo, leftKobo: Kobo): FeeShare {
  return {
    feeKobo: kobo((feeKobo * leftKobo) / baseKobo),
    vatKobo: kobo((vatKobo * leftKobo) / baseKobo),
  }
}

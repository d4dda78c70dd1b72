// Splits a fee over the parts it was charged on. Pure.
//
// A payment made of several credits has one fee on the whole. Each credit bears a share, so that
// reversing one credit gives back its share. No share exceeds its part, and the shares sum to the fee.

import { type Kobo, kobo } from '#money.ts'

export type FeeShare = { feeKobo: Kobo; vatKobo: Kobo }

// Proportional to the parts, which sum to the amount of the fee's computation. The last part, which
// settled the payment, bears the rounding remainder as far as it can.
export function shareFee(fee: FeeShare, partsKobo: readonly Kobo[]): FeeShare[] {
  const sharesKobo = distribute(fee.feeKobo + fee.vatKobo, partsKobo)
  const vatsKobo = distribute(fee.vatKobo, sharesKobo)
  return sharesKobo.map((shareKobo, index) => {
    const vatKobo = vatsKobo[index] as bigint
    return { feeKobo: kobo(shareKobo - vatKobo), vatKobo: kobo(vatKobo) }
  })
}

// No share exceeds its part if the total does not exceed the sum of the parts.
export function distribute(totalKobo: bigint, partsKobo: readonly bigint[]): bigint[] {
  const wholeKobo = partsKobo.reduce((sum, part) => sum + part, 0n)
  if (wholeKobo === 0n) return partsKobo.map(() => 0n)
  const shares = partsKobo.map((part) => (totalKobo * part) / wholeKobo)
  let leftKobo = totalKobo - shares.reduce((sum, share) => sum + share, 0n)
  for (let index = shares.length - 1; leftKobo > 0n; index--) {
    const share = shares[index] as bigint
    const room = (partsKobo[index] as bigint) - share
    const more = leftKobo < room ? leftKobo : room
    shares[index] = share + more
    leftKobo -= more
  }
  return shares
}

// The fee that stays charged when `leftKobo` of the part remains. Rounded in the client's favour,
// so that it never exceeds `leftKobo`.
export function feeLeft({ feeKobo, vatKobo }: FeeShare, baseKobo: Kobo, leftKobo: Kobo): FeeShare {
  return {
    feeKobo: kobo((feeKobo * leftKobo) / baseKobo),
    vatKobo: kobo((vatKobo * leftKobo) / baseKobo),
  }
}

// A fee over the parts it was charged on. Pure.
//
// A payment that several credits paid has one fee, on the whole of it; each credit bears its share,
// so that a reversal of one gives back what that one bore. No share exceeds its part, and the shares
// sum to the fee.

import { type Kobo, kobo } from '#money.ts'

export type FeeShare = { feeKobo: Kobo; vatKobo: Kobo }

// By the size of the parts, which sum to what the fee was computed of. The last, which settled the
// payment, bears what rounding leaves over, as far as it can.
export function shareFee(fee: FeeShare, partsKobo: readonly Kobo[]): FeeShare[] {
  const sharesKobo = distribute(fee.feeKobo + fee.vatKobo, partsKobo)
  const vatsKobo = distribute(fee.vatKobo, sharesKobo)
  return sharesKobo.map((shareKobo, index) => {
    const vatKobo = vatsKobo[index] as bigint
    return { feeKobo: kobo(shareKobo - vatKobo), vatKobo: kobo(vatKobo) }
  })
}

// No share exceeds its part, as long as the total does not exceed all of them.
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

// What stays charged when so much of the part is left; rounded in the client's favour, so that it
// never exceeds what is left.
export function feeLeft({ feeKobo, vatKobo }: FeeShare, baseKobo: Kobo, leftKobo: Kobo): FeeShare {
  return {
    feeKobo: kobo((feeKobo * leftKobo) / baseKobo),
    vatKobo: kobo((vatKobo * leftKobo) / baseKobo),
  }
}

// A fee over the parts it was charged on. Pure.
//
// A payment that several credits paid has one fee, on the whole of it; each credit bears its share,
// so that a reversal of one gives back what that one bore. No share exceeds its part, and the shares
// sum to the fee.

import { type Kobo, kobo } from '#money.ts'
import type { Fee } from './compute-fee.ts'

export type FeeShare = { feeKobo: Kobo; vatKobo: Kobo }

// In the order of the parts, which sum to what the fee was computed of.
export function shareFee(fee: Omit<Fee, 'netKobo'>, partsKobo: readonly Kobo[]): FeeShare[] {
  const wholeKobo = partsKobo.reduce((sum, part) => sum + part, 0n)
  const chargedKobo = fee.feeKobo + fee.vatKobo
  let [upToKobo, sharedKobo, vatSharedKobo] = [0n, 0n, 0n]
  return partsKobo.map((part) => {
    upToKobo += part
    const sumKobo = (chargedKobo * upToKobo) / wholeKobo
    const vatSumKobo = chargedKobo === 0n ? 0n : (fee.vatKobo * sumKobo) / chargedKobo
    const vatKobo = vatSumKobo - vatSharedKobo
    const feeKobo = sumKobo - sharedKobo - vatKobo
    ;[sharedKobo, vatSharedKobo] = [sumKobo, vatSumKobo]
    return { feeKobo: kobo(feeKobo), vatKobo: kobo(vatKobo) }
  })
}

// What stays charged when so much of the part is left; rounded in the client's favour, so that it
// never exceeds what is left.
export function feeLeft({ feeKobo, vatKobo }: FeeShare, baseKobo: Kobo, leftKobo: Kobo): FeeShare {
  return {
    feeKobo: kobo((feeKobo * leftKobo) / baseKobo),
    vatKobo: kobo((vatKobo * leftKobo) / baseKobo),
  }
}

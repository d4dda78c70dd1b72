// Computes the share of each part of a split. Pure, in whole kobo.
//
//   percentage   by the largest remainder; the main account keeps the rest
//   flat         each part its amount, in order, while money remains
//
// Shares are computed after the fee. If subaccounts bear the fee (by the fee rule and by parts of the
// split), shares are computed on the whole amount, and the fee is taken from the bearing parts in
// proportion to their shares. The main account bears what those parts cannot, and then the other parts.
//
// I55: shares are never negative, and their sum never exceeds the amount after the fee.

import type { FeeBearer } from '#domain/fees/compute-fee.ts'
import { distribute } from '#domain/fees/share-fee.ts'
import { type Kobo, kobo } from '#money.ts'

export const ALL_BPS = 10_000n

export type SplitType = 'percentage' | 'flat'
export type SplitTerms = {
  type: SplitType
  parts: readonly { share: bigint; bearsFee: boolean }[] // In basis points, or in kobo.
}

type Amounts = { grossKobo: Kobo; feesKobo: Kobo; bearer: FeeBearer | undefined }

// In the order of the parts. The main account keeps the rest.
export function shareAmount(split: SplitTerms, { grossKobo, feesKobo, bearer }: Amounts): Kobo[] {
  const areBearing = bearer === 'subaccount' && split.parts.some(({ bearsFee }) => bearsFee)
  if (!areBearing) return shareWhole(split, grossKobo - feesKobo).map(kobo)
  const shares = shareWhole(split, grossKobo)
  let leftKobo: bigint = feesKobo
  const bear = (of: readonly bigint[]) => {
    const total = least(leftKobo, sum(of))
    leftKobo -= total
    return distribute(total, of)
  }
  const byBearers = bear(split.parts.map(({ bearsFee }, at) => (bearsFee ? shares[at] : 0n) ?? 0n))
  bear([grossKobo - sum(shares)])
  const byOthers = bear(split.parts.map(({ bearsFee }, at) => (bearsFee ? 0n : shares[at]) ?? 0n))
  return shares.map((share, at) => kobo(share - (byBearers[at] ?? 0n) - (byOthers[at] ?? 0n)))
}

function shareWhole({ type, parts }: SplitTerms, wholeKobo: bigint): bigint[] {
  const amounts = parts.map(({ share }) => share)
  if (type === 'percentage') return largestRemainder(amounts, wholeKobo)
  let leftKobo = wholeKobo
  return amounts.map((share) => {
    const takenKobo = least(share, leftKobo)
    leftKobo -= takenKobo
    return takenKobo
  })
}

// Rounds every share down and gives the remaining kobo to the parts that lost most: the first of equals,
// and the main account last.
function largestRemainder(bps: readonly bigint[], wholeKobo: bigint): bigint[] {
  const weights = [...bps, ALL_BPS - sum(bps)]
  const shares = weights.map((weight) => (wholeKobo * weight) / ALL_BPS)
  const byLoss = weights
    .map((weight, at) => ({ at, loss: (wholeKobo * weight) % ALL_BPS }))
    .sort((one, other) => Number(other.loss - one.loss))
  const leftKobo = Number(wholeKobo - sum(shares))
  for (const { at } of byLoss.slice(0, leftKobo)) shares[at] = (shares[at] as bigint) + 1n
  return shares.slice(0, bps.length)
}

const sum = (values: readonly bigint[]) => values.reduce((total, each) => total + each, 0n)
const least = (one: bigint, other: bigint) => (one < other ? one : other)

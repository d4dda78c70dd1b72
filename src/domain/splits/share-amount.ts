// What each part of a split gets of an amount. Pure, in whole kobo.
//
//   percentage   by the largest remainder; what is not given to a part stays with the main account
//   flat         each its amount, in the order of the parts, as long as there is some
//
// Shares are of what is left after the fee. Where subaccounts bear it (the fee rule says so, and
// parts of the split do), shares are of the whole, and the fee comes out of the parts that bear it,
// by the size of their shares; what they cannot bear, the main account does, and then the others.
//
// I55: shares are never negative, and together never more than is left after the fee.

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
  const given = parts.map(({ share }) => share)
  if (type === 'percentage') return largestRemainder(given, wholeKobo)
  let leftKobo = wholeKobo
  return given.map((share) => {
    const takenKobo = least(share, leftKobo)
    leftKobo -= takenKobo
    return takenKobo
  })
}

// Every share is rounded down, and the kobo left over go to those that lost most by it: the first
// of equals, and the main account last.
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

// The model's splits, after docs/money-flow.md: the share of each subaccount after the fee, and the
// bearers of the fee.

import type { FeeRule } from './model-fees.ts'
import { distributed } from './model-fees.ts'
import type { Part } from './model-places.ts'

export type ModelSplit = {
  type: 'percentage' | 'flat'
  parts: readonly { to: string; share: bigint; bearsFee: boolean }[]
}

const part = (to: string, share: bigint, bearsFee = false) => ({ to, share, bearsFee })

// By code; every client of a simulation has them.
export const MODEL_SPLITS: Readonly<Record<string, ModelSplit>> = {
  whole: { type: 'percentage', parts: [part('A', 80_00n), part('B', 20_00n)] },
  thirds: {
    type: 'percentage',
    parts: [part('A', 33_33n), part('B', 33_33n, true), part('C', 33_34n)],
  },
  little: { type: 'percentage', parts: [part('C', 7n, true), part('A', 12_34n, true)] },
  flat: { type: 'flat', parts: [part('B', 3_00n), part('A', 1_50n, true)] },
}

export const flatKobo = (code: string | null) => {
  const split = code === null ? undefined : MODEL_SPLITS[code]
  return split?.type === 'flat' ? sum(split.parts.map(({ share }) => share)) : 0n
}

// The parts have come and were charged by this rule, if any.
export function shareOut(
  code: string | null,
  rule: FeeRule | undefined,
  parts: readonly Part[],
): void {
  const split = code === null ? undefined : MODEL_SPLITS[code]
  if (!split) return
  const left = parts.map(({ kobo, charged }) => kobo - (charged ? charged.fee + charged.vat : 0n))
  const whole = sum(parts.map(({ kobo }) => kobo))
  const all = sharesOf(split, { whole, fees: whole - sum(left), rule })
  for (const each of parts) each.shared = { baseKobo: each.kobo, to: new Map() }
  for (const [at, { to }] of split.parts.entries()) {
    for (const [place, kobo] of distributed(all[at] as bigint, left).entries()) {
      left[place] = (left[place] as bigint) - kobo
      parts[place]?.shared?.to.set(to, kobo)
    }
  }
}

type Fee = { whole: bigint; fees: bigint; rule: FeeRule | undefined }

function sharesOf(split: ModelSplit, { whole, fees, rule }: Fee): bigint[] {
  const doBear = rule?.isSubaccounts && split.parts.some(({ bearsFee }) => bearsFee)
  if (!doBear) return plainShares(split, whole - fees)
  const shares = plainShares(split, whole)
  let due = fees
  const take = (from: (at: number) => boolean) => {
    const bearing = shares.map((share, at) => (from(at) ? share : 0n))
    const borne = due < sum(bearing) ? due : sum(bearing)
    for (const [at, kobo] of distributed(borne, bearing).entries()) {
      shares[at] = (shares[at] as bigint) - kobo
    }
    due -= borne
  }
  const main = whole - sum(shares)
  take((at) => split.parts[at]?.bearsFee === true)
  due -= due < main ? due : main
  take((at) => split.parts[at]?.bearsFee === false)
  return shares
}

function plainShares({ type, parts }: ModelSplit, whole: bigint): bigint[] {
  let left = whole
  if (type === 'flat') {
    return parts.map(({ share }) => {
      const got = share < left ? share : left
      left -= got
      return got
    })
  }
  const main = 10_000n - sum(parts.map(({ share }) => share))
  const exact = [...parts.map(({ share }) => share), main].map((bps) => bps * whole)
  const shares = exact.map((value) => value / 10_000n)
  left -= sum(shares)
  // One by one, to the part that is furthest below its exact share.
  for (; left > 0n; left--) {
    let worst = 0
    const lack = (at: number) => (exact[at] as bigint) - (shares[at] as bigint) * 10_000n
    for (const at of shares.keys()) if (lack(at) > lack(worst)) worst = at
    shares[worst] = (shares[worst] as bigint) + 1n
  }
  return shares.slice(0, -1)
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, each) => total + each, 0n)
}

// The model's splits (model.ts), written from docs/money-flow.md: the share of each subaccount after the
// fee, and who bears the fee.

import type { FeeRule } from './model-fees.ts'
import { distributed } from './model-fees.ts'
import type { Part } from './model-places.ts'

export type ModelSplit = {
  type: 'percentage' | 'flat'
  parts: readonly { to: string; share: bigint; bearsFee: boolean }[]
}

// Shares are basis points of a percentage split, kobo of a flat one.
const part = (to: string, share: bigint, bearsFee = false) => ({ to, share, bearsFee })

// The splits by their code; every client of a simulation has them.
export const MODEL_SPLITS: Readonly<Record<string, ModelSplit>> = {
  whole: { type: 'percentage', parts: [part('A', 80_00n), part('B', 20_00n)] },
  thirds: {
    type: 'percentage',
    parts: [part('A', 33_33n), part('B', 33_33n, true), part('C', 33_34n)],
  },
  little: { type: 'percentage', parts: [part('C', 7n, true), part('A', 12_34n, true)] },
  flat: { type: 'flat', parts: [part('B', 3_00n), part('A', 1_50n, true)] },
}

// The sum of a flat split, which a payment request must exceed; zero for other splits.
export const flatKobo = (code: string | null) => {
  const split = code === null ? undefined : MODEL_SPLITS[code]
  return split?.type === 'flat' ? sum(split.parts.map(({ share }) => share)) : 0n
}

// Shares out parts that have been booked, after the fee of this rule, if any, was charged on them. Records
// in each part how much of it belongs to which subaccount.
export function shareOut(
  code: string | null,
  rule: FeeRule | undefined,
  parts: readonly Part[],
): void {
  const split = code === null ? undefined : MODEL_SPLITS[code]
  if (!split) return
  // The money of each part that is not shared out yet.
  const unshared = parts.map(({ kobo, charged }) =>
    charged ? kobo - charged.fee - charged.vat : kobo,
  )
  const whole = sum(parts.map(({ kobo }) => kobo))
  const shares = sharesOf(split, { whole, fees: whole - sum(unshared), rule })
  for (const moneyPart of parts) moneyPart.shared = { baseKobo: moneyPart.kobo, to: new Map() }
  for (const [shareIndex, { to }] of split.parts.entries()) {
    const amounts = distributed(shares[shareIndex] as bigint, unshared)
    for (const [partIndex, kobo] of amounts.entries()) {
      unshared[partIndex] = (unshared[partIndex] as bigint) - kobo
      parts[partIndex]?.shared?.to.set(to, kobo)
    }
  }
}

type Fee = { whole: bigint; fees: bigint; rule: FeeRule | undefined }

// The share of each subaccount. Usually the fee is deducted first, and the rest is split. If subaccounts
// bear the fee, the whole is split; then the fee is taken from the bearing subaccounts, from the main
// account if they have too little, and at last from the other subaccounts.
function sharesOf(split: ModelSplit, { whole, fees, rule }: Fee): bigint[] {
  const doSubaccountsBear = rule?.isSubaccounts && split.parts.some(({ bearsFee }) => bearsFee)
  if (!doSubaccountsBear) return plainShares(split, whole - fees)
  const shares = plainShares(split, whole)
  let dueFee = fees
  // Takes the fee that is still due from these subaccounts, in proportion to their shares.
  const takeFeeFrom = (isBearer: (index: number) => boolean) => {
    const bearing = shares.map((share, index) => (isBearer(index) ? share : 0n))
    const borne = dueFee < sum(bearing) ? dueFee : sum(bearing)
    for (const [index, kobo] of distributed(borne, bearing).entries()) {
      shares[index] = (shares[index] as bigint) - kobo
    }
    dueFee -= borne
  }
  const main = whole - sum(shares)
  takeFeeFrom((index) => split.parts[index]?.bearsFee === true)
  dueFee -= dueFee < main ? dueFee : main
  takeFeeFrom((index) => split.parts[index]?.bearsFee === false)
  return shares
}

// The share of each subaccount in an amount, without fees.
function plainShares({ type, parts }: ModelSplit, whole: bigint): bigint[] {
  let remainder = whole
  if (type === 'flat') {
    return parts.map(({ share }) => {
      const kobo = share < remainder ? share : remainder
      remainder -= kobo
      return kobo
    })
  }
  const main = 10_000n - sum(parts.map(({ share }) => share))
  // In ten-thousandths of a kobo; the last one is the main account's.
  const exact = [...parts.map(({ share }) => share), main].map((bps) => bps * whole)
  const shares = exact.map((value) => value / 10_000n)
  remainder -= sum(shares)
  // Kobo by kobo, the remainder goes to the share that is furthest below its exact value.
  for (; remainder > 0n; remainder--) {
    let worst = 0
    const lack = (index: number) => (exact[index] as bigint) - (shares[index] as bigint) * 10_000n
    for (const index of shares.keys()) if (lack(index) > lack(worst)) worst = index
    shares[worst] = (shares[worst] as bigint) + 1n
  }
  return shares.slice(0, -1)
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

// The amounts of a settlement, from gross to net.

import { settlementsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { day } from '../../format.ts'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Money } from '../../parts/values.tsx'

export type Settlement = Schemas['Settlement']
export type WholeSettlement = Schemas['SettlementDetail']
type Amounts = Settlement | Schemas['UpcomingSettlement']

const ALWAYS = ['gross', 'fees', 'vat', 'net']
const ADDED = ['gross', 'released', 'carried', 'net']

type Name = keyof typeof strings.amounts
const NAMES = Object.keys(strings.amounts) as Name[]

export function periodOf({ period: { from, to } }: Settlement): string {
  return from === null ? strings.upTo(day(to)) : strings.days(day(from), day(to))
}

// Omits zero amounts, except the main ones.
export function AmountList({ of }: { of: Amounts }) {
  const shown = NAMES.filter((name) => of[name] !== 0 || ALWAYS.includes(name))
  const facts = shown.map((name): Fact => {
    const amount = ADDED.includes(name) ? of[name] : 0 - of[name]
    const value = <Money amount={amount} currency={of.currency} />
    return [strings.amounts[name], name === 'net' ? <strong>{value}</strong> : value]
  })
  return (
    <div class="sums">
      <Facts facts={facts} />
    </div>
  )
}

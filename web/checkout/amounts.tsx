// The amount to pay, and what was sent but could not be used.

import { formatNaira } from '../money.ts'
import type { Model } from './checkout.ts'
import { strings } from './strings.ts'

type SumProps = { label: string; amount: string; purpose: string | null }

export function Sum({ label, amount, purpose }: SumProps) {
  return (
    <div class="sum">
      <p class="label">{label}</p>
      <p class="amount">{amount}</p>
      {purpose !== null && <p class="purpose">{purpose}</p>}
    </div>
  )
}

export function Held({ checkout }: Pick<Model, 'checkout'>) {
  const { amountHeld, merchantName } = checkout
  if (amountHeld === 0) return null
  return <p class="problem">{strings.held(formatNaira(amountHeld), merchantName)}</p>
}

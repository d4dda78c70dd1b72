// The amount to pay, and money that was sent but could not be used.

import type { ComponentChildren } from 'preact'
import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import type { Checkout, Model } from './checkout.ts'

type SumProps = {
  label: string
  amount: string
  purpose: string | null
  children?: ComponentChildren
}

export function Sum({ label, amount, purpose, children }: SumProps) {
  return (
    <div class="sum">
      <div class="sum-line">
        <p class="label">{label}</p>
        {children}
      </div>
      <p class="amount">{amount}</p>
      {purpose !== null && <p class="purpose">{purpose}</p>}
    </div>
  )
}

// Renders nothing unless the payer bears the fee.
export function Fees({ checkout: { fees, amount } }: Pick<Model, 'checkout'>) {
  if (fees === null) return null
  const lines: [string, number][] = [
    [strings.fees.amount, fees.amount],
    [strings.fees.fee, fees.fee],
    [strings.fees.vat, fees.vat],
    [strings.fees.rounding, fees.rounding],
    [strings.fees.total, amount],
  ]
  return (
    <dl class="facts fees">
      {lines.map(([name, value]) =>
        value === 0 ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatNaira(value)}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

export function Held({ checkout }: Pick<Model, 'checkout'>) {
  if (checkout.amountHeld === 0) return null
  return <p class="problem held">{describeHeld(checkout)}</p>
}

export function describeHeld(checkout: Checkout): string {
  const { status, amountPaid, amountHeld, merchantName } = checkout
  if (status === 'Successful') {
    const sent = formatNaira(amountPaid + amountHeld)
    return strings.overpaid(sent, formatNaira(amountHeld), merchantName)
  }
  return strings.held(formatNaira(amountHeld), merchantName)
}

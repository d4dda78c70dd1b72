// The amount to pay, and money that was sent but could not be used.

import type { ComponentChildren } from 'preact'
import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import type { Checkout, Model } from './checkout.ts'

type AmountProps = {
  label: string
  amount: string
  purpose: string | null
  children?: ComponentChildren
}

// The amount at the top of the page, under its label, with the purpose below. `children` stands beside the
// label.
export function AmountToPay({ label, amount, purpose, children }: AmountProps) {
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

// The parts of the amount, if the payer bears the fee; otherwise nothing.
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

// Tells the payer about money in suspense, such as an overpayment.
export function HeldMoney({ checkout }: Pick<Model, 'checkout'>) {
  if (checkout.amountHeld === 0) return null
  return <p class="problem held">{describeHeld(checkout)}</p>
}

// Says what happens to money in suspense: after a full payment it is an overpayment.
export function describeHeld(checkout: Checkout): string {
  const { status, amountPaid, amountHeld, merchantName } = checkout
  if (status === 'Successful') {
    const sent = formatNaira(amountPaid + amountHeld)
    return strings.overpaid(sent, formatNaira(amountHeld), merchantName)
  }
  return strings.held(formatNaira(amountHeld), merchantName)
}

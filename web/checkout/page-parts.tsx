// Parts of the payment page: the amount, money that could not be used, “I’ve sent the money”, and the
// merchant's support contacts. All work without JavaScript.

import type { ComponentChildren } from 'preact'
import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import type { Actions, Checkout, Model } from './checkout.ts'

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

// After a press, a note replaces the button while the bank is queried. A problem that came with the URL has
// no `failedAt`, and is shown at this button.
export function SentButton({ model, actions }: { model: Model; actions: Actions | undefined }) {
  const { checkout, bankCode, isSent, problem, failedAt } = model
  if (isSent) {
    const { canRequery } = checkout
    return (
      <div class="checking" tabIndex={-1}>
        <p>{canRequery ? strings.checking : strings.noted}</p>
        <p class="hint">{canRequery ? strings.checkingHint : strings.notedHint}</p>
      </div>
    )
  }
  // Before the script has loaded there are no actions, and the browser posts the form.
  const onSubmit = (event: SubmitEvent) => {
    if (!actions) return
    event.preventDefault()
    actions.sent()
  }
  const bankQuery = bankCode === undefined ? '' : `?bank=${encodeURIComponent(bankCode)}`
  const action = `/pay/${checkout.adviceReference}/sent${bankQuery}`
  return (
    <form method="post" action={action} onSubmit={onSubmit}>
      {(failedAt ?? 'sent') === 'sent' && <Problem problem={problem} />}
      <button class="secondary sent" type="submit">
        {strings.sent}
      </button>
    </form>
  )
}

// In the sandbox, the payer simulates the transfer, because there is no bank.
export function Simulate({ model: { checkout, bankCode } }: { model: Model }) {
  if (!checkout.isTest) return null
  const bankQuery = bankCode === undefined ? '' : `?bank=${encodeURIComponent(bankCode)}`
  return (
    <form method="post" action={`/pay/${checkout.adviceReference}/simulate${bankQuery}`}>
      <button class="secondary simulate" type="submit">
        {strings.simulate(formatNaira(checkout.amountRemaining))}
      </button>
    </form>
  )
}

// Links to the merchant’s email address, phone number and help page. Renders nothing if the merchant has set
// none of them.
export function SupportContacts({ checkout }: Pick<Model, 'checkout'>) {
  const { supportEmail, supportPhone, supportUrl, merchantName } = checkout
  const links = [
    supportEmail && { text: supportEmail, href: mailto(supportEmail, referenceOf(checkout)) },
    supportPhone && { text: supportPhone, href: `tel:${supportPhone.replace(/[^+\d]/g, '')}` },
    supportUrl && { text: supportUrl.replace(/^https?:\/\//, ''), href: supportUrl },
  ].filter((link) => typeof link === 'object' && link !== null)
  if (links.length === 0) return null
  return (
    <div class="help">
      <p>{strings.help(merchantName)}</p>
      <ul>
        {links.map(({ text, href }) => (
          <li key={href}>
            <a href={href} rel="noreferrer">
              {text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

export function referenceOf(checkout: Model['checkout']): string {
  return checkout.merchantRef ?? checkout.shortCode
}

// Escapes the email address, because a question mark in it could add recipients.
function mailto(address: string, reference: string): string {
  const subject = encodeURIComponent(strings.helpSubject(reference))
  return `mailto:${encodeURIComponent(address).replace('%40', '@')}?subject=${subject}`
}

// The code of the problem comes from the URL, which anyone can edit. So only known codes are shown.
const PROBLEMS = new Map<string, string>(Object.entries(strings.problems))

// Explains a failed action to the payer by its code.
export function Problem({ problem }: { problem: string | undefined }) {
  if (problem === undefined) return null
  return (
    <p class="problem" role="alert">
      {PROBLEMS.get(problem) ?? strings.problems.other}
    </p>
  )
}

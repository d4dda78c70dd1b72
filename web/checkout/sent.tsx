// “I’ve sent the money”: a plain form that works without JavaScript. Queries the bank where possible.

import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { Problem } from './bank-choice.tsx'
import type { Actions, Model } from './checkout.ts'

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

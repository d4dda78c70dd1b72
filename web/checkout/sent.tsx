// “I’ve sent the money”: a plain form that works without JavaScript. Shown where a bank can be asked.

import { Problem } from './bank-choice.tsx'
import type { Actions, Model } from './checkout.ts'
import { strings } from './strings.ts'

type Props = { model: Model; actions: Actions | undefined }

export function Sent({ model, actions }: Props) {
  const { checkout, isSent, problem } = model
  if (!checkout.canRequery) return null
  if (isSent) {
    return (
      <div class="checking">
        <p>{strings.checking}</p>
        <p class="hint">{strings.checkingHint}</p>
      </div>
    )
  }
  const onSubmit = (event: SubmitEvent) => {
    if (!actions) return
    event.preventDefault()
    actions.sent()
  }
  return (
    <form method="post" action={`/pay/${checkout.adviceReference}/sent`} onSubmit={onSubmit}>
      <Problem problem={problem} />
      <button class="secondary sent" type="submit">
        {strings.sent}
      </button>
    </form>
  )
}

// How the sandbox bank answers the next payout.

import { sandboxBankStrings as strings } from '../../copy.ts'
import { send } from '../api.ts'
import { SelectField, useSending } from './forms.tsx'
import { Failed } from './states.tsx'
import { toast } from './toasts.tsx'

const OUTCOMES = ['ok', 'failed', 'slow', 'never', 'answer_lost'] as const

export function PayoutOutcomeForm() {
  const { problem, isBusy, submit } = useSending(async (form) => {
    const outcome = form.choice('outcome', OUTCOMES)
    await send('PUT', '/sandbox/payout-outcome', { body: { outcome } })
    toast(strings.outcomeSet)
  })
  return (
    <form class="desk-form" onSubmit={submit}>
      <h2>{strings.nextPayout}</h2>
      <p class="muted small">{strings.nextPayoutText}</p>
      <SelectField
        label={strings.outcome}
        name="outcome"
        options={OUTCOMES}
        names={strings.outcomes}
      />
      {problem && <Failed problem={problem} />}
      <button type="submit" class="button" disabled={isBusy}>
        {strings.setOutcome}
      </button>
    </form>
  )
}

// How the sandbox bank answers the next payout.

import { sandboxBankStrings as strings } from '../../copy.ts'
import { send } from '../api.ts'
import { choiceOf, Field, useSending } from './forms.tsx'
import { Failed } from './states.tsx'
import { toast } from './toasts.tsx'

const OUTCOMES = ['ok', 'failed', 'slow', 'never', 'answer_lost'] as const

export function PayoutOutcomeForm() {
  const { problem, isBusy, submit } = useSending(async (given) => {
    const outcome = choiceOf(given, 'outcome', OUTCOMES)
    await send('PUT', '/sandbox/payout-outcome', { body: { outcome } })
    toast(strings.outcomeSet)
  })
  return (
    <form class="desk-form" onSubmit={submit}>
      <h2>{strings.nextPayout}</h2>
      <p class="muted small">{strings.nextPayoutText}</p>
      <Field label={strings.outcome}>
        {(id) => (
          <select id={id} name="outcome">
            {OUTCOMES.map((each) => (
              <option key={each} value={each}>
                {strings.outcomes[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {problem && <Failed problem={problem} />}
      <button type="submit" class="button" disabled={isBusy}>
        {strings.setOutcome}
      </button>
    </form>
  )
}

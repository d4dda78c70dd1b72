// Resolves a difference: books it, notes it, or confirms the suggested match, with a reason.

import { useState } from 'preact/hooks'
import { differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import { OthersNotice } from './assign-difference.tsx'
import type { Difference } from './difference-list.tsx'

export const ACTIONS = ['match', 'book', 'note'] as const
export type Action = (typeof ACTIONS)[number]

const PATH = '/api/v1/operator/reconciliation/{id}/resolve'
const REASON_MAX = 500

type Props = { difference: Difference; session: Session; done: () => void }

export function ResolveDifference({ difference, session, done }: Props) {
  const [isAsked, setAsked] = useState(false)
  return (
    <div class="actions">
      <button type="button" class="button primary" onClick={() => setAsked(true)}>
        {strings.resolve}
      </button>
      {isAsked && (
        <ResolveForm
          difference={difference}
          session={session}
          done={done}
          close={() => setAsked(false)}
        />
      )}
    </div>
  )
}

function ResolveForm({ difference, session, done, close }: Props & { close: () => void }) {
  const { id, amount, currency, actions, payout } = difference
  const sending = useSending(async (given, headers) => {
    const action = choiceOf(given, 'action', ACTIONS)
    const body = { action, reason: textOf(given, 'reason') }
    const { state } = await send('POST', PATH, { params: { id }, body, headers })
    close()
    toast(state === 'asked' ? strings.askedDone : strings.resolved)
    done()
  })
  return (
    <DialogForm
      title={strings.resolveTitle(money(amount, currency))}
      action={strings.resolve}
      sending={sending}
      close={close}
    >
      <OthersNotice difference={difference} session={session} />
      <ActionFields
        actions={ACTIONS.filter((action) => actions.includes(action))}
        bookText={strings.payoutBookings[payout?.booking ?? '']}
      />
    </DialogForm>
  )
}

type FieldsProps = { actions: readonly Action[]; reason?: string; bookText?: string | undefined }

// Without a choice of actions only the reason is asked for.
export function ActionFields({ actions, reason = '', bookText }: FieldsProps) {
  return (
    <>
      {actions.length > 0 && (
        <fieldset class="picker">
          <legend>{strings.how}</legend>
          {actions.map((action, at) => (
            <label key={action} class="choice">
              <input type="radio" name="action" value={action} defaultChecked={at === 0} required />
              <span class="choice-text">
                {strings.actions[action]}
                <span class="muted small">
                  {(action === 'book' && bookText) || strings.actionTexts[action]}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <Field label={strings.why} hint={strings.whyHint}>
        {(id) => (
          <textarea
            id={id}
            name="reason"
            rows={3}
            maxLength={REASON_MAX}
            required
            defaultValue={reason}
          />
        )}
      </Field>
    </>
  )
}

// Resolves a difference: books it, notes it, or confirms the suggested match, with a reason.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { ActionDialog, OpenButton } from '../../parts/action.tsx'
import { TextAreaField } from '../../parts/forms.tsx'
import type { Session } from '../../session.ts'
import { OthersNotice } from './assign-difference.tsx'
import type { Difference } from './difference-list.tsx'

const READINGS = ['charge', 'reversal'] as const

export const ACTIONS = ['match', 'book', 'note'] as const
export type Action = (typeof ACTIONS)[number]

const PATH = '/api/v1/operator/reconciliation/{id}/resolve'
const REASON_MAX = 500

type Props = { difference: Difference; session: Session; done: () => void }

export function ResolveDifference(props: Props) {
  return (
    <div class="actions">
      <OpenButton label={strings.resolve} style="primary">
        {(close) => <ResolveForm {...props} close={close} />}
      </OpenButton>
    </div>
  )
}

function ResolveForm({ difference, session, done, close }: Props & { close: () => void }) {
  const { id, amount, currency, actions, payout } = difference
  const [action, choose] = useState<string>(ACTIONS.find((each) => actions.includes(each)) ?? '')
  const hasReadings = action === 'book' && difference.readings.length > 0
  return (
    <ActionDialog
      title={strings.resolveTitle(money(amount, currency))}
      action={strings.resolve}
      run={(form, headers) => {
        const action = form.choice('action', ACTIONS)
        const reading = hasReadings ? { reading: form.choice('reading', READINGS) } : {}
        const body = { action, ...reading, reason: form.text('reason') }
        return send('POST', PATH, { params: { id }, body, headers })
      }}
      message={({ state }) => (state === 'asked' ? strings.askedDone : strings.resolved)}
      done={done}
      close={close}
    >
      <OthersNotice difference={difference} session={session} />
      <ActionFields
        actions={ACTIONS.filter((action) => actions.includes(action))}
        bookText={strings.payoutBookings[payout?.booking ?? '']}
        choose={choose}
      >
        {hasReadings && <ReadingFields difference={difference} />}
      </ActionFields>
    </ActionDialog>
  )
}

// A debit smaller than its credit has two readings. Neither is preselected, because one is irreversible.
function ReadingFields({ difference }: Pick<Props, 'difference'>) {
  const { amount, currency, credit } = difference
  const [debit, whole] = [money(-amount, currency), money(credit?.amount ?? 0, currency)]
  return (
    <fieldset class="picker">
      <legend>{strings.reading}</legend>
      {READINGS.map((reading) => (
        <label key={reading} class="choice">
          <input type="radio" name="reading" value={reading} required />
          <span class="choice-text">
            {strings.readings[reading](debit, whole)}
            <span class="muted small">{strings.readingTexts[reading]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type FieldsProps = {
  actions: readonly Action[]
  reason?: string
  bookText?: string | undefined
  choose?: (action: Action) => void
  children?: ComponentChildren
}

export function ActionFields(props: FieldsProps) {
  const { actions, reason = '', bookText, choose, children } = props
  return (
    <>
      {actions.length > 0 && (
        <fieldset class="picker">
          <legend>{strings.how}</legend>
          {actions.map((action, at) => (
            <label key={action} class="choice">
              <input
                type="radio"
                name="action"
                value={action}
                defaultChecked={at === 0}
                required
                onChange={() => choose?.(action)}
              />
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
      {children}
      <TextAreaField
        label={strings.why}
        hint={strings.whyHint}
        name="reason"
        rows={3}
        maxLength={REASON_MAX}
        required
        defaultValue={reason}
      />
    </>
  )
}

// Places a hold. The form does not ask for values that the page already knows, such as the credit.

import { useState } from 'preact/hooks'
import { holdsStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { money } from '../format.ts'
import { Action } from './action.tsx'
import { ClientChoice } from './client-choice.tsx'
import { AMOUNT, type Form, InputField, ReasonField, SelectField } from './forms.tsx'

type Body = Schemas['HoldRequest']
type Target = Body['target']
type Known = Pick<Body, 'clientId' | 'case'> & { sessionId?: string }
type Props = { label?: string; known?: Partial<Known>; onDone: (hold: Schemas['Hold']) => void }

const TARGETS = ['credit', 'account', 'merchant', 'client'] as const
const FIELDS = {
  credit: 'sessionId',
  account: 'accountNumber',
  merchant: 'merchantCode',
  client: undefined,
} as const

// `known` has the values that the page already shows, such as the credit or the case.
export function PlaceHold({ label = strings.place, known = {}, onDone }: Props) {
  return (
    <Action
      label={label}
      title={strings.placeTitle}
      action={strings.place}
      text={strings.placeText}
      isDangerous
      run={(form, headers) =>
        send('POST', '/api/v1/operator/holds', { body: requestBody(form, known), headers })
      }
      message={({ reference, heldAmount, currency }) =>
        strings.placed(reference, money(heldAmount, currency))
      }
      onDone={onDone}
    >
      {known.clientId === undefined && <ClientChoice label={strings.client} />}
      <TargetFields sessionId={known.sessionId} />
      <InputField
        label={strings.amount}
        hint={strings.amountHint}
        name="amount"
        errorField="amount"
        {...AMOUNT}
      />
      <ReasonField label={strings.reason} hint={strings.reasonHint} />
      {known.case === undefined && (
        <InputField
          label={strings.case}
          hint={strings.caseHint}
          name="case"
          errorField="case"
          maxLength={64}
        />
      )}
      <InputField
        label={strings.deadline}
        hint={strings.deadlineHint}
        name="deadline"
        errorField="deadline"
        type="datetime-local"
      />
    </Action>
  )
}

// The choice of what the hold is on, and the field that names it. A hold on a whole client needs no such
// field.
function TargetFields({ sessionId }: { sessionId: string | undefined }) {
  const [target, setTarget] = useState<Target>(sessionId === undefined ? 'account' : 'credit')
  const field = FIELDS[target]
  return (
    <>
      <SelectField
        label={strings.target}
        name="target"
        options={[...TARGETS]}
        names={strings.targets}
        chosen={target}
        onChange={(event) => setTarget(event.currentTarget.value as Target)}
      />
      {field && (
        <InputField
          key={field}
          label={strings.fields[field]}
          name={field}
          errorField={field}
          required
          maxLength={field === 'accountNumber' ? 10 : 64}
          defaultValue={field === 'sessionId' ? sessionId : undefined}
        />
      )}
    </>
  )
}

// The body of the request. Known values replace those of the form, and blank fields are left out.
function requestBody(form: Form, known: Partial<Known>): Body {
  const target = form.choice('target', TARGETS)
  const field = FIELDS[target]
  const reference = known.case ?? form.text('case')
  const [amount, deadline] = [form.amount('amount'), form.text('deadline')]
  return {
    target,
    clientId: known.clientId ?? form.text('clientId'),
    ...(field ? { [field]: form.text(field) } : {}),
    ...(amount ? { amount } : {}),
    reason: form.text('reason'),
    ...(reference ? { case: reference } : {}),
    ...(deadline ? { deadline: `${deadline}:00+01:00` } : {}), // West Africa Time.
  }
}

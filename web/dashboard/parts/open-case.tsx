// Opens a case. From a credit, one click opens a case that is linked to the credit.

import { casesStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { goTo, hrefOf } from '../routing.ts'
import { Action } from './action.tsx'
import { ClientChoice } from './client-choice.tsx'
import { AMOUNT, type Form, InputField, SelectField, TextAreaField } from './forms.tsx'

type Body = Schemas['CaseRequest']
// The credit that the case is about, if the page shows one. The form then does not ask for these values.
type Known = { clientId: string; sessionId: string; amount: number }

const KINDS = ['bank_report', 'payer_report', 'own_rule'] as const

// `known` is the credit from which the user opens the case.
export function OpenCase({ known }: { known?: Known }) {
  return (
    <Action
      label={strings.open}
      title={strings.openTitle}
      action={strings.open}
      run={(form, headers) =>
        send('POST', '/api/v1/operator/cases', { body: requestBody(form, known), headers })
      }
      message={({ reference }) => strings.opened(reference)}
      onDone={({ reference }) => goTo(hrefOf('cases', reference))}
    >
      <SelectField label={strings.kind} name="kind" options={[...KINDS]} names={strings.kinds} />
      <TextAreaField
        label={strings.summary}
        hint={strings.summaryHint}
        name="summary"
        errorField="summary"
        rows={3}
        maxLength={500}
        required
      />
      {!known && <ClientChoice label={strings.client} />}
      {!known && (
        <InputField
          label={strings.sessionId}
          hint={strings.sessionIdHint}
          name="sessionId"
          errorField="sessionIds"
          maxLength={64}
        />
      )}
      <InputField
        label={strings.amount}
        name="amount"
        errorField="amount"
        defaultValue={known && `${known.amount}`}
        {...AMOUNT}
      />
      <InputField
        label={strings.reporterReference}
        name="reporterReference"
        errorField="reporterReference"
        maxLength={64}
      />
      <InputField
        label={strings.reportedAt}
        hint={strings.reportedHint}
        name="reportedAt"
        errorField="reportedAt"
        type="datetime-local"
      />
    </Action>
  )
}

// The body of the request. Known values replace those of the form, and blank fields are left out.
function requestBody(form: Form, known: Known | undefined): Body {
  const sessionId = known?.sessionId ?? form.text('sessionId')
  const [amount, reporterReference] = [form.amount('amount'), form.text('reporterReference')]
  const reportedAt = form.text('reportedAt')
  return {
    kind: form.choice('kind', KINDS),
    summary: form.text('summary'),
    clientId: known?.clientId ?? form.text('clientId'),
    ...(sessionId ? { sessionIds: [sessionId] } : {}),
    ...(amount ? { amount } : {}),
    ...(reporterReference ? { reporterReference } : {}),
    ...(reportedAt ? { reportedAt: `${reportedAt}:00+01:00` } : {}), // West Africa Time.
  }
}

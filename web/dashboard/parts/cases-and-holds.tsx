// Opens a case or places a hold, and lists the cases about a credit. The forms do not ask for values that the
// page already knows, such as the credit.

import { useState } from 'preact/hooks'
import { holdsStrings, casesStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { money } from '../format.ts'
import { usePage } from '../loading.ts'
import { goTo, hrefOf } from '../routing.ts'
import { Action } from './action.tsx'
import { ClientChoice } from './choices.tsx'
import { Link } from './controls.tsx'
import {
  AMOUNT,
  CheckBox,
  type Form,
  InputField,
  ReasonField,
  SelectField,
  TextAreaField,
} from './forms.tsx'
import { Failed } from './states.tsx'
import { Badge } from './values.tsx'

type Body = Schemas['CaseRequest']
// The credit that the case is about, if the page shows one. The form then does not ask for these values.
type Known = { clientId: string; sessionId: string; amount: number }

const KINDS = ['bank_report', 'payer_report', 'own_rule'] as const

// `known` is the credit from which the user opens the case.
export function OpenCase({ known }: { known?: Known }) {
  return (
    <Action
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
        defaultValue={known && `${known.amount}`}
        {...AMOUNT}
      />
      <InputField label={strings.reporterReference} name="reporterReference" maxLength={64} />
      <InputField
        label={strings.reportedAt}
        hint={strings.reportedHint}
        name="reportedAt"
        type="datetime-local"
      />
      <CheckBox label={strings.isJoint} name="isJoint" />
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
    ...(form.text('isJoint') ? { isJoint: true } : {}),
    ...(reportedAt ? { reportedAt: `${reportedAt}:00+01:00` } : {}), // West Africa Time.
  }
}

type HoldBody = Schemas['HoldRequest']
type Target = HoldBody['target']
type KnownOfHold = { clientId: string; case?: string; sessionId?: string }
type Props = {
  label?: string
  known?: Partial<KnownOfHold>
  onDone: (hold: Schemas['Hold']) => void
}

const TARGETS = ['credit', 'account', 'merchant', 'client', 'person'] as const
const FIELDS = {
  credit: 'sessionId',
  account: 'accountNumber',
  merchant: 'merchantCode',
  client: undefined,
  person: 'bvn',
} as const
const LENGTHS = { sessionId: 64, accountNumber: 10, merchantCode: 64, bvn: 11 } as const

// `known` has the values that the page already shows, such as the credit or the case.
export function PlaceHold({ label = holdsStrings.place, known = {}, onDone }: Props) {
  return (
    <Action
      label={label}
      title={holdsStrings.placeTitle}
      action={holdsStrings.place}
      text={holdsStrings.placeText}
      isDangerous
      run={(form, headers) =>
        send('POST', '/api/v1/operator/holds', { body: holdBody(form, known), headers })
      }
      message={({ reference, heldAmount, currency }) =>
        holdsStrings.placed(reference, money(heldAmount, currency))
      }
      onDone={onDone}
    >
      <TargetFields known={known} />
      <ReasonField label={holdsStrings.reason} hint={holdsStrings.reasonHint} />
      {known.case === undefined && (
        <InputField
          label={holdsStrings.case}
          hint={holdsStrings.caseHint}
          name="case"
          maxLength={64}
        />
      )}
      <InputField
        label={holdsStrings.deadline}
        hint={holdsStrings.deadlineHint}
        name="deadline"
        type="datetime-local"
      />
    </Action>
  )
}

// The choice of what the hold is on, and the fields that name it. A hold on a whole client needs no field
// besides the client. A hold on a person is at all clients and has no amount.
function TargetFields({ known: { clientId, sessionId } }: { known: Partial<KnownOfHold> }) {
  const [target, setTarget] = useState<Target>(sessionId === undefined ? 'account' : 'credit')
  const field = FIELDS[target]
  return (
    <>
      <SelectField
        label={holdsStrings.target}
        name="target"
        options={[...TARGETS]}
        names={holdsStrings.targets}
        chosen={target}
        onChange={(event) => setTarget(event.currentTarget.value as Target)}
      />
      {clientId === undefined && target !== 'person' && (
        <ClientChoice label={holdsStrings.client} />
      )}
      {field && (
        <InputField
          key={field}
          label={holdsStrings.fields[field]}
          name={field}
          required
          hint={field === 'bvn' ? holdsStrings.bvnHint : undefined}
          maxLength={LENGTHS[field]}
          defaultValue={field === 'sessionId' ? sessionId : undefined}
        />
      )}
      {target !== 'person' && (
        <InputField
          label={holdsStrings.amount}
          hint={holdsStrings.amountHint}
          name="amount"
          {...AMOUNT}
        />
      )}
    </>
  )
}

// The body of the request. Known values replace those of the form, and blank fields are left out.
function holdBody(form: Form, known: Partial<KnownOfHold>): HoldBody {
  const target = form.choice('target', TARGETS)
  const field = FIELDS[target]
  const reference = known.case ?? form.text('case')
  const [amount, deadline] = [form.amount('amount'), form.text('deadline')]
  return {
    target,
    ...(target === 'person' ? {} : { clientId: known.clientId ?? form.text('clientId') }),
    ...(field ? { [field]: form.text(field) } : {}),
    ...(amount && target !== 'person' ? { amount } : {}),
    reason: form.text('reason'),
    ...(reference ? { case: reference } : {}),
    ...(deadline ? { deadline: `${deadline}:00+01:00` } : {}), // West Africa Time.
  }
}

type CasesProps = {
  clientId: string
  sessionId: string
  amount: number
  refreshKey: number
  changed: () => void
}

export function CasesOfCredit({ clientId, sessionId, amount, refreshKey, changed }: CasesProps) {
  const { data, problem, reload } = usePage('/api/v1/operator/cases', { sessionId }, refreshKey)
  const cases = data?.data ?? []
  return (
    <section aria-label={strings.ofCredit}>
      {problem && <Failed problem={problem} retry={reload} />}
      {cases.length > 0 && (
        <>
          <h3>{strings.ofCredit}</h3>
          <ul class="locations">
            {cases.map(({ reference, state, summary }) => (
              <li key={reference}>
                <Link href={hrefOf('cases', reference)}>{reference}</Link>
                <span>
                  {summary} <Badge state={state} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="buttons after-facts">
        <OpenCase known={{ clientId, sessionId, amount }} />
        <PlaceHold known={{ clientId, sessionId }} onDone={changed} />
      </div>
    </section>
  )
}

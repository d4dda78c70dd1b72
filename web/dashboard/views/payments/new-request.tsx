// The form of a new payment request. Its return page defaults to that of the latest request.

import { accountsStrings, paymentsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { usePage } from '../../loading.ts'
import { SplitChoice } from '../../parts/choices.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import {
  AMOUNT,
  type Form,
  InputField,
  MoreOptions,
  SelectField,
  useSending,
  WebAddressField,
} from '../../parts/forms.tsx'
import { PayerRulesFields, payerRulesFrom } from '../../parts/payer-rules-fields.tsx'
import { Pending } from '../../parts/states.tsx'

const { create: strings, spans, policies } = paymentsStrings
const POLICIES = ['allow_under', 'exact', 'any'] as const
const SPANS = Object.keys(spans).map(Number)
const GRACES = Object.keys(strings.graces).map(Number)
const NAME_MAX = 200
const EMAIL_MAX = 254
const REFERENCE_MAX = 100

type Props = { close: () => void; onCreated: (request: Schemas['Advice']) => void }

export function NewRequest({ close, onCreated }: Props) {
  const sending = useSending(async (form, headers) => {
    onCreated(await send('POST', '/Payment/advice', { body: requestBody(form), headers }))
  })
  return (
    <DialogForm title={strings.title} action={strings.submit} sending={sending} close={close}>
      <InputField label={strings.amount} name="amount" required {...AMOUNT} />
      <InputField
        label={strings.customer}
        errorField="customer.customerFullName"
        name="customer"
        required
        maxLength={NAME_MAX}
      />
      <InputField
        label={strings.email}
        errorField="customer.customerEmail"
        name="email"
        type="email"
        maxLength={EMAIL_MAX}
      />
      <InputField label={strings.narration} name="narration" maxLength={NAME_MAX} />
      <SelectField
        label={strings.validity}
        hint={strings.validityHint}
        errorField="expiresInSeconds"
        name="validity"
        options={SPANS}
        names={spans}
      />
      <AmountPolicyChoice />
      <MoreFields />
    </DialogForm>
  )
}

// The body of the API call. A blank grace period takes the service's default.
function requestBody(form: Form) {
  const grace = form.text('grace')
  const payerRules = payerRulesFrom(form)
  return {
    amount: form.amount('amount'),
    customer: {
      customerFullName: form.text('customer'),
      customerEmail: form.text('email'),
    },
    narration: form.text('narration'),
    expiresInSeconds: Number(form.text('validity')),
    amountPolicy: form.choice('policy', POLICIES),
    merchantRef: form.text('merchantRef'),
    callBackUrl: form.text('callBackUrl'),
    notificationUrl: form.text('notificationUrl'),
    splitCode: form.text('splitCode'),
    ...(grace === '' ? {} : { graceSeconds: Number(grace) }),
    ...(payerRules ? { payerRules } : {}),
  }
}

// The choice of which amounts the request accepts, such as only the exact amount. The first is preselected.
function AmountPolicyChoice() {
  return (
    <fieldset class="choices">
      <legend>{strings.policy}</legend>
      {POLICIES.map((policy, index) => (
        <label key={policy} class="option">
          <input type="radio" name="policy" value={policy} defaultChecked={index === 0} />
          {policies[policy]}
        </label>
      ))}
    </fieldset>
  )
}

// Rarely used fields, folded. The return page is among them if it has a default, which is the return page of
// the latest request.
function MoreFields() {
  const { data, problem, reload } = usePage('/api/v1/advices', { limit: '1' })
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  const latestReturnPage = data.data[0]?.callBackUrl ?? ''
  const returnPage = (
    <WebAddressField
      name="callBackUrl"
      label={strings.returnPage}
      hint={strings.returnPageHint}
      value={latestReturnPage}
      isNeeded
    />
  )
  return (
    <>
      {latestReturnPage === '' && returnPage}
      <MoreOptions label={strings.more}>
        <InputField
          label={strings.merchantRef}
          hint={strings.merchantRefHint}
          name="merchantRef"
          maxLength={REFERENCE_MAX}
        />
        {latestReturnPage !== '' && returnPage}
        <WebAddressField
          name="notificationUrl"
          label={strings.notificationUrl}
          hint={strings.notificationUrlHint}
        />
        <GraceField />
        <SplitChoice />
        <h3>{accountsStrings.rules.title}</h3>
        <p class="muted small">{strings.rulesText}</p>
        <PayerRulesFields />
      </MoreOptions>
    </>
  )
}

function GraceField() {
  return (
    <SelectField
      label={strings.grace}
      hint={strings.graceHint}
      errorField="graceSeconds"
      name="grace"
      emptyOption={strings.graceDefault}
      options={GRACES}
      names={strings.graces}
    />
  )
}

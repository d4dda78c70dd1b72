// A new payment request: how much, from whom, for how long, and more that is seldom given. The return page
// is the one given last.

import { accountsStrings, paymentsStrings } from '../../../copy.ts'
import { getPage, type Schemas, send } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { choiceOf, Field, MoreOptions, textOf, useSending } from '../../parts/forms.tsx'
import { PayerRulesFields, rulesIn } from '../../parts/payer-rules-fields.tsx'
import { SplitChoice } from '../../parts/split-choice.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { WebAddressField } from '../../parts/web-address-field.tsx'

type Request = Schemas['Advice']

const { create: strings, spans, policies } = paymentsStrings
const POLICIES = ['allow_under', 'exact', 'any'] as const
const SPANS = Object.keys(spans).map(Number)
const GRACES = Object.keys(strings.graces).map(Number)
const NAME_MAX = 200
const EMAIL_MAX = 254
const REFERENCE_MAX = 100

type Props = { close: () => void; created: (request: Request) => void }

export function NewRequest({ close, created }: Props) {
  const sending = useSending(async (given, headers) => {
    created(await send('POST', '/Payment/advice', { body: bodyOf(given), headers }))
  })
  return (
    <DialogForm title={strings.title} action={strings.submit} sending={sending} close={close}>
      <Field label={strings.amount} of="amount">
        {(id, wrong) => (
          <input
            id={id}
            name="amount"
            required
            inputMode="decimal"
            autocomplete="off"
            pattern="[0-9,]+(\.[0-9]{1,2})?"
            {...wrong}
          />
        )}
      </Field>
      <Field label={strings.customer} of="customer.customerFullName">
        {(id, wrong) => (
          <input
            id={id}
            name="customer"
            required
            maxLength={NAME_MAX}
            autocomplete="off"
            {...wrong}
          />
        )}
      </Field>
      <Field label={strings.email} of="customer.customerEmail">
        {(id, wrong) => (
          <input
            id={id}
            name="email"
            type="email"
            maxLength={EMAIL_MAX}
            autocomplete="off"
            {...wrong}
          />
        )}
      </Field>
      <Field label={strings.narration} of="narration">
        {(id, wrong) => (
          <input id={id} name="narration" maxLength={NAME_MAX} autocomplete="off" {...wrong} />
        )}
      </Field>
      <Field label={strings.validity} hint={strings.validityHint} of="expiresInSeconds">
        {(id, wrong) => (
          <select id={id} name="validity" {...wrong}>
            {SPANS.map((seconds) => (
              <option key={seconds} value={seconds}>
                {spans[seconds]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Policies />
      <Further />
    </DialogForm>
  )
}

function bodyOf(given: FormData) {
  const grace = textOf(given, 'grace')
  const payerRules = rulesIn(given)
  return {
    amount: textOf(given, 'amount').replaceAll(',', ''),
    customer: {
      customerFullName: textOf(given, 'customer'),
      customerEmail: textOf(given, 'email'),
    },
    narration: textOf(given, 'narration'),
    expiresInSeconds: Number(textOf(given, 'validity')),
    amountPolicy: choiceOf(given, 'policy', POLICIES),
    merchantRef: textOf(given, 'merchantRef'),
    callBackUrl: textOf(given, 'callBackUrl'),
    notificationUrl: textOf(given, 'notificationUrl'),
    splitCode: textOf(given, 'splitCode'),
    ...(grace === '' ? {} : { graceSeconds: Number(grace) }),
    ...(payerRules ? { payerRules } : {}),
  }
}

function Policies() {
  return (
    <fieldset class="choices">
      <legend>{strings.policy}</legend>
      {POLICIES.map((policy, at) => (
        <label key={policy} class="option">
          <input type="radio" name="policy" value={policy} defaultChecked={at === 0} />
          {policies[policy]}
        </label>
      ))}
    </fieldset>
  )
}

// What is seldom changed is folded away, but for a return page that nobody has given yet.
function Further() {
  const { data, problem, reload } = useLoaded('latest', (signal) =>
    getPage('/api/v1/advices', {}, { query: { limit: '1' }, signal }),
  )
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const known = data.data[0]?.callBackUrl ?? ''
  const returnPage = (
    <WebAddressField
      name="callBackUrl"
      label={strings.returnPage}
      hint={strings.returnPageHint}
      value={known}
      isNeeded
    />
  )
  return (
    <>
      {known === '' && returnPage}
      <MoreOptions label={strings.more}>
        <Field label={strings.merchantRef} hint={strings.merchantRefHint} of="merchantRef">
          {(id, wrong) => (
            <input
              id={id}
              name="merchantRef"
              maxLength={REFERENCE_MAX}
              autocomplete="off"
              {...wrong}
            />
          )}
        </Field>
        {known !== '' && returnPage}
        <WebAddressField
          name="notificationUrl"
          label={strings.notificationUrl}
          hint={strings.notificationUrlHint}
        />
        <Grace />
        <SplitChoice />
        <h3>{accountsStrings.rules.title}</h3>
        <p class="muted small">{strings.rulesText}</p>
        <PayerRulesFields />
      </MoreOptions>
    </>
  )
}

function Grace() {
  return (
    <Field label={strings.grace} hint={strings.graceHint} of="graceSeconds">
      {(id, wrong) => (
        <select id={id} name="grace" {...wrong}>
          <option value="">{strings.graceDefault}</option>
          {GRACES.map((seconds) => (
            <option key={seconds} value={seconds}>
              {strings.graces[seconds]}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

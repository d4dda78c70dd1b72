// A new payment request: how much, from whom, for how long. The return page is the one given last.

import { paymentsStrings } from '../../../copy.ts'
import { getPage, type Schemas, send } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'

type Request = Schemas['Advice']

const { create: strings, spans, policies } = paymentsStrings
const POLICIES = ['allow_under', 'exact', 'any'] as const
const SPANS = Object.keys(spans).map(Number)
const NAME_MAX = 200
const EMAIL_MAX = 254
const REFERENCE_MAX = 100

type Props = { close: () => void; created: (request: Request) => void }

export function NewRequest({ close, created }: Props) {
  const sending = useSending(async (given, headers) => {
    const body = {
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
    }
    created(await send('POST', '/Payment/advice', { body, headers }))
  })
  return (
    <DialogForm title={strings.title} action={strings.submit} sending={sending} close={close}>
      <Field label={strings.amount}>
        {(id) => (
          <input
            id={id}
            name="amount"
            required
            inputMode="decimal"
            autocomplete="off"
            pattern="[0-9,]+(\.[0-9]{1,2})?"
          />
        )}
      </Field>
      <Field label={strings.customer}>
        {(id) => <input id={id} name="customer" required maxLength={NAME_MAX} autocomplete="off" />}
      </Field>
      <Field label={strings.email}>
        {(id) => (
          <input id={id} name="email" type="email" maxLength={EMAIL_MAX} autocomplete="off" />
        )}
      </Field>
      <Field label={strings.narration}>
        {(id) => <input id={id} name="narration" maxLength={NAME_MAX} autocomplete="off" />}
      </Field>
      <Field label={strings.validity} hint={strings.validityHint}>
        {(id) => (
          <select id={id} name="validity">
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
    <Field label={strings.returnPage} hint={strings.returnPageHint}>
      {(id) => (
        <input
          id={id}
          name="callBackUrl"
          type="url"
          required
          autocomplete="off"
          placeholder="https://"
          defaultValue={known}
        />
      )}
    </Field>
  )
  return (
    <>
      {known === '' && returnPage}
      <details class="more">
        <summary>{strings.more}</summary>
        <div class="form">
          <Field label={strings.merchantRef} hint={strings.merchantRefHint}>
            {(id) => (
              <input id={id} name="merchantRef" maxLength={REFERENCE_MAX} autocomplete="off" />
            )}
          </Field>
          {known !== '' && returnPage}
        </div>
      </details>
    </>
  )
}

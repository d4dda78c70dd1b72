// What to do about a payout that is unknown, or in a file without a report: find out from the bank, then
// confirm or fail it.

import { useState } from 'preact/hooks'
import { payoutsStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { ReasonForm } from '../../parts/reason-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Payout } from './payout-list.tsx'

const { resolve: strings } = payoutsStrings
const PATH = '/api/v1/operator/payouts/{reference}'

type Props = { payout: Payout; done: () => void }

export function ResolvePayout(props: Props) {
  const [asked, setAsked] = useState<'confirm' | 'fail' | undefined>()
  const close = () => setAsked(undefined)
  const isUnknown = props.payout.status === 'unknown'
  return (
    <section class="request" aria-labelledby="resolve">
      <h3 id="resolve">{strings.title}</h3>
      <p class="notice">{isUnknown ? payoutsStrings.unknownText : strings.inFile}</p>
      <ul class="todo">
        <li>{strings.text(props.payout.reference)}</li>
        <li>{strings.ifPaid}</li>
        <li>{strings.ifNot}</li>
      </ul>
      <div class="buttons">
        <button type="button" class="button primary" onClick={() => setAsked('confirm')}>
          {strings.confirm}
        </button>
        <button type="button" class="button" onClick={() => setAsked('fail')}>
          {strings.fail}
        </button>
      </div>
      {asked === 'confirm' && <ConfirmForm {...props} close={close} />}
      {asked === 'fail' && <FailForm {...props} close={close} />}
    </section>
  )
}

function ConfirmForm({ payout, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = payout
  const sending = useSending(async (given, headers) => {
    const body = { bankReference: textOf(given, 'bankReference') }
    await send('POST', `${PATH}/confirm`, { params: { reference }, body, headers })
    close()
    toast(strings.confirmed(reference))
    done()
  })
  const title = strings.confirmTitle(money(amount, currency))
  return (
    <DialogForm title={title} action={strings.confirm} sending={sending} close={close}>
      <p class="muted">{strings.confirmText}</p>
      <Field label={payoutsStrings.bankReference}>
        {(id) => <input id={id} name="bankReference" required maxLength={100} autocomplete="off" />}
      </Field>
    </DialogForm>
  )
}

function FailForm({ payout, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = payout
  return (
    <ReasonForm
      title={strings.failTitle(money(amount, currency))}
      action={strings.fail}
      text={strings.failText}
      label={strings.reason}
      hint={strings.reasonHint}
      said={strings.failed(reference)}
      run={(body, headers) =>
        send('POST', `${PATH}/fail`, { params: { reference }, body, headers })
      }
      done={done}
      close={close}
    />
  )
}

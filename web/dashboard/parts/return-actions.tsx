// Confirms a return or marks it as failed, each after a confirmation dialog.

import { useState } from 'preact/hooks'
import { returnsStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { money } from '../format.ts'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { ReasonForm } from './reason-form.tsx'
import { toast } from './toasts.tsx'

export type Return = Schemas['Return']

const PATH = '/api/v1/operator/returns/{reference}'

type Props = { item: Return; done: () => void }

// What was never sent can only fail.
export function ReturnActions({ mayConfirm, ...props }: Props & { mayConfirm: boolean }) {
  const [asked, setAsked] = useState<'confirm' | 'fail' | undefined>()
  const close = () => setAsked(undefined)
  return (
    <div class="buttons">
      {mayConfirm && (
        <button type="button" class="button primary" onClick={() => setAsked('confirm')}>
          {strings.confirm}
        </button>
      )}
      <button type="button" class="button" onClick={() => setAsked('fail')}>
        {strings.fail}
      </button>
      {asked === 'confirm' && <ConfirmForm {...props} close={close} />}
      {asked === 'fail' && <FailForm {...props} close={close} />}
    </div>
  )
}

function ConfirmForm({ item, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = item
  const sending = useSending(async (given, headers) => {
    const bankReference = textOf(given, 'bankReference')
    const body = bankReference === '' ? {} : { bankReference }
    await send('POST', `${PATH}/confirm`, { params: { reference }, body, headers })
    toast(strings.confirmed(reference))
    close()
    done()
  })
  const title = strings.confirmTitle(money(amount, currency))
  return (
    <DialogForm title={title} action={strings.confirm} sending={sending} close={close}>
      <p class="muted">{strings.confirmText}</p>
      <Field label={strings.bankReference} hint={strings.bankReferenceHint}>
        {(id) => <input id={id} name="bankReference" maxLength={100} autocomplete="off" />}
      </Field>
    </DialogForm>
  )
}

function FailForm({ item, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = item
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

// Asks the banks of a payment for its transfer, by the session id where the customer has a receipt.

import { useState } from 'preact/hooks'
import { send } from '../api.ts'
import { paymentsStrings as strings } from '../strings/payments.ts'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { toast } from './toasts.tsx'

type Props = { reference: string; changed: () => void }

export function RequeryButton(props: Props) {
  const [isAsked, setAsked] = useState(false)
  return (
    <div class="buttons">
      <button type="button" class="button" onClick={() => setAsked(true)}>
        {strings.requery}
      </button>
      {isAsked && <RequeryForm {...props} close={() => setAsked(false)} />}
    </div>
  )
}

function RequeryForm({ reference, changed, close }: Props & { close: () => void }) {
  const sending = useSending(async (given, headers) => {
    const sessionId = textOf(given, 'sessionId')
    await send('POST', '/api/v1/payments/{reference}/requery', {
      params: { reference },
      body: sessionId === '' ? {} : { sessionId },
      headers,
    })
    close()
    toast(strings.requeried)
    changed()
  })
  return (
    <DialogForm
      title={strings.requeryTitle}
      action={strings.requery}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.requeryText}</p>
      <Field label={strings.sessionId} hint={strings.sessionIdHint}>
        {(id) => <input id={id} name="sessionId" maxLength={64} autocomplete="off" />}
      </Field>
    </DialogForm>
  )
}

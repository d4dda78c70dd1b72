// Cancels a refund, for a reason, while nothing of it was sent.

import { useState } from 'preact/hooks'
import { refundsStrings as strings } from '../../copy.ts'
import { Problem, type Schemas, send } from '../api.ts'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { toast } from './toasts.tsx'

const REASON_MAX = 200

type Props = { refund: Schemas['Refund']; done: () => void }

export function CancelRefund({ refund, done }: Props) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div class="buttons entry-actions">
      <button type="button" class="button small" onClick={() => setOpen(true)}>
        {strings.cancel}
      </button>
      {isOpen && <CancelForm {...{ refund, done, close }} />}
    </div>
  )
}

function CancelForm({ refund: { reference }, done, close }: Props & { close: () => void }) {
  const sending = useSending(async (given, headers) => {
    const body = { reason: textOf(given, 'reason') }
    await send('POST', '/api/v1/refunds/{reference}/cancel', {
      params: { reference },
      body,
      headers,
    }).catch((error) => {
      if (!(error instanceof Problem)) throw error
      throw new Problem(error.code, strings.problems[error.code] ?? error.message, error)
    })
    toast(strings.cancelled(reference))
    close()
    done()
  })
  return (
    <DialogForm
      title={strings.cancel}
      action={strings.cancel}
      no={strings.keep}
      isDangerous
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.cancelText}</p>
      <Field label={strings.reason} hint={strings.reasonHint}>
        {(id) => <textarea id={id} name="reason" rows={2} maxLength={REASON_MAX} required />}
      </Field>
    </DialogForm>
  )
}

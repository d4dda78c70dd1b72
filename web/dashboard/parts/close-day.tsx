// Closes a day, after a confirmation dialog: it cannot be opened again.

import { useState } from 'preact/hooks'
import { accountingStrings as strings } from '../../copy.ts'
import { send } from '../api.ts'
import { longDay } from '../days.ts'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { Icon } from './icons.tsx'
import { toast } from './toasts.tsx'

const PATH = '/api/v1/operator/days/{day}/close'
const REASON_MAX = 500

type Props = { day: string; done: () => void }

export function CloseDay({ day, done }: Props) {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setAsked(true)}>
        <Icon name="lock" />
        {strings.close}
      </button>
      {isAsked && <CloseForm day={day} done={done} close={() => setAsked(false)} />}
    </>
  )
}

function CloseForm({ day, done, close }: Props & { close: () => void }) {
  const sending = useSending(async (given, headers) => {
    const reason = textOf(given, 'reason')
    const body = reason === '' ? {} : { reason }
    await send('POST', PATH, { params: { day }, body, headers })
    close()
    toast(strings.closed(longDay(day)))
    done()
  })
  return (
    <DialogForm
      title={strings.closeTitle(longDay(day))}
      action={strings.close}
      isDangerous
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.closeText}</p>
      <Field label={strings.closeReason} hint={strings.closeReasonHint}>
        {(id) => <textarea id={id} name="reason" rows={2} maxLength={REASON_MAX} />}
      </Field>
    </DialogForm>
  )
}

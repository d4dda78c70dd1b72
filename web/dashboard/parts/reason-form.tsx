// A dialog that takes a reason before it acts: to reject something, or mark it as failed.

import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { toast } from './toasts.tsx'

const REASON_MAX = 500

type Props = {
  title: string
  action: string
  text?: string
  label: string
  hint: string
  said: string // Once it is done.
  run: (body: { reason: string }, headers: Record<string, string>) => Promise<unknown>
  done: () => void
  close: () => void
}

export function ReasonForm({ title, action, text, label, hint, said, run, done, close }: Props) {
  const sending = useSending(async (given, headers) => {
    await run({ reason: textOf(given, 'reason') }, headers)
    close()
    toast(said)
    done()
  })
  return (
    <DialogForm title={title} action={action} isDangerous sending={sending} close={close}>
      {text !== undefined && <p class="muted">{text}</p>}
      <Field label={label} hint={hint}>
        {(id) => <textarea id={id} name="reason" rows={3} maxLength={REASON_MAX} required />}
      </Field>
    </DialogForm>
  )
}

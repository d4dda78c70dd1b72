// Erases personal data: says what goes and what stays, and takes a reason and a word to type, because
// nothing brings it back.

import { useState } from 'preact/hooks'
import { erasureStrings as strings } from '../../copy.ts'
import { Bullets } from './bullets.tsx'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { toast } from './toasts.tsx'

const REASON_MAX = 200

type Props = {
  of: 'account' | 'advice'
  word: string // To be typed.
  // Answers whether nothing is left to do.
  run: (body: { reason: string }, headers: Record<string, string>) => Promise<boolean>
  changed: () => void
}

export function EraseButton(props: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button danger-text" onClick={() => setOpen(true)}>
        {strings.open}
      </button>
      {isOpen && <EraseForm {...props} close={() => setOpen(false)} />}
    </>
  )
}

function EraseForm({ of, word, run, changed, close }: Props & { close: () => void }) {
  const [typed, setTyped] = useState('')
  const sending = useSending(async (given, headers) => {
    const isComplete = await run({ reason: textOf(given, 'reason') }, headers)
    close()
    toast(isComplete ? strings.done : strings.begun)
    changed()
  })
  const { goes, stays, after } = strings[of]
  return (
    <DialogForm
      title={strings.title}
      action={strings.submit}
      isDangerous
      isReady={typed.trim() === word}
      sending={sending}
      close={close}
    >
      <p>{strings.goesTitle}</p>
      <Bullets points={goes} />
      <p>{strings.staysTitle}</p>
      <Bullets points={stays} />
      <p>{after}</p>
      <Field label={strings.reason} hint={strings.reasonHint}>
        {(id) => <textarea id={id} name="reason" rows={2} maxLength={REASON_MAX} required />}
      </Field>
      <Field label={strings.confirm(word)}>
        {(id) => (
          <input
            id={id}
            required
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
    </DialogForm>
  )
}

// Erases personal data. The dialog lists the data that is erased and the data that stays. It asks for a
// reason and for a word to type, because an erasure cannot be undone.

import { useState } from 'preact/hooks'
import { erasureStrings as strings } from '../../copy.ts'
import { ActionDialog, OpenButton } from './action.tsx'
import { Bullets } from './bullets.tsx'
import { type Headers, InputField, ReasonField } from './forms.tsx'

type Props = {
  kind: 'account' | 'advice'
  word: string
  // Resolves to whether the erasure is complete.
  run: (body: { reason: string }, headers: Headers) => Promise<boolean>
  changed: () => void
}

export function EraseButton(props: Props) {
  return (
    <OpenButton label={strings.open} style="danger-text">
      {(close) => <EraseForm {...props} close={close} />}
    </OpenButton>
  )
}

// The button of the dialog stays disabled until the user has typed `word`. `run` resolves to whether the
// erasure is complete; if it still runs, the toast says so.
function EraseForm({ kind, word, run, changed, close }: Props & { close: () => void }) {
  const [typed, setTyped] = useState('')
  const { goes, stays, after } = strings[kind]
  return (
    <ActionDialog
      title={strings.title}
      action={strings.submit}
      isDangerous
      isReady={typed.trim() === word}
      run={(form, headers) => run({ reason: form.text('reason') }, headers)}
      message={(isComplete) => (isComplete ? strings.done : strings.begun)}
      onDone={changed}
      close={close}
    >
      <p>{strings.goesTitle}</p>
      <Bullets points={goes} />
      <p>{strings.staysTitle}</p>
      <Bullets points={stays} />
      <p>{after}</p>
      <ReasonField label={strings.reason} hint={strings.reasonHint} rows={2} maxLength={200} />
      <InputField
        label={strings.confirm(word)}
        required
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </ActionDialog>
  )
}

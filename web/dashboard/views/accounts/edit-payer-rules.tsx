// Who may pay into a collection account. Of payers' accounts only fingerprints are kept, so those that
// are to stay are entered again; rules without them can be undone.

import { useState } from 'preact/hooks'
import { accountsStrings, appStrings } from '../../../copy.ts'
import { Confirm, DialogForm } from '../../parts/dialog.tsx'
import { useSending } from '../../parts/forms.tsx'
import { PayerRulesFields, rulesIn } from '../../parts/payer-rules-fields.tsx'
import { toast } from '../../parts/toasts.tsx'
import { changeAccount, offerUndo } from './change-account.ts'
import type { EditProps } from './edit-account.tsx'

const { rules: strings } = accountsStrings

export function EditPayerRules(props: EditProps) {
  const { close, took } = props
  const [account] = useState(props.account) // As it was opened: edit-account.tsx.
  const [isRemoving, setRemoving] = useState(false)
  const rules = account.payerRules
  const isKnown = !rules?.accounts?.length
  const said = (text: string, now: typeof account) => {
    close()
    took(now)
    if (!isKnown) return toast(text)
    offerUndo({ text, took, back: () => changeAccount(now, { payerRules: rules }) })
  }
  const sending = useSending(async (given) => {
    const payerRules = rulesIn(given)
    said(appStrings.saved, await changeAccount(account, { payerRules }))
  })
  return (
    <>
      <DialogForm
        title={strings.title}
        action={appStrings.save}
        sending={sending}
        close={close}
        otherAction={
          rules && (
            <button type="button" class="button danger-text" onClick={() => setRemoving(true)}>
              {strings.remove}
            </button>
          )
        }
      >
        <p class="muted">{strings.text}</p>
        <PayerRulesFields rules={rules} />
      </DialogForm>
      {isRemoving && (
        <Confirm
          title={strings.removeTitle}
          action={strings.remove}
          isDangerous
          run={async () =>
            said(strings.removed, await changeAccount(account, { payerRules: null }))
          }
          done={() => {}}
          close={() => setRemoving(false)}
        >
          {strings.removeText}
        </Confirm>
      )}
    </>
  )
}

// Who may pay into a collection account. The service stores only fingerprints of payers' accounts, so the
// user enters them again; only rules without them can be undone.

import { useState } from 'preact/hooks'
import { accountsStrings, appStrings } from '../../../copy.ts'
import { ActionDialog } from '../../parts/action.tsx'
import { Button } from '../../parts/button.tsx'
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
  const change = async (payerRules: ReturnType<typeof rulesIn>, text: string) => {
    const now = await changeAccount(account, { payerRules })
    close()
    took(now)
    if (rules?.accounts?.length) return toast(text)
    offerUndo({ text, took, back: () => changeAccount(now, { payerRules: rules }) })
  }
  return (
    <>
      <ActionDialog
        title={strings.title}
        action={appStrings.save}
        text={strings.text}
        run={(form) => change(rulesIn(form), appStrings.saved)}
        close={close}
        otherAction={
          rules && (
            <Button style="danger-text" onClick={() => setRemoving(true)}>
              {strings.remove}
            </Button>
          )
        }
      >
        <PayerRulesFields rules={rules} />
      </ActionDialog>
      {isRemoving && (
        <ActionDialog
          title={strings.removeTitle}
          action={strings.remove}
          isDangerous
          text={strings.removeText}
          run={() => change(null, strings.removed)}
          close={() => setRemoving(false)}
        />
      )}
    </>
  )
}

// Adds a subaccount. The bank is asked whose account it is, so the answer may take a moment.

import { useState } from 'preact/hooks'
import { splitsStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { bankAccountOf } from '../../parts/bank-account-fields.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { SubaccountBankFields } from './subaccount-bank.tsx'

const { subaccounts: strings } = splitsStrings
const NAME_MAX = 100
export const CODE_MAX = 40

export function AddSubaccount({ done }: { done: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        {strings.add}
      </button>
      {isOpen && <SubaccountForm close={close} done={done} />}
    </>
  )
}

function SubaccountForm({ close, done }: { close: () => void; done: () => void }) {
  const sending = useSending(async (given, headers) => {
    const code = textOf(given, 'subaccountCode')
    const body = {
      ...(code === '' ? {} : { subaccountCode: code }),
      name: textOf(given, 'name'),
      ...bankAccountOf(given),
    }
    const { subaccountCode } = await send('POST', '/api/v1/subaccounts', { body, headers })
    toast(strings.added(subaccountCode))
    close()
    done()
  })
  return (
    <DialogForm title={strings.add} action={strings.add} sending={sending} close={close}>
      <p class="muted">{strings.addText}</p>
      <Field label={strings.name}>
        {(id) => <input id={id} name="name" required maxLength={NAME_MAX} autocomplete="off" />}
      </Field>
      <Field label={strings.code} hint={strings.codeHint}>
        {(id) => <input id={id} name="subaccountCode" maxLength={CODE_MAX} autocomplete="off" />}
      </Field>
      <SubaccountBankFields />
    </DialogForm>
  )
}

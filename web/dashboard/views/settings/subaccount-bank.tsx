// The bank account that a subaccount is paid to: its fields, and changing it. The bank is asked whose
// account it is, so the answer may take a moment.

import { useState } from 'preact/hooks'
import { splitsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { BankAccountFields, bankAccountOf } from '../../parts/bank-account-fields.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'

const { subaccounts: strings } = splitsStrings

export function SubaccountBankFields({ presentName = '' }: { presentName?: string }) {
  return (
    <BankAccountFields
      words={strings}
      name={strings.accountName}
      nameHint={strings.accountNameHint}
      presentName={presentName}
    />
  )
}

type Changing = { subaccount: Schemas['Subaccount']; done: () => void }

export function ChangeBankAccount({ subaccount, done }: Changing) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {strings.changeBank}
      </button>
      {isOpen && <ChangeForm subaccount={subaccount} close={close} done={done} />}
    </>
  )
}

function ChangeForm({ subaccount, close, done }: Changing & { close: () => void }) {
  const { subaccountCode, name, accountName } = subaccount
  const sending = useSending(async (given) => {
    const { accountStatus } = await send('PATCH', '/api/v1/subaccounts/{subaccountCode}', {
      params: { subaccountCode },
      body: bankAccountOf(given),
    })
    toast(accountStatus === 'confirmed' ? strings.bankChanged : strings.bankUnconfirmed)
    close()
    done()
  })
  return (
    <DialogForm
      title={strings.changeBankTitle(name)}
      action={strings.changeBank}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.changeBankText}</p>
      <SubaccountBankFields presentName={accountName} />
    </DialogForm>
  )
}

// Adds a bank account. The bank is asked whose it is, so the answer may take a moment.

import { useState } from 'preact/hooks'
import { bankAccountsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { BankAccountFields, bankAccountOf } from '../../parts/bank-account-fields.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { useSending } from '../../parts/forms.tsx'
import { goTo, hrefOf } from '../../routing.ts'

export function AddBankAccount({ done }: { done: () => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        {strings.add}
      </button>
      {isOpen && (
        <AccountForm
          close={() => setOpen(false)}
          done={(reference) => {
            setOpen(false)
            done()
            goTo(hrefOf('payouts', reference, { tab: 'bankAccounts' }))
          }}
        />
      )}
    </>
  )
}

function AccountForm({ close, done }: { close: () => void; done: (reference: string) => void }) {
  const sending = useSending(async (given, headers) => {
    const body = bankAccountOf(given)
    const { reference } = await send('POST', '/api/v1/bank-accounts', { body, headers })
    done(reference)
  })
  return (
    <DialogForm title={strings.add} action={strings.add} sending={sending} close={close}>
      <p class="muted">{strings.addText}</p>
      <BankAccountFields words={strings} name={strings.name} nameHint={strings.nameHint} />
    </DialogForm>
  )
}

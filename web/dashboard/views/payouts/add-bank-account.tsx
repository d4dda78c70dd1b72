// Adds a bank account. The bank is asked whose it is, so the answer may take a moment.

import { useState } from 'preact/hooks'
import { bankAccountsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { BankChoice } from '../../parts/bank-choice.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { goTo, hrefOf } from '../../routing.ts'

const NAME_MAX = 100

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
    const body = {
      bankCode: textOf(given, 'bankCode'),
      accountNumber: textOf(given, 'accountNumber'),
      accountName: textOf(given, 'accountName'),
    }
    const { reference } = await send('POST', '/api/v1/bank-accounts', { body, headers })
    done(reference)
  })
  return (
    <DialogForm title={strings.add} action={strings.add} sending={sending} close={close}>
      <p class="muted">{strings.addText}</p>
      <BankChoice label={strings.bank} placeholder={strings.chooseBank} />
      <Field label={strings.number} hint={strings.digits10}>
        {(id) => (
          <input
            id={id}
            name="accountNumber"
            required
            inputMode="numeric"
            pattern="[0-9]{10}"
            maxLength={10}
            autocomplete="off"
          />
        )}
      </Field>
      <Field label={strings.name} hint={strings.nameHint}>
        {(id) => (
          <input id={id} name="accountName" required maxLength={NAME_MAX} autocomplete="off" />
        )}
      </Field>
    </DialogForm>
  )
}

// A new payout: to which bank account, how much, and what the recipient's statement says.

import { useState } from 'preact/hooks'
import { payoutsStrings } from '../../../copy.ts'
import { getPage, send } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { BankAccountsLink } from '../../parts/bank-accounts-link.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { goTo, hrefOf } from '../../routing.ts'

const { create: strings } = payoutsStrings
const NARRATION_MAX = 100

export function NewPayout({ done }: { done: () => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        {strings.action}
      </button>
      {isOpen && (
        <PayoutForm
          close={() => setOpen(false)}
          done={(reference) => {
            setOpen(false)
            done()
            goTo(hrefOf('payouts', reference))
          }}
        />
      )}
    </>
  )
}

function PayoutForm({ close, done }: { close: () => void; done: (reference: string) => void }) {
  const sending = useSending(async (given, headers) => {
    const body = {
      bankAccount: textOf(given, 'bankAccount'),
      amount: textOf(given, 'amount').replaceAll(',', ''),
      narration: textOf(given, 'narration'),
    }
    const { reference, approval } = await send('POST', '/api/v1/payouts', { body, headers })
    toast(approval === 'needed' ? strings.asked(reference) : strings.done(reference))
    done(reference)
  })
  return (
    <DialogForm title={strings.action} action={strings.submit} sending={sending} close={close}>
      <AccountChoice />
      <Field label={strings.amount} hint={strings.amountHint}>
        {(id) => <input id={id} name="amount" required inputMode="decimal" autocomplete="off" />}
      </Field>
      <Field label={strings.narration} hint={strings.narrationHint}>
        {(id) => (
          <input id={id} name="narration" required maxLength={NARRATION_MAX} autocomplete="off" />
        )}
      </Field>
    </DialogForm>
  )
}

// Nothing can be paid to an account under another name.
function AccountChoice() {
  const { data, problem, reload } = useLoaded('active', (signal) => {
    const query = { isActive: 'true', limit: '100' }
    return getPage('/api/v1/bank-accounts', {}, { query, signal })
  })
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const accounts = data.data.filter(({ status }) => status !== 'mismatch')
  if (accounts.length === 0) {
    return (
      <p class="notice">
        {strings.none} <BankAccountsLink />
      </p>
    )
  }
  const preset = accounts.find(({ isDefault }) => isDefault) ?? accounts[0]
  return (
    <Field label={strings.account}>
      {(id) => (
        <select id={id} name="bankAccount" required>
          {accounts.map(({ reference, accountName, bankName, bankCode, accountNumberMasked }) => (
            <option key={reference} value={reference} selected={reference === preset?.reference}>
              {strings.option(accountName, bankName ?? bankCode, accountNumberMasked)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

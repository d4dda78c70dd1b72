// A new payout: bank account, amount and narration.

import { payoutsStrings } from '../../../copy.ts'
import { getPage, send } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { BankAccountsLink } from '../../parts/bank-accounts-link.tsx'
import { InputField, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { goTo, hrefOf } from '../../routing.ts'

const { create: strings } = payoutsStrings

export function NewPayout({ done }: { done: () => void }) {
  return (
    <Action
      label={strings.action}
      title={strings.action}
      action={strings.submit}
      style="primary"
      run={(form, headers) => {
        const body = {
          bankAccount: form.text('bankAccount'),
          amount: form.amount('amount'),
          narration: form.text('narration'),
        }
        return send('POST', '/api/v1/payouts', { body, headers })
      }}
      message={({ reference, approval }) =>
        approval === 'needed' ? strings.asked(reference) : strings.done(reference)
      }
      done={({ reference }) => {
        done()
        goTo(hrefOf('payouts', reference))
      }}
    >
      <AccountChoice />
      <InputField
        label={strings.amount}
        hint={strings.amountHint}
        name="amount"
        required
        inputMode="decimal"
      />
      <InputField
        label={strings.narration}
        hint={strings.narrationHint}
        name="narration"
        required
        maxLength={100}
      />
    </Action>
  )
}

// Omits accounts whose name the bank does not confirm: they cannot be paid.
function AccountChoice() {
  const { data, problem, reload } = useLoaded('active', (signal) => {
    const query = { isActive: 'true', limit: '100' }
    return getPage('/api/v1/bank-accounts', {}, { query, signal })
  })
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
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
    <SelectField
      label={strings.account}
      name="bankAccount"
      required
      options={accounts.map((each) => [
        each.reference,
        strings.option(each.accountName, each.bankName ?? each.bankCode, each.accountNumberMasked),
      ])}
      chosen={preset?.reference}
    />
  )
}

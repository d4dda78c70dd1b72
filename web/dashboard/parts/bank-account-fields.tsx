// The fields of a bank account: bank, number and name; and a link to the bank accounts.

import { payoutsStrings as strings } from '../../copy.ts'
import { hrefOf } from '../routing.ts'
import { BankChoice } from './bank-choice.tsx'
import { type Form, InputField } from './forms.tsx'
import { Link } from './link.tsx'

const NAME_MAX = 100

type Words = { bank: string; chooseBank: string; number: string; digits10: string }
type Props = { words: Words; name: string; nameHint: string; presentName?: string }

// `words` are the caller’s labels. `name` and `nameHint` are the label and hint of the account’s name, and
// `presentName` is its value at first.
export function BankAccountFields({ words, name, nameHint, presentName = '' }: Props) {
  return (
    <>
      <BankChoice label={words.bank} placeholder={words.chooseBank} />
      <InputField
        label={words.number}
        hint={words.digits10}
        name="accountNumber"
        required
        inputMode="numeric"
        pattern="[0-9]{10}"
        maxLength={10}
      />
      <InputField
        label={name}
        hint={nameHint}
        name="accountName"
        required
        maxLength={NAME_MAX}
        defaultValue={presentName}
      />
    </>
  )
}

export const bankAccountOf = (form: Form) => ({
  bankCode: form.text('bankCode'),
  accountNumber: form.text('accountNumber'),
  accountName: form.text('accountName'),
})

export function BankAccountsLink() {
  return (
    <Link href={hrefOf('payouts', undefined, { tab: 'bankAccounts' })}>
      {strings.tabs.bankAccounts}
    </Link>
  )
}

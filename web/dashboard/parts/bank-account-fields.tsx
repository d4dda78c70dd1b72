// The fields of an account at a bank: the bank, the account's number, and its name there.

import { BankChoice } from './bank-choice.tsx'
import { Field, textOf } from './forms.tsx'

const NAME_MAX = 100

type Words = { bank: string; chooseBank: string; number: string; digits10: string }
type Props = { words: Words; name: string; nameHint: string; presentName?: string }

export function BankAccountFields({ words, name, nameHint, presentName = '' }: Props) {
  return (
    <>
      <BankChoice label={words.bank} placeholder={words.chooseBank} />
      <Field label={words.number} hint={words.digits10}>
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
      <Field label={name} hint={nameHint}>
        {(id) => (
          <input
            id={id}
            name="accountName"
            required
            maxLength={NAME_MAX}
            autocomplete="off"
            defaultValue={presentName}
          />
        )}
      </Field>
    </>
  )
}

export const bankAccountOf = (given: FormData) => ({
  bankCode: textOf(given, 'bankCode'),
  accountNumber: textOf(given, 'accountNumber'),
  accountName: textOf(given, 'accountName'),
})

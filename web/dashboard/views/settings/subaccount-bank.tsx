// The bank account that a subaccount is paid to: its fields, and changing it. The bank is asked whose
// account it is, so the answer may take a moment.

import { splitsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { Action } from '../../parts/action.tsx'
import { BankAccountFields, bankAccountOf } from '../../parts/bank-account-fields.tsx'

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

type Props = { subaccount: Schemas['Subaccount']; done: () => void }

export function ChangeBankAccount({ subaccount, done }: Props) {
  const { subaccountCode, name, accountName } = subaccount
  return (
    <Action
      title={strings.changeBankTitle(name)}
      action={strings.changeBank}
      text={strings.changeBankText}
      run={(form) =>
        send('PATCH', '/api/v1/subaccounts/{subaccountCode}', {
          params: { subaccountCode },
          body: bankAccountOf(form),
        })
      }
      message={({ accountStatus }) =>
        accountStatus === 'confirmed' ? strings.bankChanged : strings.bankUnconfirmed
      }
      done={done}
    >
      <SubaccountBankFields presentName={accountName} />
    </Action>
  )
}

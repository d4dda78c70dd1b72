// The bank account of a subaccount, and changing it. The service checks the account name at the bank, which
// may take a moment.

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

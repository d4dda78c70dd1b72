// Adds a bank account. The service checks the name at the bank, which may take a moment.

import { bankAccountsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { Action } from '../../parts/action.tsx'
import { BankAccountFields, bankAccountOf } from '../../parts/bank-account-fields.tsx'
import { goTo, hrefOf } from '../../routing.ts'

export function AddBankAccount({ done }: { done: () => void }) {
  return (
    <Action
      action={strings.add}
      style="primary"
      text={strings.addText}
      run={(form, headers) =>
        send('POST', '/api/v1/bank-accounts', { body: bankAccountOf(form), headers })
      }
      done={({ reference }) => {
        done()
        goTo(hrefOf('payouts', reference, { tab: 'bankAccounts' }))
      }}
    >
      <BankAccountFields words={strings} name={strings.name} nameHint={strings.nameHint} />
    </Action>
  )
}

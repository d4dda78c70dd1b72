// Adds a subaccount. The service checks the account name at the bank, which may take a moment.

import { splitsStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { Action } from '../../parts/action.tsx'
import { bankAccountOf } from '../../parts/bank-account-fields.tsx'
import { InputField } from '../../parts/forms.tsx'
import { SubaccountBankFields } from './subaccount-bank.tsx'

const { subaccounts: strings } = splitsStrings
const NAME_MAX = 100
export const CODE_MAX = 40

export function AddSubaccount({ done }: { done: () => void }) {
  return (
    <Action
      action={strings.add}
      style="primary"
      text={strings.addText}
      run={(form, headers) => {
        const code = form.text('subaccountCode')
        const body = {
          ...(code === '' ? {} : { subaccountCode: code }),
          name: form.text('name'),
          ...bankAccountOf(form),
        }
        return send('POST', '/api/v1/subaccounts', { body, headers })
      }}
      message={({ subaccountCode }) => strings.added(subaccountCode)}
      done={done}
    >
      <InputField label={strings.name} name="name" required maxLength={NAME_MAX} />
      <InputField
        label={strings.code}
        hint={strings.codeHint}
        name="subaccountCode"
        maxLength={CODE_MAX}
      />
      <SubaccountBankFields />
    </Action>
  )
}

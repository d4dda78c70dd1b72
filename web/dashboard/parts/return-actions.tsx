// Confirms a return or marks it as failed, each after a confirmation dialog.

import { returnsStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { money } from '../format.ts'
import { Action } from './action.tsx'
import { InputField, ReasonField } from './forms.tsx'

export type Return = Schemas['Return']

const PATH = '/api/v1/operator/returns/{reference}'

type Props = { item: Return; mayConfirm: boolean; done: () => void }

export function ReturnActions({ item, mayConfirm, done }: Props) {
  const { reference } = item
  const params = { reference }
  const amount = money(item.amount, item.currency)
  return (
    <div class="buttons">
      <Action
        title={strings.confirmTitle(amount)}
        action={strings.confirm}
        style="primary"
        isOffered={mayConfirm}
        text={strings.confirmText}
        run={(form, headers) => {
          const bankReference = form.text('bankReference')
          const body = bankReference === '' ? {} : { bankReference }
          return send('POST', `${PATH}/confirm`, { params, body, headers })
        }}
        message={strings.confirmed(reference)}
        done={done}
      >
        <InputField
          label={strings.bankReference}
          hint={strings.bankReferenceHint}
          name="bankReference"
          maxLength={100}
        />
      </Action>
      <Action
        title={strings.failTitle(amount)}
        action={strings.fail}
        isDangerous
        text={strings.failText}
        run={(form, headers) => {
          const body = { reason: form.text('reason') }
          return send('POST', `${PATH}/fail`, { params, body, headers })
        }}
        message={strings.failed(reference)}
        done={done}
      >
        <ReasonField label={strings.reason} hint={strings.reasonHint} />
      </Action>
    </div>
  )
}

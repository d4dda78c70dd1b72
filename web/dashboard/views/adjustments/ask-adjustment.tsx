// Requests a recovery or a write-off of a debt.

import { adjustmentsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { Action } from '../../parts/action.tsx'
import { useBankNames } from '../../parts/bank-name.tsx'
import { InputField, ReasonField } from '../../parts/forms.tsx'
import { goTo, hrefOf } from '../../routing.ts'

export type DebtKind = 'receivable' | 'shortfall'

type Props = { account: Schemas['LedgerAccount']; kind: DebtKind; done: () => void }

export function AskAdjustment(props: Props) {
  return (
    <div class="buttons">
      <AskAction {...props} verb="recovery" />
      <AskAction {...props} verb="write_off" />
    </div>
  )
}

function AskAction({ account, kind, verb, done }: Props & { verb: 'recovery' | 'write_off' }) {
  const { clientId, bankCode, balance } = account
  const nameBank = useBankNames()
  const debtor = bankCode ? nameBank(bankCode) : (clientId ?? '')
  const isRecovery = verb === 'recovery'
  return (
    <Action
      label={isRecovery ? strings.recover : strings.writeOff}
      title={isRecovery ? strings.recoverTitle(debtor) : strings.writeOffTitle(debtor)}
      action={strings.request}
      text={isRecovery ? strings.recoverText[kind] : strings.writeOffText}
      run={(form, headers) => {
        const body = {
          kind: verb,
          of: kind,
          ...(kind === 'shortfall' ? { bankCode: bankCode ?? '' } : { clientId: clientId ?? '' }),
          amount: form.amount('amount'),
          reason: form.text('reason'),
        }
        return send('POST', '/api/v1/operator/adjustments', { body, headers })
      }}
      message={({ reference }) => strings.asked(reference)}
      done={({ reference }) => {
        done()
        goTo(hrefOf('adjustments', reference))
      }}
    >
      <InputField
        label={strings.amount}
        name="amount"
        required
        inputMode="decimal"
        defaultValue={`${balance}`}
      />
      <ReasonField label={strings.reason} hint={strings.reasonHint} />
    </Action>
  )
}

// Requests a recovery or a write-off of a debt.

import { useState } from 'preact/hooks'
import { adjustmentsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useBankNames } from '../../parts/bank-name.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { goTo, hrefOf } from '../../routing.ts'

export type DebtKind = 'receivable' | 'shortfall'

type Props = { account: Schemas['LedgerAccount']; kind: DebtKind; done: () => void }
type Verb = 'recovery' | 'write_off'

const REASON_MAX = 500

export function AskAdjustment(props: Props) {
  const [asked, setAsked] = useState<Verb | undefined>()
  return (
    <div class="buttons">
      <button type="button" class="button" onClick={() => setAsked('recovery')}>
        {strings.recover}
      </button>
      <button type="button" class="button" onClick={() => setAsked('write_off')}>
        {strings.writeOff}
      </button>
      {asked && <AskForm {...props} verb={asked} close={() => setAsked(undefined)} />}
    </div>
  )
}

function AskForm({ account, kind, verb, close, done }: Props & { verb: Verb; close: () => void }) {
  const { clientId, bankCode, balance } = account
  const nameBank = useBankNames()
  const debtor = bankCode ? nameBank(bankCode) : (clientId ?? '')
  const isRecovery = verb === 'recovery'
  const sending = useSending(async (given, headers) => {
    const body = {
      kind: verb,
      of: kind,
      ...(kind === 'shortfall' ? { bankCode: bankCode ?? '' } : { clientId: clientId ?? '' }),
      amount: textOf(given, 'amount').replaceAll(',', ''),
      reason: textOf(given, 'reason'),
    }
    const { reference } = await send('POST', '/api/v1/operator/adjustments', { body, headers })
    toast(strings.asked(reference))
    close()
    done()
    goTo(hrefOf('adjustments', reference))
  })
  return (
    <DialogForm
      title={isRecovery ? strings.recoverTitle(debtor) : strings.writeOffTitle(debtor)}
      action={strings.request}
      sending={sending}
      close={close}
    >
      <p class="muted">{isRecovery ? strings.recoverText[kind] : strings.writeOffText}</p>
      <Field label={strings.amount}>
        {(id) => (
          <input
            id={id}
            name="amount"
            required
            inputMode="decimal"
            autocomplete="off"
            defaultValue={`${balance}`}
          />
        )}
      </Field>
      <Field label={strings.reason} hint={strings.reasonHint}>
        {(id) => <textarea id={id} name="reason" rows={3} maxLength={REASON_MAX} required />}
      </Field>
    </DialogForm>
  )
}

// Saying what became of a return: once more in plain words before anything happens.

import { useState } from 'preact/hooks'
import { send } from '../api.ts'
import { money } from '../format.ts'
import { STRINGS } from '../strings.ts'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { toast } from './toasts.tsx'

export type Return = {
  reference: string
  status: string
  amount: number
  currency: string
  bankCode: string
  sessionId: string
  payerName: string | null
  payerBankCode: string | null
  payerAccountNumberMasked: string | null
  payerAccountNumber: string | null
  narration: string | null
  clientId: string | null
  creditId: number
  bankReference: string | null
  failureReason: string | null
  requestedBy: string | null
  requestedAt: string
  settledBy: string | null
  settledAt: string | null
}

const { returns: said } = STRINGS

type Props = { path: string; item: Return; done: () => void }

export function SettleReturn(props: Props) {
  const [asked, setAsked] = useState<'confirm' | 'fail' | undefined>()
  const close = () => setAsked(undefined)
  return (
    <div class="buttons">
      <button type="button" class="button primary" onClick={() => setAsked('confirm')}>
        {said.confirm}
      </button>
      <button type="button" class="button" onClick={() => setAsked('fail')}>
        {said.fail}
      </button>
      {asked === 'confirm' && <ConfirmForm {...props} close={close} />}
      {asked === 'fail' && <FailForm {...props} close={close} />}
    </div>
  )
}

function ConfirmForm({ path, item, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = item
  const sending = useSending(async (given, headers) => {
    const bankReference = textOf(given, 'bankReference')
    const body = bankReference === '' ? {} : { bankReference }
    await send('POST', `${path}/${reference}/confirm`, { body, headers })
    toast(said.confirmed(reference))
    close()
    done()
  })
  const title = said.confirmTitle(money(amount, currency))
  return (
    <DialogForm title={title} action={said.confirm} sending={sending} close={close}>
      <p class="muted">{said.confirmText}</p>
      <Field label={said.bankReference} hint={said.bankReferenceHint}>
        {(id) => <input id={id} name="bankReference" maxLength={100} autocomplete="off" />}
      </Field>
    </DialogForm>
  )
}

function FailForm({ path, item, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = item
  const sending = useSending(async (given, headers) => {
    const body = { reason: textOf(given, 'reason') }
    await send('POST', `${path}/${reference}/fail`, { body, headers })
    toast(said.failed(reference))
    close()
    done()
  })
  const title = said.failTitle(money(amount, currency))
  return (
    <DialogForm title={title} action={said.fail} isDangerous sending={sending} close={close}>
      <p class="muted">{said.failText}</p>
      <Field label={said.reason} hint={said.reasonHint}>
        {(id) => <textarea id={id} name="reason" rows={3} maxLength={500} required />}
      </Field>
    </DialogForm>
  )
}

// Requests a refund: amount and reason, then a confirmation, because it cannot be undone.

import { useRef, useState } from 'preact/hooks'
import { refundsStrings as strings } from '../../copy.ts'
import { Problem, send } from '../api.ts'
import { money } from '../format.ts'
import { Confirm, DialogForm } from './dialog.tsx'
import { Field, newKey, textOf, useSending } from './forms.tsx'
import { toast } from './toasts.tsx'

export type RefundOf = { reference: string } | { id: number }

type Props = { of: RefundOf; left: number; done: () => void }
type Asked = { amount: string; reason: string }

const REASON_MAX = 200

export function RefundButton(props: Props) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div class="buttons after-facts">
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {strings.one}
      </button>
      {isOpen && <RefundForm {...props} close={close} />}
    </div>
  )
}

function RefundForm({ of, left, done, close }: Props & { close: () => void }) {
  const [asked, setAsked] = useState<Asked | undefined>()
  const key = useRef(newKey()) // One form is one refund, however often it is confirmed.
  const sending = useSending(async (given) => {
    const amount = textOf(given, 'amount').replaceAll(',', '')
    setAsked({ amount, reason: textOf(given, 'reason') })
  })
  const run = async (body: Asked) => {
    const { reference } = await request(of, body, { 'idempotency-key': key.current })
    toast(strings.requested(reference))
    close()
    done()
  }
  return (
    <>
      <DialogForm title={strings.one} action={strings.goOn} sending={sending} close={close}>
        <p class="muted">{strings.text}</p>
        <Field label={strings.amount} hint={strings.amountHint(money(left))}>
          {(id) => (
            <input
              id={id}
              name="amount"
              required
              inputMode="decimal"
              autocomplete="off"
              pattern="[0-9,]+(\.[0-9]{1,2})?"
              defaultValue={`${left}`}
            />
          )}
        </Field>
        <Field label={strings.reason} hint={strings.reasonHint}>
          {(id) => <textarea id={id} name="reason" rows={2} maxLength={REASON_MAX} required />}
        </Field>
      </DialogForm>
      {asked && (
        <Confirm
          title={strings.sureTitle(money(Number(asked.amount)))}
          action={strings.sure(money(Number(asked.amount)))}
          isDangerous
          run={() => run(asked)}
          done={() => {}}
          close={() => setAsked(undefined)}
        >
          {strings.sureText}
        </Confirm>
      )}
    </>
  )
}

async function request(of: RefundOf, body: Asked, headers: Record<string, string>) {
  const sent = { body, headers }
  try {
    return 'reference' in of
      ? await send('POST', '/api/v1/payments/{reference}/refunds', { params: of, ...sent })
      : await send('POST', '/api/v1/credits/{id}/refunds', { params: of, ...sent })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(error.code, strings.problems[error.code] ?? error.message, error)
  }
}

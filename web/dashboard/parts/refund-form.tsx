// Requests a refund: amount and reason, then a confirmation, because it cannot be undone.

import { useRef, useState } from 'preact/hooks'
import { refundsStrings as strings } from '../../copy.ts'
import { Problem, send } from '../api.ts'
import { money } from '../format.ts'
import { ActionDialog, OpenButton } from './action.tsx'
import { DialogForm } from './dialog.tsx'
import { AMOUNT, type Headers, InputField, newKey, ReasonField, useSending } from './forms.tsx'

export type RefundOf = { reference: string } | { id: number }

type Props = { of: RefundOf; left: number; done: () => void }
type Body = { amount: string; reason: string }

export function RefundButton(props: Props) {
  return (
    <div class="buttons after-facts">
      <OpenButton label={strings.one}>
        {(close) => <RefundForm {...props} close={close} />}
      </OpenButton>
    </div>
  )
}

function RefundForm({ of, left, done, close }: Props & { close: () => void }) {
  const [body, setBody] = useState<Body | undefined>()
  const key = useRef(newKey()) // One form is one refund, however often it is confirmed.
  const sending = useSending(async (form) =>
    setBody({ amount: form.amount('amount'), reason: form.text('reason') }),
  )
  return (
    <>
      <DialogForm title={strings.one} action={strings.goOn} sending={sending} close={close}>
        <p class="muted">{strings.text}</p>
        <InputField
          label={strings.amount}
          hint={strings.amountHint(money(left))}
          name="amount"
          required
          {...AMOUNT}
          defaultValue={`${left}`}
        />
        <ReasonField label={strings.reason} hint={strings.reasonHint} rows={2} maxLength={200} />
      </DialogForm>
      {body && (
        <ActionDialog
          title={strings.sureTitle(money(Number(body.amount)))}
          action={strings.sure(money(Number(body.amount)))}
          isDangerous
          text={strings.sureText}
          run={() => request(of, body, { 'idempotency-key': key.current })}
          message={({ reference }) => strings.requested(reference)}
          done={() => {
            close()
            done()
          }}
          close={() => setBody(undefined)}
        />
      )}
    </>
  )
}

const request = (of: RefundOf, body: Body, headers: Headers) =>
  ('reference' in of
    ? send('POST', '/api/v1/payments/{reference}/refunds', { params: of, body, headers })
    : send('POST', '/api/v1/credits/{id}/refunds', { params: of, body, headers })
  ).catch(explainRefusal)

export function explainRefusal(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  throw new Problem(error.code, strings.problems[error.code] ?? error.message, error)
}

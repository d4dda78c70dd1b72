// What can be done with a payment request, and the payment of it: share, extend, cancel; resend its
// webhook, open its receipt; erase its customer. Only what its state and the role allow is there.

import { useState } from 'preact/hooks'
import { erasureStrings, paymentsStrings as strings } from '../../../copy.ts'
import { problemFrom, send } from '../../api.ts'
import { money } from '../../format.ts'
import { Confirm, DialogForm } from '../../parts/dialog.tsx'
import { EraseButton } from '../../parts/erase-button.tsx'
import { Field, newKey, textOf, useSending } from '../../parts/forms.tsx'
import { RequeryButton } from '../../parts/requery-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import { ShareButton } from './share.tsx'

const OPEN: readonly string[] = ['Pending', 'Processing', 'PartPayment']
const PAID: readonly string[] = ['Successful', 'Paid']
const SPANS = [1800, 3600, 21_600, 86_400]

type Subject = {
  adviceReference: string
  paymentReference: string | null
  status: string
  amountPaid: number
  currency: string
}
type Props = { of: Subject; scopes: readonly string[]; changed: () => void }

export function RequestActions({ of, scopes, changed }: Props) {
  const { adviceReference, paymentReference, status } = of
  const mayWrite = scopes.includes('payments:write')
  const isOpen = OPEN.includes(status)
  const receipt = `/pay?${new URLSearchParams({ adviceReference })}`
  return (
    <section class="buttons after-facts" aria-label={strings.actions}>
      {isOpen && <ShareButton reference={adviceReference} />}
      {PAID.includes(status) && (
        <a class="button" href={receipt} target="_blank" rel="noreferrer">
          {strings.receipt}
        </a>
      )}
      {isOpen && mayWrite && <ExtendButton reference={adviceReference} changed={changed} />}
      {paymentReference && mayWrite && (
        <RequeryButton reference={paymentReference} changed={changed} />
      )}
      {paymentReference && scopes.includes('webhooks:write') && (
        <ResendButton paymentReference={paymentReference} changed={changed} />
      )}
      {isOpen && mayWrite && <CancelButton of={of} changed={changed} />}
      {!isOpen && mayWrite && <EraseAdvice reference={adviceReference} changed={changed} />}
    </section>
  )
}

function EraseAdvice({ reference, changed }: { reference: string; changed: () => void }) {
  const run = async (body: { reason: string }, headers: Record<string, string>) => {
    const path = '/api/v1/advices/{adviceReference}/erase'
    const params = { adviceReference: reference }
    return (await send('POST', path, { params, body, headers })).isComplete
  }
  return <EraseButton of="advice" word={erasureStrings.word} run={run} changed={changed} />
}

function ExtendButton({ reference, changed }: { reference: string; changed: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {strings.extend.open}
      </button>
      {isOpen && <ExtendForm {...{ reference, changed, close }} />}
    </>
  )
}

type FormProps = { reference: string; changed: () => void; close: () => void }

function ExtendForm({ reference, changed, close }: FormProps) {
  const sending = useSending(async (given, headers) => {
    const body = { seconds: Number(textOf(given, 'seconds')) }
    await send('POST', '/api/v1/advices/{reference}/extend', {
      params: { reference },
      body,
      headers,
    })
    close()
    toast(strings.extend.done)
    changed()
  })
  return (
    <DialogForm
      title={strings.extend.title}
      action={strings.extend.open}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.extend.text}</p>
      <Field label={strings.extend.by}>
        {(id) => (
          <select id={id} name="seconds">
            {SPANS.map((seconds) => (
              <option key={seconds} value={seconds}>
                {strings.spans[seconds]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </DialogForm>
  )
}

// At once: receivers take the same event twice without harm, as they must.
function ResendButton(props: { paymentReference: string; changed: () => void }) {
  const { paymentReference, changed } = props
  const [isBusy, setBusy] = useState(false)
  const resend = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      const { queued } = await send('POST', '/api/WebHook/push/{paymentReference}', {
        params: { paymentReference },
        headers: { 'idempotency-key': newKey() },
      })
      toast(strings.resent(queued))
      changed()
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <button type="button" class="button" aria-disabled={isBusy} onClick={resend}>
      {strings.resend}
    </button>
  )
}

function CancelButton({ of, changed }: { of: Subject; changed: () => void }) {
  const [isAsked, setAsked] = useState(false)
  const { adviceReference: reference, amountPaid, currency } = of
  const close = () => setAsked(false)
  const run = (headers: Record<string, string>) =>
    send('POST', '/api/v1/advices/{reference}/cancel', { params: { reference }, headers })
  return (
    <>
      <button type="button" class="button danger-text" onClick={() => setAsked(true)}>
        {strings.cancel.open}
      </button>
      {isAsked && (
        <Confirm
          title={strings.cancel.title}
          action={strings.cancel.open}
          no={strings.cancel.keep}
          isDangerous
          run={run}
          done={() => {
            close()
            toast(strings.cancel.done)
            changed()
          }}
          close={close}
        >
          <p>{strings.cancel.text}</p>
          {amountPaid > 0 && <p>{strings.cancel.partText(money(amountPaid, currency))}</p>}
        </Confirm>
      )}
    </>
  )
}

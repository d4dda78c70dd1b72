// Actions on a payment request and its payment: share, extend, cancel, resend the webhook, open the receipt,
// and the dialog with the link of a request.

import { useEffect, useRef, useState } from 'preact/hooks'
import { erasureStrings, paymentsStrings } from '../../../copy.ts'
import { getData, type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Action, AtOnceButton, EraseButton } from '../../parts/action.tsx'
import { Button } from '../../parts/controls.tsx'
import { Dialog, NoticeDialog } from '../../parts/dialog.tsx'
import { type Headers, InputField, SelectField } from '../../parts/forms.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Copyable } from '../../parts/values.tsx'

type Shared = Pick<
  Schemas['Advice'],
  'amount' | 'currency' | 'customerFullName' | 'paymentUrl' | 'narration'
>

const { share: strings } = paymentsStrings

function ShareButton({ reference }: { reference: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button style="primary" onClick={() => setOpen(true)}>
        {strings.open}
      </Button>
      {isOpen && <LoadAndShare reference={reference} close={() => setOpen(false)} />}
    </>
  )
}

// Loads the request, because the caller knows only its reference, and then opens the dialog.
function LoadAndShare({ reference, close }: { reference: string; close: () => void }) {
  const { data, problem, reload } = useData('/api/v1/advices/{reference}', { reference })
  if (data) return <ShareDialog title={strings.title} request={data} close={close} />
  return (
    <Dialog title={strings.title} close={close}>
      {problem ? <Failed problem={problem} retry={reload} /> : <Skeleton kind="rows" lines={4} />}
    </Dialog>
  )
}

// Shows the link and its QR code. Where the browser can share links, there is also a button for that.
export function ShareDialog(props: { title: string; request: Shared; close: () => void }) {
  const { title, request, close } = props
  const { amount, currency, customerFullName, paymentUrl: url, narration } = request
  const shareData = { title: narration ?? title, url }
  const canShare = typeof navigator.share === 'function' && navigator.canShare?.(shareData)
  return (
    <NoticeDialog
      title={title}
      closeLabel={strings.done}
      otherButtons={
        canShare && (
          // Rejects if the user closes the share sheet.
          <Button onClick={() => navigator.share(shareData).catch(() => {})}>{strings.send}</Button>
        )
      }
      close={close}
    >
      <p class="muted">{strings.text(money(amount, currency), customerFullName)}</p>
      <div class="share">
        <QrCode text={url} label={strings.qr} />
        <Copyable text={url} name={strings.link} />
      </div>
    </NoticeDialog>
  )
}

const OPEN: readonly string[] = ['Pending', 'Processing', 'PartPayment']
const PAID: readonly string[] = ['Successful', 'Paid']
const SPANS = [1800, 3600, 21_600, 86_400]

type Subject = {
  adviceReference: string
  paymentReference: string | null
  status: string
  amount: number
  amountPaid: number
  currency: string
} & ({ customerName: string } | { customerFullName: string })
const customerOf = (subject: Subject) =>
  'customerName' in subject ? subject.customerName : subject.customerFullName

type RequestActionsProps = { subject: Subject; scopes: readonly string[]; changed: () => void }

// `subject` is a payment request, or a payment with the fields of its request.
export function RequestActions({ subject, scopes, changed }: RequestActionsProps) {
  const { adviceReference, paymentReference, status } = subject
  const mayWrite = scopes.includes('payments:write')
  const isOpen = OPEN.includes(status)
  const receipt = `/pay?${new URLSearchParams({ adviceReference })}`
  return (
    <section class="buttons after-facts" aria-label={paymentsStrings.actions}>
      {isOpen && <ShareButton reference={adviceReference} />}
      {PAID.includes(status) && (
        <a class="button" href={receipt} target="_blank" rel="noreferrer">
          {paymentsStrings.receipt}
        </a>
      )}
      {isOpen && mayWrite && <ExtendButton reference={adviceReference} changed={changed} />}
      {paymentReference && mayWrite && (
        <RequeryButton reference={paymentReference} changed={changed} />
      )}
      {paymentReference && scopes.includes('webhooks:write') && (
        <ResendButton reference={paymentReference} changed={changed} />
      )}
      {isOpen && mayWrite && <CancelButton subject={subject} changed={changed} />}
      {!isOpen && mayWrite && <EraseAdvice reference={adviceReference} changed={changed} />}
    </section>
  )
}

function EraseAdvice({ reference, changed }: { reference: string; changed: () => void }) {
  // Resolves to whether the erasure is complete.
  const run = async (body: { reason: string }, headers: Headers) => {
    const path = '/api/v1/advices/{adviceReference}/erase'
    const params = { adviceReference: reference }
    return (await send('POST', path, { params, body, headers })).isComplete
  }
  return <EraseButton kind="advice" word={erasureStrings.word} run={run} changed={changed} />
}

type ButtonProps = { reference: string; changed: () => void }

function ExtendButton({ reference, changed }: ButtonProps) {
  return (
    <Action
      title={paymentsStrings.extend.title}
      action={paymentsStrings.extend.open}
      text={paymentsStrings.extend.text}
      run={(form, headers) => {
        const body = { seconds: Number(form.text('seconds')) }
        const path = '/api/v1/advices/{reference}/extend'
        return send('POST', path, { params: { reference }, body, headers })
      }}
      message={paymentsStrings.extend.done}
      onDone={changed}
    >
      <SelectField
        label={paymentsStrings.extend.by}
        name="seconds"
        options={SPANS}
        names={paymentsStrings.spans}
      />
    </Action>
  )
}

// Has no confirmation dialog, because receivers must tolerate the same event twice.
function ResendButton({ reference: paymentReference, changed }: ButtonProps) {
  const path = '/api/WebHook/push/{paymentReference}'
  return (
    <AtOnceButton
      label={paymentsStrings.resend}
      run={async (headers) => {
        const { queued } = await send('POST', path, { params: { paymentReference }, headers })
        toast(paymentsStrings.resent(queued))
        changed()
      }}
    />
  )
}

// Cancels an open request. If a part was paid, the dialog says what happens to that money.
function CancelButton({ subject, changed }: { subject: Subject; changed: () => void }) {
  const { adviceReference: reference, amount, amountPaid, currency } = subject
  return (
    <Action
      title={paymentsStrings.cancel.title(money(amount, currency), customerOf(subject))}
      action={paymentsStrings.cancel.open}
      style="danger-text"
      cancelLabel={paymentsStrings.cancel.keep}
      isDangerous
      text={
        <>
          <p>{paymentsStrings.cancel.text}</p>
          {amountPaid > 0 && <p>{paymentsStrings.cancel.partText(money(amountPaid, currency))}</p>}
        </>
      }
      run={(_, headers) =>
        send('POST', '/api/v1/advices/{reference}/cancel', { params: { reference }, headers })
      }
      message={paymentsStrings.cancel.done}
      onDone={changed}
    />
  )
}

type RequeryButtonProps = { reference: string; changed: () => void }

const PATH = '/api/v1/payments/{reference}'
const POLL_MS = 2_000
const POLLS_MAX = 60

// Queries the banks for the transfer of a payment, by session id if the customer has a receipt. The responses
// of the banks raise no events, so the button polls for them.
function RequeryButton(props: RequeryButtonProps) {
  const { reference, changed } = props
  const waitForAnswers = useRequeryPolling(props)
  return (
    <Action
      title={paymentsStrings.requeryTitle}
      action={paymentsStrings.requery}
      text={paymentsStrings.requeryText}
      run={async (form, headers) => {
        const sessionId = form.text('sessionId')
        const body = sessionId === '' ? {} : { sessionId }
        const queriesBefore = await countQueries(reference)
        const path = `${PATH}/requery` as const
        const { requeries } = await send('POST', path, { params: { reference }, body, headers })
        waitForAnswers(queriesBefore, requeries.length)
      }}
      message={paymentsStrings.requeried}
      onDone={changed}
    >
      <InputField
        label={paymentsStrings.sessionId}
        hint={paymentsStrings.sessionIdHint}
        name="sessionId"
        maxLength={64}
      />
    </Action>
  )
}

// The number of answers that banks have given about the payment: one entry of the timeline for each.
async function countQueries(reference: string): Promise<number> {
  const { entries } = await getData(`${PATH}/timeline`, { reference })
  return entries.filter(({ kind }) => kind === 'requery').length
}

// Returns a function that is called after a requery: it polls for the banks’ answers every two seconds for at
// most two minutes, and refreshes with each new answer. `requeries` is the number of answers to wait for. A
// new requery replaces the polling for the one before.
function useRequeryPolling({ reference, changed }: RequeryButtonProps) {
  const timer = useRef(0)
  useEffect(() => () => window.clearInterval(timer.current), [])
  return (queriesBefore: number, requeries: number) => {
    let queriesSeen = queriesBefore
    let pollsLeft = POLLS_MAX
    window.clearInterval(timer.current)
    // Counts the answers. A response that comes after a newer requery has begun, and so replaced the timer,
    // is ignored.
    const ownTimer = window.setInterval(async () => {
      if (--pollsLeft === 0) window.clearInterval(ownTimer)
      const queries = await countQueries(reference).catch(() => queriesSeen)
      if (queries >= queriesBefore + requeries) window.clearInterval(ownTimer)
      if (queries <= queriesSeen || ownTimer !== timer.current) return
      queriesSeen = queries
      changed()
    }, POLL_MS)
    timer.current = ownTimer
  }
}

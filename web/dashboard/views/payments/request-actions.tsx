// Actions on a payment request and its payment: share, extend, cancel, resend the webhook, open the receipt,
// erase the customer. Shows only those that the state and the role allow.

import { useEffect, useRef } from 'preact/hooks'
import { erasureStrings, paymentsStrings as strings } from '../../../copy.ts'
import { getData, send } from '../../api.ts'
import { money } from '../../format.ts'
import { Action, AtOnceButton } from '../../parts/action.tsx'
import { EraseButton } from '../../parts/erase-button.tsx'
import { type Headers, InputField, SelectField } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { ShareButton } from './share.tsx'

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

type Props = { subject: Subject; scopes: readonly string[]; changed: () => void }

// `subject` is a payment request, or a payment with the fields of its request.
export function RequestActions({ subject, scopes, changed }: Props) {
  const { adviceReference, paymentReference, status } = subject
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
      title={strings.extend.title}
      action={strings.extend.open}
      text={strings.extend.text}
      run={(form, headers) => {
        const body = { seconds: Number(form.text('seconds')) }
        const path = '/api/v1/advices/{reference}/extend'
        return send('POST', path, { params: { reference }, body, headers })
      }}
      message={strings.extend.done}
      onDone={changed}
    >
      <SelectField label={strings.extend.by} name="seconds" options={SPANS} names={strings.spans} />
    </Action>
  )
}

// Has no confirmation dialog, because receivers must tolerate the same event twice.
function ResendButton({ reference: paymentReference, changed }: ButtonProps) {
  const path = '/api/WebHook/push/{paymentReference}'
  return (
    <AtOnceButton
      label={strings.resend}
      run={async (headers) => {
        const { queued } = await send('POST', path, { params: { paymentReference }, headers })
        toast(strings.resent(queued))
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
      title={strings.cancel.title(money(amount, currency), customerOf(subject))}
      action={strings.cancel.open}
      style="danger-text"
      cancelLabel={strings.cancel.keep}
      isDangerous
      text={
        <>
          <p>{strings.cancel.text}</p>
          {amountPaid > 0 && <p>{strings.cancel.partText(money(amountPaid, currency))}</p>}
        </>
      }
      run={(_, headers) =>
        send('POST', '/api/v1/advices/{reference}/cancel', { params: { reference }, headers })
      }
      message={strings.cancel.done}
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
      title={strings.requeryTitle}
      action={strings.requery}
      text={strings.requeryText}
      run={async (form, headers) => {
        const sessionId = form.text('sessionId')
        const body = sessionId === '' ? {} : { sessionId }
        const queriesBefore = await countQueries(reference)
        const path = `${PATH}/requery` as const
        const { requeries } = await send('POST', path, { params: { reference }, body, headers })
        waitForAnswers(queriesBefore, requeries.length)
      }}
      message={strings.requeried}
      onDone={changed}
    >
      <InputField
        label={strings.sessionId}
        hint={strings.sessionIdHint}
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

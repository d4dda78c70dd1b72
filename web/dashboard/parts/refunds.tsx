// Lists the refunds of a payment or of a credit to a collection account, and requests or cancels a refund.

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { codeOf } from '../../../src/short-codes.ts'
import { refundsStrings as strings } from '../../copy.ts'
import { getPage, Problem, type Schemas, send } from '../api.ts'
import { money } from '../format.ts'
import { useData, useLoaded, useReload } from '../loading.ts'
import { Action, ActionDialog, OpenButton } from './action.tsx'
import { DialogForm } from './dialog.tsx'
import { AMOUNT, type Headers, InputField, newKey, ReasonField, useSending } from './forms.tsx'
import { Icon } from './icons.tsx'
import { Failed, Skeleton } from './states.tsx'
import { Badge, Money, Time } from './values.tsx'

type Refund = Schemas['Refund']
type Part = Schemas['RefundPayout']

const SHOWN_MAX = '100'

type Props = {
  target: RefundTarget
  received: number // Minus the amount that the bank reversed.
  payer: string | null // Null if unknown, or if there are several payers.
  mayRefund: boolean
  refreshKey: number
  changed: () => void
}

// The refunds of a payment or credit, and the button for another one while some of `received` can still be
// refunded.
export function Refunds({ target, received, payer, mayRefund, refreshKey, changed }: Props) {
  const { data, problem, reload } = useLoaded(JSON.stringify(target), (signal) =>
    listRefunds(target, signal),
  )
  useReload(refreshKey, reload)
  // Users restricted to some merchants cannot refund.
  if (problem?.code === 'merchants_restricted') return null
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="rows" lines={1} />
  // The payment or credit changes with its refunds, so the whole drawer reloads.
  const onDone = () => {
    reload()
    changed()
  }
  const remaining = received > 0 ? amountLeft(received, data.data) : 0
  const isOffered = mayRefund && remaining > 0 && !data.hasMore
  if (data.data.length === 0 && !isOffered) return failed ?? null
  return (
    <section aria-label={strings.title}>
      {failed}
      {data.data.length > 0 && <h3>{strings.title}</h3>}
      <ol class="entries">
        {data.data.map((refund) => (
          <RefundEntry key={refund.reference} refund={refund}>
            {mayRefund && mayCancel(refund) && <CancelRefund refund={refund} onDone={onDone} />}
          </RefundEntry>
        ))}
      </ol>
      {data.hasMore && <p class="muted small">{strings.more}</p>}
      {isOffered && <RefundButton {...{ target, payer, remaining, onDone }} />}
    </section>
  )
}

// `target` names a payment by its reference, or a credit by its id.
export function listRefunds(target: RefundTarget, signal?: AbortSignal) {
  const options = { query: { limit: SHOWN_MAX }, ...(signal && { signal }) }
  return 'reference' in target
    ? getPage('/api/v1/payments/{reference}/refunds', target, options)
    : getPage('/api/v1/credits/{id}/refunds', target, options)
}

const isWithoutEffect = ({ status }: Part) => status === 'failed' || status === 'cancelled'

// Returns the amount that can still be refunded: failed and cancelled payouts do not count. Adds in kobo,
// because sums of decimals are inexact.
export function amountLeft(received: number, refunds: readonly Refund[]): number {
  const effectivePayouts = refunds
    .flatMap(({ payouts }) => payouts)
    .filter((part) => !isWithoutEffect(part))
  const kobo = (amount: number) => Math.round(amount * 100)
  return (
    effectivePayouts.reduce((remaining, { amount }) => remaining - kobo(amount), kobo(received)) /
    100
  )
}

// Whether the user may cancel the refund: every payout that is not cancelled is still queued.
export function mayCancel({ payouts }: Refund): boolean {
  const remainingPayouts = payouts.filter(({ status }) => status !== 'cancelled')
  return remainingPayouts.length > 0 && remainingPayouts.every(({ status }) => status === 'queued')
}

// A refund waits for approval if any of its queued payouts does.
export function refundState({ status, payouts }: Refund): string {
  const isWaiting = payouts.some((part) => part.approval === 'needed' && part.status === 'queued')
  return isWaiting ? 'awaiting_approval' : status
}

// The accounts that the refund goes to, each once: a refund may consist of several payouts.
export function payeesOf({ payouts }: Refund): string[] {
  const payees = payouts.map((part) =>
    strings.payee(part.toAccountName, part.toAccountNumberMasked),
  )
  return [...new Set(payees)]
}

// One refund: its reason, payees, failures and amount. `children` are its actions.
function RefundEntry({ refund, children }: { refund: Refund; children: ComponentChildren }) {
  const failures = new Set(refund.payouts.flatMap(({ failureReason }) => failureReason ?? []))
  return (
    <li>
      <span class="entry-mark">
        <Icon name="reversal" />
      </span>
      <div class="entry-text">
        <p>{refund.reason}</p>
        <p class="muted small">{codeOf(refund.reference)}</p>
        {payeesOf(refund).map((payee) => (
          <p key={payee} class="muted small">
            {strings.to(payee)}
          </p>
        ))}
        {[...failures].map((reason) => (
          <p key={reason} class="fault small">
            {strings.failure(reason)}
          </p>
        ))}
        {children}
      </div>
      <div class="entry-end">
        <Money amount={refund.amount} currency={refund.currency} />
        <Badge state={refundState(refund)} />
        <Time at={refund.requestedAt} />
      </div>
    </li>
  )
}

// Cancels the refund after a confirmation with a reason. A refusal is explained in the dashboard’s words.
export function CancelRefund(props: { refund: Schemas['Refund']; onDone: () => void }) {
  const { refund, onDone } = props
  const { reference, amount, currency } = refund
  return (
    <div class="buttons entry-actions">
      <Action
        title={strings.cancelTitle(money(amount, currency), payeesOf(refund).join(' + '))}
        action={strings.cancel}
        style="small"
        cancelLabel={strings.keep}
        isDangerous
        text={strings.cancelText}
        run={(form, headers) => {
          const body = { reason: form.text('reason') }
          const path = '/api/v1/refunds/{reference}/cancel'
          return send('POST', path, { params: { reference }, body, headers }).catch(explainRefusal)
        }}
        message={strings.cancelled(reference)}
        onDone={onDone}
      >
        <ReasonField label={strings.reason} hint={strings.reasonHint} rows={2} maxLength={200} />
      </Action>
    </div>
  )
}

type RefundTarget = { reference: string } | { id: number }

type FormProps = {
  target: RefundTarget
  payer: string | null
  remaining: number
  onDone: () => void
}
type Body = { amount: string; reason: string }

function RefundButton(props: FormProps) {
  return (
    <div class="buttons after-facts">
      <OpenButton label={strings.one}>
        {(close) => <RefundForm {...props} close={close} />}
      </OpenButton>
    </div>
  )
}

// Asks for amount and reason, then for a confirmation that names the amount and the payer.
function RefundForm(props: FormProps & { close: () => void }) {
  const { target, payer, remaining, onDone, close } = props
  const [body, setBody] = useState<Body | undefined>()
  const key = useRef(newKey()) // The form creates one refund, however often the user confirms.
  const sending = useSending(async (form) =>
    setBody({ amount: form.amount('amount'), reason: form.text('reason') }),
  )
  return (
    <>
      <DialogForm title={strings.one} action={strings.goOn} sending={sending} close={close}>
        <p class="muted">{strings.text}</p>
        <InputField
          label={strings.amount}
          hint={strings.amountHint(money(remaining))}
          name="amount"
          required
          {...AMOUNT}
          defaultValue={`${remaining}`}
        />
        <ReasonField label={strings.reason} hint={strings.reasonHint} rows={2} maxLength={200} />
      </DialogForm>
      {body && (
        <ActionDialog
          title={strings.sureTitle(money(Number(body.amount)), payer)}
          action={strings.sure(money(Number(body.amount)))}
          isDangerous
          text={
            <>
              <p>{strings.sureText}</p>
              <Approval amount={Number(body.amount)} />
            </>
          }
          run={() => requestRefund(target, body, { 'idempotency-key': key.current })}
          message={({ reference }) => strings.requested(reference)}
          onDone={() => {
            close()
            onDone()
          }}
          close={() => setBody(undefined)}
        />
      )}
    </>
  )
}

// Renders nothing until the approval rule is known.
function Approval({ amount }: { amount: number }) {
  const { data } = useData('/api/v1/payout-settings', {})
  if (!data) return null
  return <p>{waitsForApproval(data, amount) ? strings.needsApproval : strings.atOnce}</p>
}

type Rule = Pick<Schemas['PayoutSettings'], 'payoutApproval' | 'approvalAbove'>

// Whether another user must approve a refund of this amount before it is sent.
export function waitsForApproval({ payoutApproval: rule, approvalAbove }: Rule, amount: number) {
  return rule === 'all' || (rule === 'above' && amount > (approvalAbove ?? 0))
}

export const requestRefund = (target: RefundTarget, body: Body, headers: Headers) =>
  ('reference' in target
    ? send('POST', '/api/v1/payments/{reference}/refunds', { params: target, body, headers })
    : send('POST', '/api/v1/credits/{id}/refunds', { params: target, body, headers })
  ).catch(explainRefusal)

// Replaces the message of the service if the dashboard has a clearer one.
function explainRefusal(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  throw new Problem(error.code, strings.problems[error.code] ?? error.message, error)
}

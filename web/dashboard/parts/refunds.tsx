// The refunds of a payment or of a credit to a collection account, and requesting or cancelling one.

import type { ComponentChildren } from 'preact'
import { refundsStrings as strings } from '../../copy.ts'
import { getPage, type Schemas } from '../api.ts'
import { useLoaded, useReload } from '../loading.ts'
import { CancelRefund } from './cancel-refund.tsx'
import { Icon } from './icons.tsx'
import { RefundButton, type RefundOf } from './refund-form.tsx'
import { Failed, Skeleton } from './states.tsx'
import { Badge, Money, Time } from './values.tsx'

type Refund = Schemas['Refund']
type Part = Schemas['RefundPayout']

const SHOWN_MAX = '100'

type Props = {
  of: RefundOf
  received: number // Less what the bank reversed.
  mayRefund: boolean
  version: number
  changed: () => void
}

export function Refunds({ of, received, mayRefund, version, changed }: Props) {
  const { data, problem, reload } = useLoaded(JSON.stringify(of), (signal) =>
    listRefunds(of, signal),
  )
  useReload(version, reload)
  // Users restricted to some merchants cannot refund.
  if (problem?.code === 'merchants_restricted') return null
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="rows" lines={1} />
  const done = () => {
    reload()
    changed()
  }
  const left = received > 0 ? amountLeft(received, data.data) : 0
  const isOffered = mayRefund && left > 0 && !data.hasMore
  if (data.data.length === 0 && !isOffered) return failed ?? null
  return (
    <section aria-label={strings.title}>
      {failed}
      {data.data.length > 0 && <h3>{strings.title}</h3>}
      <ol class="entries">
        {data.data.map((refund) => (
          <Entry key={refund.reference} refund={refund}>
            {mayRefund && mayCancel(refund) && <CancelRefund refund={refund} done={done} />}
          </Entry>
        ))}
      </ol>
      {data.hasMore && <p class="muted small">{strings.more}</p>}
      {isOffered && <RefundButton of={of} left={left} done={done} />}
    </section>
  )
}

function listRefunds(of: RefundOf, signal: AbortSignal) {
  const asked = { query: { limit: SHOWN_MAX }, signal }
  return 'reference' in of
    ? getPage('/api/v1/payments/{reference}/refunds', of, asked)
    : getPage('/api/v1/credits/{id}/refunds', of, asked)
}

const isOver = ({ status }: Part) => status === 'failed' || status === 'cancelled'

// In kobo, because sums of decimals are inexact.
function amountLeft(received: number, refunds: readonly Refund[]): number {
  const standing = refunds.flatMap(({ payouts }) => payouts).filter((part) => !isOver(part))
  const kobo = (amount: number) => Math.round(amount * 100)
  return standing.reduce((left, { amount }) => left - kobo(amount), kobo(received)) / 100
}

// Everything left is already being refunded.
function mayCancel({ payouts }: Refund): boolean {
  const standing = payouts.filter(({ status }) => status !== 'cancelled')
  return standing.length > 0 && standing.every(({ status }) => status === 'queued')
}

function stateOf({ status, payouts }: Refund): string {
  const isWaiting = payouts.some((part) => part.approval === 'needed' && part.status === 'queued')
  return isWaiting ? 'awaiting_approval' : status
}

function Entry({ refund, children }: { refund: Refund; children: ComponentChildren }) {
  const payees = new Set(
    refund.payouts.map((part) => strings.to(part.toAccountName, part.toAccountNumberMasked)),
  )
  const failures = new Set(refund.payouts.flatMap(({ failureReason }) => failureReason ?? []))
  return (
    <li>
      <span class="entry-mark">
        <Icon name="reversal" />
      </span>
      <div class="entry-text">
        <p>{refund.reason}</p>
        <p class="muted small">{refund.reference}</p>
        {[...payees].map((payee) => (
          <p key={payee} class="muted small">
            {payee}
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
        <Badge state={stateOf(refund)} />
        <Time at={refund.requestedAt} />
      </div>
    </li>
  )
}

// Amounts, times, states and references, each always rendered the same way.

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { codeOf, codeOfId } from '../../../src/short-codes.ts'
import { appStrings } from '../../copy.ts'
import { exactTime, humanize, money, shownTime } from '../format.ts'
import { Icon } from './icons.tsx'
import { toast } from './toasts.tsx'

export function Money({ amount, currency = 'NGN' }: { amount: number; currency?: string | null }) {
  return <span class="money">{money(amount, currency ?? 'NGN')}</span>
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {shownTime(at)}
    </time>
  )
}

type Tone = 'good' | 'warn' | 'bad' | 'calm'

const STATES: Record<Tone, readonly string[]> = {
  good: [
    ...['Successful', 'Paid', 'booked', 'assigned', 'active'],
    ...['delivered', 'confirmed', 'paid', 'approved', 'taken'],
  ],
  warn: [
    ...['PartPayment', 'suspended', 'open', 'closed', 'unknown'],
    ...['awaiting_approval', 'awaited', 'part_refunded'],
  ],
  bad: ['part_failed', 'Reversed', 'reversed', 'failed', 'rejected', 'inactive'],
  calm: [],
}

const toneOf = (state: string): Tone =>
  (Object.keys(STATES) as Tone[]).find((tone) => STATES[tone].includes(state)) ?? 'calm'

export function Badge({ state, tone }: { state: string; tone?: Tone }) {
  return <span class={`badge ${tone ?? toneOf(state)}`}>{humanize(state)}</span>
}

type Refundable = { state: string; received: number; refunded: number }

// Shows the refund in place of a good state, and next to any other state.
export function PaidBadge({ state, received, refunded }: Refundable) {
  if (refunded <= 0) return <Badge state={state} />
  const refundBadge = <Badge state={refunded < received ? 'part_refunded' : 'refunded'} />
  if (toneOf(state) === 'good') return refundBadge
  return (
    <>
      <Badge state={state} /> {refundBadge}
    </>
  )
}

type HeadlineProps = { sum: { amount: number; currency: string }; about: string } & (
  | { state: string }
  | { badge: ComponentChildren }
)

// The top of a drawer: the amount with its state, and a line about it.
export function Headline({ sum, about, ...view }: HeadlineProps) {
  return (
    <>
      <div class="headline">
        <Money amount={sum.amount} currency={sum.currency} />
        {'badge' in view ? view.badge : <Badge state={view.state} />}
      </div>
      <p class="muted">{about}</p>
    </>
  )
}

// The top of a drawer of an object without an amount.
export function TextHeadline({ text, badge }: { text: string; badge?: ComponentChildren }) {
  return (
    <div class="headline">
      <span class="headline-text">{text}</span>
      {badge}
    </div>
  )
}

// A short code for people, and the full reference that programs and banks use.
export function Reference({ text, code = codeOf(text) }: { text: string; code?: string }) {
  if (code === text) return <Copyable text={text} />
  return (
    <span class="reference">
      <Copyable text={code} />
      <span class="muted small">
        <Copyable text={text} />
      </span>
    </span>
  )
}

export function PaymentReference({ id }: { id: string }) {
  return <Reference code={codeOfId('PAY', id)} text={id} />
}

const SHOWN_MS = 1_500

// A reference with a copy button. Screen readers announce a secret by its name and never read it aloud.
export function Copyable({ text, label, name }: { text: string; label?: string; name?: string }) {
  return (
    <span class="copyable">
      <code>{label ?? text}</code>
      <CopyButton text={text} name={name ?? text} announcement={appStrings.copied(name ?? text)} />
    </span>
  )
}

export function CopyButton({
  text,
  name,
  announcement,
}: {
  text: string
  name: string
  announcement: string
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = window.setTimeout(() => setCopied(false), SHOWN_MS)
    return () => window.clearTimeout(timer)
  }, [isCopied])
  // Copies the text. The clipboard refuses in pages without TLS or if the user forbids it, which a toast then
  // says.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      toast(announcement)
    } catch {
      toast(appStrings.notCopied, 'bad')
    }
  }
  return (
    <button type="button" class="icon-button" aria-label={appStrings.copy(name)} onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}

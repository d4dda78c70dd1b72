// Amounts, times, states and references, each always rendered the same way.

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { exactTime, humanize, money, shownTime } from '../format.ts'
import { Icon } from './icons.tsx'
import { toast } from './toasts.tsx'

export function Money({ amount, currency = 'NGN' }: { amount: number; currency?: string | null }) {
  return <span class="money">{money(amount, currency ?? 'NGN')}</span>
}

// With the exact one on hover.
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {shownTime(at)}
    </time>
  )
}

type Tone = 'good' | 'warn' | 'bad' | 'calm'

const TONES: Record<string, Tone> = {
  Successful: 'good',
  Paid: 'good',
  booked: 'good',
  assigned: 'good',
  active: 'good',
  delivered: 'good',
  confirmed: 'good',
  paid: 'good',
  approved: 'good',
  taken: 'good',
  PartPayment: 'warn',
  suspended: 'warn',
  open: 'warn',
  closed: 'warn',
  unknown: 'warn',
  awaiting_approval: 'warn',
  awaited: 'warn',
  part_failed: 'bad',
  pending: 'calm',
  Expired: 'calm',
  Cancelled: 'calm',
  Processing: 'calm',
  returned: 'calm',
  refunded: 'calm',
  part_refunded: 'warn',
  Reversed: 'bad',
  reversed: 'bad',
  failed: 'bad',
  rejected: 'bad',
  inactive: 'bad',
}

export function Badge({ state, tone }: { state: string; tone?: Tone }) {
  return <span class={`badge ${tone ?? TONES[state] ?? 'calm'}`}>{humanize(state)}</span>
}

type Refundable = { state: string; received: number; refunded: number }

// The state of what was paid, as the API has it. Once refunded, that replaces a state that says paid, and
// stands beside any other.
export function PaidBadge({ state, received, refunded }: Refundable) {
  if (refunded <= 0) return <Badge state={state} />
  const ofRefunds = <Badge state={refunded < received ? 'part_refunded' : 'refunded'} />
  if (TONES[state] === 'good') return ofRefunds
  return (
    <>
      <Badge state={state} /> {ofRefunds}
    </>
  )
}

type Sum = { amount: number; currency: string }

// What a drawer is about: a sum, its state, and whose it is.
type HeadlineProps = { sum: Sum; about: string } & (
  | { state: string }
  | { badge: ComponentChildren }
)

export function Headline({ sum, about, ...shown }: HeadlineProps) {
  return (
    <>
      <div class="headline">
        <Money amount={sum.amount} currency={sum.currency} />
        {'badge' in shown ? shown.badge : <Badge state={shown.state} />}
      </div>
      <p class="muted">{about}</p>
    </>
  )
}

const SHOWN_MS = 1_500

// A reference with a copy button. A secret is announced by its name, never read aloud.
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

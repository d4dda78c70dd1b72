// Amounts, times, states, references and names of banks, each always rendered the same way.

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { codeOf, codeOfId } from '../../../src/short-codes.ts'
import { appStrings } from '../../copy.ts'
import { getData } from '../api.ts'
import { exactTime, humanize, money, shownTime } from '../format.ts'
import { Icon } from './icons.tsx'
import { toast } from './toasts.tsx'

export function Money({ amount, currency = 'NGN' }: { amount: number; currency?: string | null }) {
  return <span class="money">{money(amount, currency ?? 'NGN')}</span>
}

// A sum that is left out of a list of facts while it is zero.
export const moneyIfAny = (amount: number, currency?: string) =>
  amount > 0 && <Money amount={amount} {...(currency ? { currency } : {})} />

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

// The top of a drawer of money that may have been refunded.
export function PaidHeadline(props: Pick<HeadlineProps, 'sum' | 'about'> & Refundable) {
  const { sum, about, ...paid } = props
  return <Headline sum={sum} about={about} badge={<PaidBadge {...paid} />} />
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

function CopyButton(props: { text: string; name: string; announcement: string }) {
  const { text, name, announcement } = props
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

type Props = { label: string; text: string; copied?: string; isWrapped?: boolean }

// `copied` is the exact text, if `text` is formatted for reading.
export function CodeBlock({ label, text, copied = text, isWrapped = false }: Props) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <pre tabIndex={0} class={isWrapped ? 'wrapped' : ''}>
        {text}
      </pre>
      <CopyButton text={copied} name={label} announcement={appStrings.copied(label)} />
    </div>
  )
}

type Names = ReadonlyMap<string, string>

let request: Promise<Names> | undefined

// All components share one request for the names.
function loadNames(): Promise<Names> {
  request ??= getData('/dashboard/api/banks', {}).then(
    (banks) => new Map(banks.map(({ code, name }) => [code, name])),
  )
  request.catch(() => {
    request = undefined // The next caller tries again.
  })
  return request
}

// Returns undefined until the list has loaded.
function useNames(): Names | undefined {
  const [names, setNames] = useState<Names | undefined>()
  useEffect(() => {
    let isUnmounted = false
    loadNames().then(
      (loaded) => isUnmounted || setNames(loaded),
      () => {},
    )
    return () => {
      isUnmounted = true
    }
  }, [])
  return names
}

// Returns a function that gives the name of a bank, or its code until the names have loaded.
export function useBankNames(): (code: string) => string {
  const names = useNames()
  return (code) => names?.get(code) ?? code
}

// Returns the names of all banks by code, sorted by name.
export function useBanks(): Readonly<Record<string, string>> {
  const names = [...(useNames() ?? [])].sort(([, one], [, other]) => one.localeCompare(other))
  return Object.fromEntries(names.map(([code, name]) => [`${code}`, name]))
}

export function BankName({ code }: { code: string }) {
  return <>{useBankNames()(code)}</>
}

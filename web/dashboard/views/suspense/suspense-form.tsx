// The form that assigns or returns a suspense item, after a confirmation. Under maker-checker it requests an
// approval. Also the field that picks a collection account or a payment.

import { useEffect, useRef, useState } from 'preact/hooks'
import { suspenseStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { humanize, money } from '../../format.ts'
import { Button, Segments } from '../../parts/controls.tsx'
import { useSending } from '../../parts/forms.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Money } from '../../parts/values.tsx'
import { type Hit, useHits } from '../../search.tsx'

export type Target = { type: 'account' | 'payment'; reference: string; title: string }

type Props = {
  suggested: Target | undefined
  mayType: boolean // Operators may type a target of any client. A search would not find it.
  chosen: Target | undefined
  choose: (target: Target) => void
}

// Lets the user choose where suspended money goes: the suggested payment, a search result, or for operators a
// typed number or reference.
export function TargetPicker({ suggested, mayType, chosen, choose }: Props) {
  const [text, setText] = useState('')
  const query = text.trim()
  const results = useHits(query)
  const hits = (results?.hits ?? []).filter(isTarget)
  const typed = mayType && results && hits.length === 0 ? typedTarget(query) : undefined
  const isNothing = query !== '' && results?.hits && hits.length === 0 && !typed
  return (
    <fieldset class="picker">
      <legend>{strings.target}</legend>
      {suggested && (
        <TargetOption
          target={suggested}
          note={strings.meant}
          isChosen={isSameTarget(chosen, suggested)}
          choose={choose}
        />
      )}
      <input
        type="search"
        aria-label={strings.target}
        placeholder={strings.targetHint}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="hidden" aria-live="polite">
        {results?.hits && query !== '' ? `${strings.found}: ${hits.length}` : ''}
      </p>
      {results?.problem && <p class="fault">{results.problem.message}</p>}
      {isNothing && <p class="muted">{strings.nothingFound}</p>}
      {[...hits.map(toTarget), ...(typed ? [typed] : [])].map((target, index) => (
        <TargetOption
          key={`${target.type}/${target.reference}`}
          target={target}
          note={hits[index]?.detail ?? humanize(target.type)}
          amount={hits[index]?.amount ?? undefined}
          isChosen={isSameTarget(chosen, target)}
          choose={choose}
        />
      ))}
    </fieldset>
  )
}

type TargetOptionProps = {
  target: Target
  note: string
  amount?: number | undefined
  isChosen: boolean
  choose: (target: Target) => void
}

// A radio button for a target, with a note and perhaps its amount.
function TargetOption({ target, note, amount, isChosen, choose }: TargetOptionProps) {
  return (
    <label class="choice">
      <input type="radio" name="target" checked={isChosen} onChange={() => choose(target)} />
      <span class="choice-text">
        <span>{target.title}</span>
        <span class="muted small">{note}</span>
      </span>
      {amount !== undefined && <Money amount={amount} />}
    </label>
  )
}

function isTarget(hit: Hit): hit is Hit & { type: Target['type'] } {
  return hit.type === 'account' || hit.type === 'payment'
}

function toTarget({ type, reference, title }: Hit & { type: Target['type'] }): Target {
  return { type, reference, title }
}

// Reads a typed account number or payment reference of another client.
function typedTarget(text: string): Target | undefined {
  const title = strings.asTyped(text)
  if (/^[0-9]{10}$/.test(text)) return { type: 'account', reference: text, title }
  const isReference = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)
  return isReference ? { type: 'payment', reference: text, title } : undefined
}

function isSameTarget(one: Target | undefined, other: Target): boolean {
  return one?.type === other.type && one.reference === other.reference
}

export type Item = Schemas['SuspenseItem']

export type Action = 'assign' | 'return'
export type Decision = { action: Action; target: Target | undefined; reason: string }
type SuspenseFormProps = {
  item: Item
  isMakerChecker: boolean
  mayType: boolean
  onDone: () => void
}

const PATH = '/api/v1/suspense/{id}'

export function SuspenseForm({ item, isMakerChecker, mayType, onDone }: SuspenseFormProps) {
  const [decision, setDecision] = useState<Decision>({
    action: 'assign',
    target: undefined,
    reason: '',
  })
  const [isConfirming, setConfirming] = useState(false)
  const [fault, setFault] = useState('')
  // Changes a part of the decision, and removes the error of the previous attempt.
  const change = (changes: Partial<Decision>) => {
    setFault('')
    setDecision((previous) => ({ ...previous, ...changes }))
  }
  // Continues to the confirmation once the target and the reason are complete.
  const validate = (event: SubmitEvent) => {
    event.preventDefault()
    if (decision.action === 'assign' && !decision.target) return setFault(strings.targetNeeded)
    if (decision.reason.trim() === '') return setFault(strings.reasonNeeded)
    setConfirming(true)
  }
  if (isConfirming) {
    const back = () => setConfirming(false)
    return (
      <Confirmation
        item={item}
        decision={decision}
        isMakerChecker={isMakerChecker}
        back={back}
        onDone={onDone}
      />
    )
  }
  return (
    <form class="desk-form" onSubmit={validate} noValidate>
      <Segments
        label={strings.what}
        options={['assign', 'return'] as const}
        names={strings}
        chosen={decision.action}
        choose={(action) => change({ action })}
      />
      {decision.action === 'assign' && (
        <TargetPicker
          suggested={suggestedTarget(item)}
          mayType={mayType}
          chosen={decision.target}
          choose={(target) => change({ target })}
        />
      )}
      <label class="field">
        <span>{strings.reason}</span>
        <textarea
          rows={2}
          maxLength={500}
          placeholder={strings.reasonHint}
          value={decision.reason}
          onInput={(event) => change({ reason: event.currentTarget.value })}
        />
      </label>
      <p class="fault" role="alert">
        {fault}
      </p>
      <button type="submit" class="button primary">
        {strings.goOn}
      </button>
    </form>
  )
}

// The payment that the money was meant for, if its number was leased for one.
function suggestedTarget({ paymentReference }: Item): Target | undefined {
  if (paymentReference === null) return undefined
  return { type: 'payment', reference: paymentReference, title: paymentReference }
}

type ConfirmationProps = {
  item: Item
  decision: Decision
  isMakerChecker: boolean
  back: () => void
  onDone: () => void
}

// Repeats the decision in words before it is sent, because it cannot be undone.
function Confirmation({ item, decision, isMakerChecker, back, onDone }: ConfirmationProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const amount = money(item.amount, item.currency)
  const { action, target } = decision
  const { problem, isBusy, submit } = useSending(async (_, headers) => {
    await sendDecision(item, decision, { isMakerChecker, headers })
    const [assigned, returned] = [strings.assigned(amount), strings.returned(amount)]
    toast(isMakerChecker ? strings.asked : action === 'assign' ? assigned : returned)
    onDone()
  })
  const label = action === 'assign' ? strings.doAssign(amount) : strings.doReturn(amount)
  return (
    <section class="sure" aria-labelledby="sure">
      <h3 id="sure" tabIndex={-1} ref={heading}>
        {action === 'assign'
          ? strings.sureAssign(amount, target?.title ?? '')
          : strings.sureReturn(amount, item.sourceAccountName)}
      </h3>
      <p class="muted">{decision.reason}</p>
      <p>{isMakerChecker ? strings.twoPeople : strings.final}</p>
      {problem && <Failed problem={problem} />}
      <form class="buttons" onSubmit={submit} aria-busy={isBusy}>
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? strings.busy : isMakerChecker ? strings.doAsk : label}
        </button>
        <Button disabled={isBusy} onClick={back}>
          {strings.back}
        </Button>
      </form>
    </section>
  )
}

// Assigns or returns the item, or under maker-checker requests that another user does.
export function sendDecision(
  { id }: Item,
  { action, target, reason }: Decision,
  { isMakerChecker, headers }: { isMakerChecker: boolean; headers: Record<string, string> },
): Promise<unknown> {
  const field = target?.type === 'payment' ? 'paymentReference' : 'accountNumber'
  const targetField = action === 'assign' && target ? { [field]: target.reference } : {}
  const text = reason.trim()
  if (isMakerChecker) {
    const body = { action, ...targetField, reason: text }
    return send('POST', `${PATH}/requests`, { params: { id }, body, headers })
  }
  return send('POST', `${PATH}/${action}`, {
    params: { id },
    body: { ...targetField, note: text },
    headers,
  })
}

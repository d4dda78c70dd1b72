// The form that assigns or returns a suspense item, after a confirmation. Under maker-checker it requests
// approval instead.

import { useEffect, useRef, useState } from 'preact/hooks'
import { suspenseStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useSending } from '../../parts/forms.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { type Target, TargetPicker } from './target-picker.tsx'

export type Item = Schemas['SuspenseItem']

export type Action = 'assign' | 'return'
export type Decision = { action: Action; target: Target | undefined; reason: string }
type Props = { item: Item; isMakerChecker: boolean; mayType: boolean; onDone: () => void }

const PATH = '/api/v1/suspense/{id}'

export function SuspenseForm({ item, isMakerChecker, mayType, onDone }: Props) {
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

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
export type Filled = { action: Action; target: Target | undefined; reason: string }
type Props = { item: Item; isMakerChecker: boolean; mayType: boolean; onDone: () => void }

const PATH = '/api/v1/suspense/{id}'

export function SuspenseForm({ item, isMakerChecker, mayType, onDone }: Props) {
  const [filled, setFilled] = useState<Filled>({ action: 'assign', target: undefined, reason: '' })
  const [isSure, setSure] = useState(false)
  const [fault, setFault] = useState('')
  const change = (more: Partial<Filled>) => {
    setFault('')
    setFilled((before) => ({ ...before, ...more }))
  }
  const goOn = (event: SubmitEvent) => {
    event.preventDefault()
    if (filled.action === 'assign' && !filled.target) return setFault(strings.targetNeeded)
    if (filled.reason.trim() === '') return setFault(strings.reasonNeeded)
    setSure(true)
  }
  if (isSure) {
    const back = () => setSure(false)
    return (
      <Confirmation
        item={item}
        filled={filled}
        isMakerChecker={isMakerChecker}
        back={back}
        onDone={onDone}
      />
    )
  }
  return (
    <form class="desk-form" onSubmit={goOn} noValidate>
      <Segments
        label={strings.what}
        options={['assign', 'return'] as const}
        names={strings}
        chosen={filled.action}
        choose={(action) => change({ action })}
      />
      {filled.action === 'assign' && (
        <TargetPicker
          suggested={suggestedOf(item)}
          mayType={mayType}
          chosen={filled.target}
          choose={(target) => change({ target })}
        />
      )}
      <label class="field">
        <span>{strings.reason}</span>
        <textarea
          rows={2}
          maxLength={500}
          placeholder={strings.reasonHint}
          value={filled.reason}
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

function suggestedOf({ paymentReference }: Item): Target | undefined {
  if (paymentReference === null) return undefined
  return { type: 'payment', reference: paymentReference, title: paymentReference }
}

type SureProps = {
  item: Item
  filled: Filled
  isMakerChecker: boolean
  back: () => void
  onDone: () => void
}

function Confirmation({ item, filled, isMakerChecker, back, onDone }: SureProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const amount = money(item.amount, item.currency)
  const { action, target } = filled
  const { problem, isBusy, submit } = useSending(async (_, headers) => {
    await sendFilled(item, filled, { isMakerChecker, headers })
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
      <p class="muted">{filled.reason}</p>
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

export function sendFilled(
  { id }: Item,
  { action, target, reason }: Filled,
  { isMakerChecker, headers }: { isMakerChecker: boolean; headers: Record<string, string> },
): Promise<unknown> {
  const field = target?.type === 'payment' ? 'paymentReference' : 'accountNumber'
  const to = action === 'assign' && target ? { [field]: target.reference } : {}
  const text = reason.trim()
  if (isMakerChecker) {
    const body = { action, ...to, reason: text }
    return send('POST', `${PATH}/requests`, { params: { id }, body, headers })
  }
  return send('POST', `${PATH}/${action}`, { params: { id }, body: { ...to, note: text }, headers })
}

// The form to assign or return many suspense items.

import { useState } from 'preact/hooks'
import { appStrings, suspenseStrings as strings } from '../../copy.ts'
import { Button } from './button.tsx'
import { type BulkProps, sumOf } from './suspense-bulk-sum.ts'
import type { Action, Filled } from './suspense-form.tsx'
import { type Target, TargetPicker } from './target-picker.tsx'

type Props = BulkProps & { action: Action; submit: (filled: Filled) => void; close: () => void }

export function BulkForm({ items, action, isMakerChecker, mayType, submit, close }: Props) {
  const [target, setTarget] = useState<Target | undefined>()
  const [reason, setReason] = useState('')
  const [fault, setFault] = useState('')
  const goOn = (event: SubmitEvent) => {
    event.preventDefault()
    if (action === 'assign' && !target) return setFault(strings.targetNeeded)
    if (reason.trim() === '') return setFault(strings.reasonNeeded)
    submit({ action, target, reason })
  }
  return (
    <form class="form" onSubmit={goOn} noValidate>
      {action === 'assign' && (
        <TargetPicker
          suggested={undefined}
          mayType={mayType}
          chosen={target}
          choose={(chosen) => {
            setFault('')
            setTarget(chosen)
          }}
        />
      )}
      <label class="field">
        <span>{strings.reason}</span>
        <textarea
          rows={2}
          maxLength={500}
          placeholder={strings.reasonHint}
          value={reason}
          onInput={(event) => {
            setFault('')
            setReason(event.currentTarget.value)
          }}
        />
      </label>
      <p>{isMakerChecker ? strings.twoPeople : strings.final}</p>
      <p class="fault" role="alert">
        {fault}
      </p>
      <div class="form-end">
        <Button onClick={close}>{appStrings.cancel}</Button>
        <button type="submit" class="button primary">
          {isMakerChecker
            ? strings.askBulk(items.length)
            : strings.doBulk[action](items.length, sumOf(items))}
        </button>
      </div>
    </form>
  )
}

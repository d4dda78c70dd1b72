// Assigns or returns many suspense items. Under maker-checker each becomes a request for approval.

import { useState } from 'preact/hooks'
import { appStrings, suspenseStrings as strings } from '../../../copy.ts'
import { BulkBar, BulkProgress, sumOf, useBulk } from '../../parts/bulk.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Money } from '../../parts/values.tsx'
import { type Action, type Filled, type Item, sendFilled } from './suspense-form.tsx'
import { type Target, TargetPicker } from './target-picker.tsx'

type BarProps = BulkProps & { clear: () => void; onDone: () => void }

export function SuspenseBulk({ clear, onDone, ...bulk }: BarProps) {
  // Keeps the items as they were when the dialog opened, because the list may change in the meantime.
  const [open, setOpen] = useState<{ action: Action; items: readonly Item[] } | undefined>()
  const close = (isDone: boolean) => {
    setOpen(undefined)
    if (isDone) clear()
  }
  return (
    <BulkBar count={bulk.items.length} sum={sumOf(bulk.items)} clear={clear}>
      {(['assign', 'return'] as const).map((action) => (
        <Button key={action} onClick={() => setOpen({ action, items: bulk.items })}>
          {strings.bulk[action]}
        </Button>
      ))}
      {open && <BulkDialog {...bulk} {...open} close={close} onDone={onDone} />}
    </BulkBar>
  )
}

type DialogProps = BulkProps & {
  action: Action
  close: (isDone: boolean) => void
  onDone: () => void
}

function BulkDialog({ items, action, isMakerChecker, mayType, close, onDone }: DialogProps) {
  const [filled, setFilled] = useState<Filled | undefined>()
  const bulk = useBulk(items, ({ id }) => `${id}`, onDone)
  const run = (chosen: Filled) => {
    setFilled(chosen)
    return bulk.run(async (item, headers) => {
      await sendFilled(item, chosen, { isMakerChecker, headers })
      return isMakerChecker ? strings.requested : strings.finished
    })
  }
  const leave = () => close(bulk.results.size > 0)
  const props = { items, action, isMakerChecker, mayType }
  return (
    <Dialog title={strings.bulkTitle[action](items.length)} close={leave}>
      {filled === undefined ? (
        <BulkForm {...props} submit={run} close={leave} />
      ) : (
        <BulkProgress
          bulk={bulk}
          again={() => run(filled)}
          close={leave}
          line={({ sourceAccountName, amount, currency }) => (
            <>
              <span>{sourceAccountName ?? strings.unnamed}</span>
              <Money amount={amount} currency={currency} />
            </>
          )}
        />
      )}
    </Dialog>
  )
}

type Props = BulkProps & { action: Action; submit: (filled: Filled) => void; close: () => void }

function BulkForm({ items, action, isMakerChecker, mayType, submit, close }: Props) {
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

type BulkProps = {
  items: readonly Item[]
  isMakerChecker: boolean
  mayType: boolean // Operators may assign unowned items to any client.
}

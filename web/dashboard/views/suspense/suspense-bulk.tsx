// Assigns or returns many suspense items. Under maker-checker each becomes a request for approval.

import { useState } from 'preact/hooks'
import { appStrings, suspenseStrings as strings } from '../../../copy.ts'
import { BulkBar, BulkProgress, sumOf, useBulk } from '../../parts/bulk.tsx'
import { Button } from '../../parts/controls.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Money } from '../../parts/values.tsx'
import {
  type Action,
  type Decision,
  type Item,
  sendDecision,
  type Target,
  TargetPicker,
} from './suspense-form.tsx'

// The bar over the list while items are selected, with the buttons that assign or return them.
export function SuspenseBulk(props: BulkProps & { clear: () => void; onDone: () => void }) {
  const { clear, onDone, ...bulk } = props
  // Keeps the items as they were when the dialog opened, because the list may change in the meantime.
  const [open, setOpen] = useState<{ action: Action; items: readonly Item[] } | undefined>()
  // Once any item was sent, closing the dialog also clears the selection.
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

// Asks for the decision, then sends it for each item and shows the result of each.
function BulkDialog({ items, action, isMakerChecker, mayType, close, onDone }: DialogProps) {
  const [decision, setDecision] = useState<Decision | undefined>()
  const bulk = useBulk(items, ({ id }) => `${id}`, onDone)
  // Sends the decision for each item, or at a retry for the items that failed.
  const run = (chosen: Decision) => {
    setDecision(chosen)
    return bulk.run(async (item, headers) => {
      await sendDecision(item, chosen, { isMakerChecker, headers })
      return isMakerChecker ? strings.requested : strings.finished
    })
  }
  const closeDialog = () => close(bulk.results.size > 0)
  const props = { items, action, isMakerChecker, mayType }
  return (
    <Dialog title={strings.bulkTitle[action](items.length)} close={closeDialog}>
      {decision === undefined ? (
        <BulkForm {...props} submit={run} close={closeDialog} />
      ) : (
        <BulkProgress
          bulk={bulk}
          retry={() => run(decision)}
          close={closeDialog}
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

type Props = BulkProps & { action: Action; submit: (decision: Decision) => void; close: () => void }

// The target and the reason that apply to all selected items.
function BulkForm({ items, action, isMakerChecker, mayType, submit, close }: Props) {
  const [target, setTarget] = useState<Target | undefined>()
  const [reason, setReason] = useState('')
  const [fault, setFault] = useState('')
  // Checks the fields here, because the target is no form control that the browser could check.
  const validateAndSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (action === 'assign' && !target) return setFault(strings.targetNeeded)
    if (reason.trim() === '') return setFault(strings.reasonNeeded)
    submit({ action, target, reason })
  }
  return (
    <form class="form" onSubmit={validateAndSubmit} noValidate>
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

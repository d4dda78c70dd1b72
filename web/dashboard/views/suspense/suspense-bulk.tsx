// Assigns or returns many suspense items: one request per item, a few at a time, each with its own result.
// Under maker-checker each becomes a request for approval. An item keeps its idempotency key until the
// dialog closes, so a retry repeats nothing.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings, suspenseStrings as strings } from '../../../copy.ts'
import { problemFrom } from '../../api.ts'
import { money } from '../../format.ts'
import { staying } from '../../in-flight.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { newKey } from '../../parts/forms.tsx'
import { Money } from '../../parts/values.tsx'
import { type Action, type Filled, type Item, sendFilled } from './suspense-form.tsx'
import { type Target, TargetPicker } from './target-picker.tsx'

const AT_ONCE = 4

type BarProps = BulkProps & { clear: () => void; done: () => void }

export function BulkBar({ clear, done, ...bulk }: BarProps) {
  // Keeps the items as they were when the dialog opened, because the list changes meanwhile.
  const [open, setOpen] = useState<{ action: Action; items: readonly Item[] } | undefined>()
  const close = (isDone: boolean) => {
    setOpen(undefined)
    if (isDone) clear()
  }
  return (
    <section class="bulk-bar" aria-label={strings.selected}>
      <p aria-live="polite">{strings.selectedItems(bulk.items.length, sumOf(bulk.items))}</p>
      <div class="buttons">
        {(['assign', 'return'] as const).map((action) => (
          <button
            key={action}
            type="button"
            class="button"
            onClick={() => setOpen({ action, items: bulk.items })}
          >
            {strings.bulk[action]}
          </button>
        ))}
        <Button style="quiet" onClick={clear}>
          {strings.clearSelection}
        </Button>
      </div>
      {open && <BulkDialog {...bulk} {...open} close={close} done={done} />}
    </section>
  )
}

type Result = 'done' | { problem: string }
type DialogProps = BulkProps & {
  action: Action
  close: (isDone: boolean) => void
  done: () => void
}

function BulkDialog({ items, action, isMakerChecker, mayType, close, done }: DialogProps) {
  const [filled, setFilled] = useState<Filled | undefined>()
  const [results, setResults] = useState<ReadonlyMap<number, Result>>(new Map())
  const [isBusy, setBusy] = useState(false)
  const keys = useRef(new Map<number, string>())
  const run = async (chosen: Filled) => {
    setFilled(chosen)
    setBusy(true)
    const left = items.filter(({ id }) => results.get(id) !== 'done')
    setResults(new Map([...results].filter(([, result]) => result === 'done')))
    const one = async (item: Item) => {
      const key = keys.current.get(item.id) ?? newKey()
      keys.current.set(item.id, key)
      const headers = { 'idempotency-key': key }
      const result: Result = await sendFilled(item, chosen, { isMakerChecker, headers }).then(
        () => 'done' as const,
        (error) => ({ problem: problemFrom(error).message }),
      )
      setResults((before) => new Map(before).set(item.id, result))
    }
    const queue = left.values()
    const work = async () => {
      for (const item of queue) await one(item)
    }
    await staying(() => Promise.all(Array.from({ length: AT_ONCE }, work)))
    setBusy(false)
    done()
  }
  const leave = () => close(results.size > 0)
  const props = { items, action, isMakerChecker, mayType }
  return (
    <Dialog title={strings.bulkTitle[action](items.length)} close={leave}>
      {filled === undefined ? (
        <BulkForm {...props} submit={run} close={leave} />
      ) : (
        <Progress {...{ items, results, isMakerChecker }}>
          <ProgressEnd
            isBusy={isBusy}
            hasFailed={[...results.values()].some((result) => result !== 'done')}
            again={() => run(filled)}
            close={leave}
          />
        </Progress>
      )}
    </Dialog>
  )
}

type ProgressProps = {
  items: readonly Item[]
  results: ReadonlyMap<number, Result>
  isMakerChecker: boolean
  children: ComponentChildren
}

function Progress({ items, results, isMakerChecker, children }: ProgressProps) {
  const all = [...results.values()]
  const succeeded = all.filter((result) => result === 'done').length
  return (
    <div class="form">
      <label class="bulk-progress">
        <span aria-live="polite">
          {strings.progress(succeeded, all.length - succeeded, items.length)}
        </span>
        <progress max={items.length} value={all.length} />
      </label>
      {children}
      <ul class="bulk-results" aria-label={strings.results}>
        {items.map((item) => (
          <li key={item.id}>
            <span>{item.sourceAccountName ?? strings.unnamed}</span>
            <Money amount={item.amount} currency={item.currency} />
            <Outcome result={results.get(item.id)} isMakerChecker={isMakerChecker} />
          </li>
        ))}
      </ul>
    </div>
  )
}

type OutcomeProps = { result: Result | undefined; isMakerChecker: boolean }

function Outcome({ result, isMakerChecker }: OutcomeProps) {
  if (result === undefined) return <span class="muted small">{strings.inLine}</span>
  if (result !== 'done') return <span class="fault">{result.problem}</span>
  return <span class="badge good">{isMakerChecker ? strings.requested : strings.finished}</span>
}

type EndProps = { isBusy: boolean; hasFailed: boolean; again: () => void; close: () => void }

function ProgressEnd({ isBusy, hasFailed, again, close }: EndProps) {
  const button = useRef<HTMLButtonElement>(null)
  // Moves the focus here, where keyboard users continue.
  useEffect(() => {
    if (!isBusy) button.current?.focus()
  }, [isBusy])
  return (
    <div class="form-end">
      {hasFailed && !isBusy && <Button onClick={again}>{strings.retryFailed}</Button>}
      <button type="button" class="button primary" disabled={isBusy} ref={button} onClick={close}>
        {strings.closeResults}
      </button>
    </div>
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

// Sums by currency, in kobo, because naira have decimals.
function sumOf(items: readonly Item[]): string {
  const sums = new Map<string, number>()
  for (const { amount, currency } of items) {
    sums.set(currency, (sums.get(currency) ?? 0) + Math.round(amount * 100))
  }
  return [...sums].map(([currency, kobo]) => money(kobo / 100, currency)).join(' + ')
}

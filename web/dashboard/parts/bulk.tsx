// Runs one action on many rows: one request per row, a few at a time, each with its own result. A row keeps
// its idempotency key until the dialog closes, so a retry does nothing twice.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { bulkStrings as strings } from '../../copy.ts'
import { problemFrom } from '../api.ts'
import { money } from '../format.ts'
import { keepPageOpenDuring } from '../in-flight.ts'
import { Button } from './controls.tsx'
import { type Headers, newKey } from './forms.tsx'

const AT_ONCE = 4

type Result = { isDone: boolean; text: string }

export type Bulk<Row> = {
  rows: readonly Row[]
  keyOf: (row: Row) => string
  results: ReadonlyMap<string, Result>
  isBusy: boolean
  run: (send: (row: Row, headers: Headers) => Promise<string>) => Promise<void>
}

// Runs `work` for each row, a few at a time.
export async function forEach<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<void>,
): Promise<void> {
  const queue = rows.values()
  const next = async () => {
    for (const row of queue) await work(row)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

// `send` carries out the action for one row and resolves to the message of its success. A second run sends
// only the rows that failed.
export function useBulk<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  onDone: () => void,
): Bulk<Row> {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const [isBusy, setBusy] = useState(false)
  const keys = useRef(new Map<string, string>())
  const run: Bulk<Row>['run'] = async (send) => {
    setBusy(true)
    const unfinishedRows = rows.filter((row) => !results.get(keyOf(row))?.isDone)
    setResults(new Map([...results].filter(([, { isDone }]) => isDone)))
    // A row keeps its idempotency key when it is sent again, so a lost response cannot double the action.
    const sendRow = async (row: Row) => {
      const name = keyOf(row)
      const key = keys.current.get(name) ?? newKey()
      keys.current.set(name, key)
      const result = await send(row, { 'idempotency-key': key }).then(
        (text) => ({ isDone: true, text }),
        (error) => ({ isDone: false, text: problemFrom(error).message }),
      )
      setResults((before) => new Map(before).set(name, result))
    }
    await keepPageOpenDuring(() => forEach(unfinishedRows, sendRow))
    setBusy(false)
    onDone()
  }
  return { rows, keyOf, results, isBusy, run }
}

type ProgressProps<Row> = {
  bulk: Bulk<Row>
  line: (row: Row) => ComponentChildren
  retry: () => void
  close: () => void
}

// Shows a bulk action while it runs and after it: the counts, and the result of each row.
export function BulkProgress<Row>({ bulk, line, retry, close }: ProgressProps<Row>) {
  const { rows, keyOf, results, isBusy } = bulk
  const finished = [...results.values()]
  const succeeded = finished.filter(({ isDone }) => isDone).length
  return (
    <div class="form">
      <label class="bulk-progress">
        <span aria-live="polite">
          {strings.progress(succeeded, finished.length - succeeded, rows.length)}
        </span>
        <progress max={rows.length} value={finished.length} />
      </label>
      <ProgressEnd {...{ isBusy, retry, close }} hasFailed={succeeded < finished.length} />
      <ul class="bulk-results" aria-label={strings.results}>
        {rows.map((row) => (
          <li key={keyOf(row)}>
            {line(row)}
            <Outcome result={results.get(keyOf(row))} />
          </li>
        ))}
      </ul>
    </div>
  )
}

// A row without a result is still waiting for its turn.
function Outcome({ result }: { result: Result | undefined }) {
  if (result === undefined) return <span class="muted small">{strings.inLine}</span>
  if (!result.isDone) return <span class="fault">{result.text}</span>
  return <span class="badge good">{result.text}</span>
}

type EndProps = { isBusy: boolean; hasFailed: boolean; retry: () => void; close: () => void }

// The buttons below the progress of a bulk action: retry the failed rows, or close.
function ProgressEnd({ isBusy, hasFailed, retry, close }: EndProps) {
  const button = useRef<HTMLButtonElement>(null)
  // Once the action has ended, moves the focus to the closing button, where keyboard users continue.
  useEffect(() => {
    if (!isBusy) button.current?.focus()
  }, [isBusy])
  return (
    <div class="form-end">
      {hasFailed && !isBusy && <Button onClick={retry}>{strings.retryFailed}</Button>}
      <button type="button" class="button primary" disabled={isBusy} ref={button} onClick={close}>
        {strings.closeResults}
      </button>
    </div>
  )
}

type BarProps = {
  count: number
  sum?: string | undefined
  clear: () => void
  children: ComponentChildren
}

// The bar that appears while rows are selected: their number and sum, and the actions on them.
export function BulkBar({ count, sum, clear, children }: BarProps) {
  return (
    <section class="bulk-bar" aria-label={strings.selected}>
      <p aria-live="polite">{strings.selectedRows(count, sum)}</p>
      <div class="buttons">
        {children}
        <Button style="quiet" onClick={clear}>
          {strings.clearSelection}
        </Button>
      </div>
    </section>
  )
}

// Returns the sums by currency. Adds in kobo, because sums of decimals are inexact.
export function sumOf(items: readonly { amount: number; currency: string }[]): string {
  const sums = new Map<string, number>()
  for (const { amount, currency } of items) {
    sums.set(currency, (sums.get(currency) ?? 0) + Math.round(amount * 100))
  }
  return [...sums].map(([currency, kobo]) => money(kobo / 100, currency)).join(' + ')
}

// Forms: a submission is sent once however often the button is pressed; errors show beside it, and at the
// field that they are of.

import { type ComponentChildren, createContext, type TargetedEvent } from 'preact'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { type FieldFault, type Problem, problemFrom } from '../api.ts'
import { staying } from '../in-flight.ts'

type Work = (given: FormData, headers: Record<string, string>) => Promise<unknown>

// The key stays until it was done: a request sent again after a lost answer does nothing twice.
export function useSending(work: Work) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  const key = useRef(newKey())
  const submit = async (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const given = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(undefined)
    try {
      await staying(() => work(given, { 'idempotency-key': key.current }))
      key.current = newKey()
    } catch (error) {
      setProblem(problemFrom(error))
    } finally {
      setBusy(false)
    }
  }
  return { problem, isBusy, submit }
}

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const textOf = (given: FormData, name: string) => String(given.get(name) ?? '').trim()

// Of a select, or of radio buttons: nothing else can be chosen.
export function choiceOf<T extends string>(
  given: FormData,
  name: string,
  choices: readonly T[],
): T {
  const chosen = choices.find((choice) => choice === given.get(name))
  if (!chosen) throw new Error(name)
  return chosen
}

// What the API found wrong with the fields of a form.
export const FieldFaults = createContext<readonly FieldFault[]>([])

type FieldProps = {
  label: string
  hint?: ComponentChildren
  of?: string // What the API calls it, so that what it finds wrong is said here.
  children: (id: string, wrong: object) => ComponentChildren // The control, which takes both.
}

export function Field({ label, hint, of, children }: FieldProps) {
  const id = useId()
  const isOfThis = ({ field }: FieldFault) => field === of || field.startsWith(`${of}.`)
  const fault = useContext(FieldFaults).find(isOfThis)
  const wrong = fault ? { 'aria-invalid': true, 'aria-describedby': `${id}-fault` } : {}
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, wrong)}
      {fault && (
        <p id={`${id}-fault`} class="fault small">
          {fault.message}
        </p>
      )}
      {hint && <p class="muted small">{hint}</p>}
    </div>
  )
}

type More = { label: string; children: ComponentChildren }

// What is seldom filled in, folded away; opened when something in it is wrong.
export function MoreOptions({ label, children }: More) {
  const details = useRef<HTMLDetailsElement>(null)
  const faults = useContext(FieldFaults)
  const open = () => {
    if (details.current) details.current.open = true
  }
  useEffect(() => {
    if (faults.length > 0 && details.current?.querySelector('[aria-invalid]')) open()
  }, [faults])
  return (
    <details class="more" ref={details} onInvalidCapture={open}>
      <summary>{label}</summary>
      <div class="form">{children}</div>
    </details>
  )
}

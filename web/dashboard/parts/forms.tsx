// Forms: a submission is sent once however often the button is pressed; errors show beside it.

import type { ComponentChildren, TargetedEvent } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { type Problem, problemFrom } from '../api.ts'
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

type FieldProps = {
  label: string
  hint?: ComponentChildren
  children: (id: string) => ComponentChildren // The control, which takes this id.
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint && <p class="muted small">{hint}</p>}
    </div>
  )
}

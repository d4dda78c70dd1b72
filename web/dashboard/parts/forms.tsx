// Forms and their fields. A form is sent once, however often the user presses the button. A refusal is shown
// above the buttons, and an error of one field next to that field.

import {
  type AllHTMLAttributes,
  type ComponentChildren,
  createContext,
  type TargetedEvent,
} from 'preact'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { type FieldFault, type Problem, problemFrom } from '../api.ts'
import { keepPageOpenDuring } from '../in-flight.ts'

export type Headers = Record<string, string>

// Sends a form. The idempotency key changes only after a success, so a retry after a lost response does
// nothing twice.
export function useSending(work: (form: Form, headers: Headers) => Promise<unknown>) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  const key = useRef(newKey())
  // Sends the form. A press while the request runs is ignored.
  const submit = async (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const form = new Form(event.currentTarget)
    setBusy(true)
    setProblem(undefined)
    try {
      await keepPageOpenDuring(() => work(form, { 'idempotency-key': key.current }))
      key.current = newKey()
    } catch (error) {
      setProblem(problemFrom(error))
    } finally {
      setBusy(false)
    }
  }
  return { problem, isBusy, submit }
}

// A random idempotency key.
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// The values of the fields at the time when the form was sent.
export class Form extends FormData {
  text(name: string): string {
    return String(this.get(name) ?? '').trim()
  }

  amount(name: string): string {
    return this.text(name).replaceAll(',', '')
  }

  choice<T extends string>(name: string, choices: readonly T[]): T {
    const choice = choices.find((allowed) => allowed === this.get(name))
    if (!choice) throw new Error(name)
    return choice
  }
}

export const FieldFaults = createContext<readonly FieldFault[]>([])

type Labels = {
  label: string
  hint?: ComponentChildren
  errorField?: string | undefined // The API's name of the field whose errors are shown here.
}

type FieldProps = Labels & { children: (id: string, invalid: object) => ComponentChildren }

// A label with its control, the error of this field from the last refusal, and a hint.
export function Field({ label, hint, errorField, children }: FieldProps) {
  const id = useId()
  const belongsHere = ({ field }: FieldFault) =>
    field === errorField || field.startsWith(`${errorField}.`)
  const fault = useContext(FieldFaults).find(belongsHere)
  const invalid = fault ? { 'aria-invalid': true, 'aria-describedby': `${id}-fault` } : {}
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, invalid)}
      {fault && (
        <p id={`${id}-fault`} class="fault small">
          {fault.message}
        </p>
      )}
      {hint && <p class="muted small">{hint}</p>}
    </div>
  )
}

type Attributes<Element extends EventTarget> = Omit<AllHTMLAttributes<Element>, 'label'>
type InputProps = Labels & Attributes<HTMLInputElement>

// A field with an <input>. The errors of a refused request appear at the field named `errorField`.
export function InputField({ label, hint, errorField, ...input }: InputProps) {
  return (
    <Field label={label} hint={hint} errorField={errorField}>
      {(id, invalid) => <input id={id} autocomplete="off" {...(input as object)} {...invalid} />}
    </Field>
  )
}

// Attributes of a field for an amount in naira, with or without kobo. Commas may separate thousands.
export const AMOUNT = { inputMode: 'decimal', pattern: '[0-9,]+(\\.[0-9]{1,2})?' } as const

export function TextAreaField({
  label,
  hint,
  errorField,
  ...area
}: Labels & Attributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} hint={hint} errorField={errorField}>
      {(id, invalid) => <textarea id={id} {...(area as object)} {...invalid} />}
    </Field>
  )
}

type ReasonProps = Labels & { rows?: number; maxLength?: number; required?: boolean }

// The field for the reason of an action, which the form sends as `reason`.
export function ReasonField({
  rows = 3,
  maxLength = 500,
  required = true,
  ...labels
}: ReasonProps) {
  return <TextAreaField name="reason" {...{ rows, maxLength, required }} {...labels} />
}

type Value = string | number
type SelectProps = Labels &
  Attributes<HTMLSelectElement> & {
    emptyOption?: string // The label of the option with an empty value.
    options: readonly (Value | readonly [value: Value, name: string | undefined])[]
    names?: Readonly<Record<string, string>> | Readonly<Record<number, string>> // Labels by value.
    chosen?: string | null | undefined // The initial choice.
  }

// An option is a value with its text, or only a value, whose text is in `names`.
export function SelectField(props: SelectProps) {
  const { label, hint, errorField, emptyOption, options, names = {}, chosen, ...select } = props
  const pairs = options.map((option) =>
    typeof option === 'object' ? option : ([option, names[option as never]] as const),
  )
  return (
    <Field label={label} hint={hint} errorField={errorField}>
      {(id, invalid) => (
        <select id={id} {...(select as object)} {...invalid}>
          {emptyOption !== undefined && <option value="">{emptyOption}</option>}
          {pairs.map(([value, name]) => (
            <option key={value} value={value} {...(value === chosen ? { selected: true } : {})}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckBox({
  label,
  ...input
}: { label: ComponentChildren } & Attributes<HTMLInputElement>) {
  return (
    <label class="option">
      <input type="checkbox" {...(input as object)} />
      {label}
    </label>
  )
}

// Rarely used fields, folded until one of them is invalid.
export function MoreOptions({ label, children }: { label: string; children: ComponentChildren }) {
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

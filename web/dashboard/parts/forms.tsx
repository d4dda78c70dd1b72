// Forms and their fields. A form is sent once, however often the user presses the button. A refusal is shown
// above the buttons, and an error of one field next to that field.

import {
  type AllHTMLAttributes,
  type ComponentChildren,
  createContext,
  type TargetedEvent,
  type TargetedKeyboardEvent,
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
  errorField?: string | undefined // The API's name of the field whose errors belong here, if not `name`.
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

const nameOf = ({ name }: { name?: unknown }) => (typeof name === 'string' ? name : undefined)

// A field with an <input>. The errors of a refused request about the field `errorField`, or else `name`,
// appear at it.
export function InputField({ label, hint, errorField, ...input }: InputProps) {
  return (
    <Field label={label} hint={hint} errorField={errorField ?? nameOf(input)}>
      {(id, invalid) => <input id={id} autocomplete="off" {...(input as object)} {...invalid} />}
    </Field>
  )
}

// Attributes of a field for an amount in naira, with or without kobo. Commas may separate thousands.
export const AMOUNT = { inputMode: 'decimal', pattern: '[0-9,]+(\\.[0-9]{1,2})?' } as const

export function TextAreaField(props: Labels & Attributes<HTMLTextAreaElement>) {
  const { label, hint, errorField, ...area } = props
  return (
    <Field label={label} hint={hint} errorField={errorField ?? nameOf(area)}>
      {(id, invalid) => <textarea id={id} {...(area as object)} {...invalid} />}
    </Field>
  )
}

type ReasonProps = Labels & { rows?: number; maxLength?: number; required?: boolean }

// The field for the reason of an action, which the form sends as `reason`.
export function ReasonField(props: ReasonProps) {
  const { rows = 3, maxLength = 500, required = true, ...labels } = props
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
    <Field label={label} hint={hint} errorField={errorField ?? nameOf(select)}>
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

export function CheckBox(props: { label: ComponentChildren } & Attributes<HTMLInputElement>) {
  const { label, ...input } = props
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

type Props = {
  name: 'callBackUrl' | 'notificationUrl'
  label: string
  hint: string
  value?: string
  isNeeded?: boolean
}

export function WebAddressField({ name, label, hint, value = '', isNeeded = false }: Props) {
  return (
    <InputField
      label={label}
      hint={hint}
      errorField={name}
      name={name}
      type="url"
      required={isNeeded}
      placeholder="https://"
      defaultValue={value}
    />
  )
}

type AppliedInputProps = {
  id: string
  name?: string
  type: 'text' | 'date'
  inputMode?: 'decimal'
  placeholder?: string
  value: string
  apply: (value: string) => void
}

// `sent` is the text that was given to `apply`, until the user types again.
type Draft = { applied: string; text: string; sent?: string | undefined }

// A text or date field that calls `apply` only with complete values: on blur, on Enter, or once a date has
// its whole year.
export function AppliedInput({ type, value, apply, ...attributes }: AppliedInputProps) {
  const [, redraw] = useState({})
  // The typed text until it is applied. If the URL changes meanwhile, as by removing a filter, its value
  // replaces the text.
  const draft = useRef<Draft>({ applied: value, text: value })
  if (draft.current.applied !== value) draft.current = { applied: value, text: value }
  const applyNow = ({ currentTarget: { value: typed } }: TargetedEvent<HTMLInputElement>) => {
    // Browsers report Enter as a key and as a change, and then the blur: only the first is applied.
    if (typed === value || typed === draft.current.sent) return
    draft.current.sent = typed
    apply(typed)
  }
  // Browsers report a date at each typed digit of the year, so only a date with four digits, or an emptied
  // field, is applied.
  const applyWhole = (event: TargetedEvent<HTMLInputElement>) => {
    const { value: typed, validity } = event.currentTarget
    if (typed === '' ? !validity.badInput : WHOLE_YEAR.test(typed)) applyNow(event)
  }
  const field = {
    ...attributes,
    value: draft.current.text,
    onInput: (event: TargetedEvent<HTMLInputElement>) => {
      draft.current.text = event.currentTarget.value
      draft.current.sent = undefined
      redraw({})
    },
    onBlur: applyNow,
    onKeyDown: (event: TargetedKeyboardEvent<HTMLInputElement>) => {
      if (event.key !== 'Enter' || event.repeat) return
      draft.current.sent = undefined // Enter applies again what has failed.
      applyNow(event)
    },
  }
  if (type === 'text')
    return <input {...field} type="text" autocomplete="off" onChange={applyNow} />
  return <input {...field} type="date" max="9999-12-31" onChange={applyWhole} />
}

// While a user types the year 2026, browsers report 0002, 0020 and 0202, which must not be applied.
const WHOLE_YEAR = /^[1-9]\d{3}-/

// Everything a user does here that changes something: a button opens a dialog, the dialog asks for what
// is needed and sends it, shows a refusal, and on success closes, says so in a toast and refreshes.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { problemFrom } from '../api.ts'
import { staying } from '../in-flight.ts'
import { DialogForm } from './dialog.tsx'
import { type Form, type Headers, newKey, useSending } from './forms.tsx'
import { Failed } from './states.tsx'
import { toast } from './toasts.tsx'

type Work<Result> = {
  run: (form: Form, headers: Headers) => Promise<Result>
  message?: string | ((result: Result) => string) // The toast after a success.
  done?: ((result: Result) => void) | undefined
}

function useWork<Result>({ run, message, done }: Work<Result>, close?: () => void) {
  return useSending(async (form, headers) => {
    const result = await run(form, headers)
    close?.()
    const text = typeof message === 'function' ? message(result) : message
    if (text) toast(text)
    done?.(result)
  })
}

type DialogProps<Result> = Work<Result> & {
  title?: string // By default the action.
  action: string // The label of the button that sends.
  no?: string // The label of the button that closes, where “Cancel” could be misread.
  isDangerous?: boolean
  isReady?: boolean
  otherAction?: ComponentChildren
  text?: ComponentChildren
  children?: ComponentChildren
  close: () => void
}

export function ActionDialog<Result>(props: DialogProps<Result>) {
  const { run, message, done, title = props.action, text, children, ...rest } = props
  const sending = useWork({ run, message: message ?? '', done }, props.close)
  return (
    <DialogForm title={title} sending={sending} {...rest}>
      {text && <div class="muted">{text}</div>}
      {children}
    </DialogForm>
  )
}

type Style = 'primary' | 'danger-text' | 'small' | ''
type ButtonProps = {
  label: ComponentChildren
  style?: Style | undefined
  name?: string | undefined // For screen readers, where the label alone is not enough.
  isOffered?: boolean | undefined // Without the button, a dialog that is open stays open.
  isDisabled?: boolean | undefined
}

export function OpenButton({
  label,
  style = '',
  name,
  isOffered = true,
  isDisabled = false,
  children,
}: ButtonProps & { children: (close: () => void) => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const open = () => isDisabled || setOpen(true)
  return (
    <>
      {isOffered && (
        <button
          type="button"
          class={`button ${style}`}
          aria-label={name}
          aria-disabled={isDisabled}
          onClick={open}
        >
          {label}
        </button>
      )}
      {isOpen && children(() => setOpen(false))}
    </>
  )
}

type Props<Result> = Omit<DialogProps<Result>, 'close'> & Partial<ButtonProps>

export function Action<Result>(props: Props<Result>) {
  const { label = props.action, style, name, isOffered, isDisabled, ...rest } = props
  return (
    <OpenButton {...{ label, style, name, isOffered, isDisabled }}>
      {(close) => <ActionDialog {...rest} close={close} />}
    </OpenButton>
  )
}

type FormProps<Result> = Work<Result> & {
  action: string
  style?: Style
  class?: string
  label?: string // For screen readers.
  children?: ComponentChildren
}

// A form on the page, without a dialog.
export function ActionForm<Result>(props: FormProps<Result>) {
  const { action, style = '', class: more = '', label, children, ...work } = props
  const { problem, isBusy, submit } = useWork(work)
  return (
    <form class={`form ${more}`} onSubmit={submit} aria-busy={isBusy} aria-label={label}>
      {children}
      {problem && <Failed problem={problem} />}
      <div class="form-end start">
        <button type="submit" class={`button ${style}`} disabled={isBusy}>
          {action}
        </button>
      </div>
    </form>
  )
}

// A button that acts at once; a refusal is a toast. Never `disabled`, so that it keeps the focus.
export function useAtOnce(work: (headers: Headers) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      await staying(() => work({ 'idempotency-key': newKey() }))
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
  }
  return { isBusy, press }
}

type AtOnceProps = {
  label: ComponentChildren
  style?: string
  name?: string // For screen readers, where the label alone is not enough.
  run: (headers: Headers) => Promise<unknown>
}

export function AtOnceButton({ label, style = '', name, run }: AtOnceProps) {
  const { isBusy, press } = useAtOnce(run)
  return (
    <button
      type="button"
      class={`button ${style}`}
      aria-label={name}
      aria-disabled={isBusy}
      onClick={press}
    >
      {label}
    </button>
  )
}

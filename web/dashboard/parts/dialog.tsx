// Modal dialogs: confirmations, forms, notices, and secrets that are shown once.

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { isInFlight } from '../in-flight.ts'
import { FieldFaults, type useSending } from './forms.tsx'
import { Failed } from './states.tsx'
import { Toasts } from './toasts.tsx'
import { Copyable } from './values.tsx'

type Props = { title: string; close: () => void; children?: ComponentChildren; isWide?: boolean }

// A modal dialog, which Escape closes unless a request is in flight.
export function Dialog({ title, close, children, isWide = false }: Props) {
  const id = useId()
  const { modal } = useModal(close)
  return (
    <dialog class={`modal${isWide ? ' wide' : ''}`} aria-labelledby={id} {...modal}>
      <h2 id={id}>{title}</h2>
      {children}
      <Toasts />
    </dialog>
  )
}

type NoticeProps = Props & {
  closeLabel: string
  otherButtons?: ComponentChildren // Shown before the closing button.
  style?: string
}

// A dialog without a form: the user reads it and closes it.
export function NoticeDialog(props: NoticeProps) {
  const { closeLabel, otherButtons, style = '', children, ...dialog } = props
  return (
    <Dialog {...dialog}>
      <div class={`form ${style}`}>
        {children}
        <div class="form-end">
          {otherButtons}
          <button type="button" class="button primary" onClick={dialog.close}>
            {closeLabel}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

type FormProps = Props & {
  action: string
  cancelLabel?: string | undefined // Replaces “Cancel” where it could be misread.
  isDangerous?: boolean | undefined
  isReady?: boolean | undefined
  otherAction?: ComponentChildren
  sending: ReturnType<typeof useSending>
}

const NONE = [] as const

// A dialog with a form. `sending` comes from useSending(), and `otherAction` is a button beside the usual
// two.
export function DialogForm(props: FormProps) {
  const { title, action, cancelLabel, isDangerous, isReady = true } = props
  const { otherAction, sending, close, children } = props
  const { problem, isBusy, submit } = sending
  return (
    <Dialog title={title} close={close}>
      <form class="form" onSubmit={submit} aria-busy={isBusy}>
        <FieldFaults.Provider value={problem?.fields ?? NONE}>{children}</FieldFaults.Provider>
        {problem && <Failed problem={problem} />}
        <div class="form-end">
          {otherAction}
          <button type="button" class="button" disabled={isBusy} onClick={close}>
            {cancelLabel ?? appStrings.cancel}
          </button>
          <button
            type="submit"
            class={`button ${isDangerous ? 'danger' : 'primary'}`}
            disabled={isBusy || !isReady}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

type ShowOnceProps = { title: string; text: string; secrets: readonly string[]; close: () => void }

// Escape does not close this dialog, because the secrets are shown only once.
export function ShowOnce({ title, text, secrets, close }: ShowOnceProps) {
  return (
    <Dialog title={title} close={() => {}}>
      <div class="form">
        <p class="notice">{text}</p>
        <ul class="secrets">
          {secrets.map((secret) => (
            <li key={secret}>
              <Copyable text={secret} name={appStrings.secret} />
            </li>
          ))}
        </ul>
        <div class="form-end">
          <button type="button" class="button primary" onClick={close}>
            {appStrings.kept}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

// `modal` has the attributes of the <dialog> element; `leave` closes it unless a request is in flight. If the
// browser has closed the dialog by itself, `onClose` opens it again, and then closes it as Escape would.
export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  const closeUnlessInFlight = () => {
    if (!isInFlight()) close()
  }
  // Runs before the browser draws, so that the dialog has the focus once it is visible.
  useLayoutEffect(() => {
    const focusedBefore = document.activeElement as HTMLElement | null
    const dialog = ref.current
    dialog?.showModal()
    return () => {
      dialog?.close() // Lets elements under the dialog take the focus again.
      focusedBefore?.focus?.()
    }
  }, [])
  const modal = {
    ref,
    onCancel: (event: Event) => {
      event.preventDefault()
      closeUnlessInFlight()
    },
    onClose: ({ currentTarget }: Event) => {
      const dialog = currentTarget as HTMLDialogElement
      if (!dialog.isConnected || dialog.open) return
      dialog.showModal()
      closeUnlessInFlight()
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation() // A dialog below must not close as well.
      closeUnlessInFlight()
    },
  }
  return { modal, leave: closeUnlessInFlight }
}

export function Bullets({ points }: { points: readonly string[] }) {
  return (
    <ul class="todo muted">
      {points.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  )
}

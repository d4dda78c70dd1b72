// Actions that change data. A button opens a dialog; the dialog asks for the required values, sends them and
// shows a refusal. After a success it closes, shows a toast and refreshes the view.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { appStrings, erasureStrings as strings } from '../../copy.ts'
import { problemFrom } from '../api.ts'
import { keepPageOpenDuring } from '../in-flight.ts'
import { mayAccount, type Session } from '../session.ts'
import { Bullets, DialogForm } from './dialog.tsx'
import { type Form, type Headers, InputField, newKey, ReasonField, useSending } from './forms.tsx'
import { Failed } from './states.tsx'
import { toast, toastWithUndo } from './toasts.tsx'

type Work<Result> = {
  run: (form: Form, headers: Headers) => Promise<Result>
  message?: string | ((result: Result) => string) // The text of the toast after a success.
  onDone?: ((result: Result) => void) | undefined
}

// Runs the action with the form's values. After a success it closes the dialog, shows the toast and calls
// `onDone`.
function useWork<Result>({ run, message, onDone }: Work<Result>, close?: () => void) {
  return useSending(async (form, headers) => {
    const result = await run(form, headers)
    close?.()
    const text = typeof message === 'function' ? message(result) : message
    if (text) toast(text)
    onDone?.(result)
  })
}

type DialogProps<Result> = Work<Result> & {
  title?: string // Defaults to `action`.
  action: string // The label of the button that sends.
  cancelLabel?: string // Replaces “Cancel” where it could be misread.
  isDangerous?: boolean
  isReady?: boolean
  otherAction?: ComponentChildren
  text?: ComponentChildren
  children?: ComponentChildren
  close: () => void
}

// A dialog with a form that carries out one action, such as an approval with its reason.
export function ActionDialog<Result>(props: DialogProps<Result>) {
  const { run, message, onDone, title = props.action, text, children, ...dialogProps } = props
  const sending = useWork({ run, message: message ?? '', onDone }, props.close)
  return (
    <DialogForm title={title} sending={sending} {...dialogProps}>
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
  isOffered?: boolean | undefined // Hides the button. An open dialog stays open.
  isDisabled?: boolean | undefined
  isOpenAtFirst?: boolean | undefined
}

// A button that opens a dialog. The dialog is mounted only while it is open, so it starts empty each time.
export function OpenButton({
  label,
  style = '',
  name,
  isOffered = true,
  isDisabled = false,
  isOpenAtFirst = false,
  children,
}: ButtonProps & { children: (close: () => void) => ComponentChildren }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
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

// A button that opens an ActionDialog. If `isOffered` is false, the button is hidden.
export function Action<Result>(props: Props<Result>) {
  const {
    label = props.action,
    style,
    name,
    isOffered,
    isDisabled,
    isOpenAtFirst,
    ...dialogProps
  } = props
  return (
    <OpenButton
      {...{ label, name, isOffered, isDisabled, isOpenAtFirst }}
      style={style ?? (props.isDangerous ? 'danger-text' : '')}
    >
      {(close) => <ActionDialog {...dialogProps} close={close} />}
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
  const { action, style = '', class: extraClass = '', label, children, ...work } = props
  const { problem, isBusy, submit } = useWork(work)
  return (
    <form class={`form ${extraClass}`} onSubmit={submit} aria-busy={isBusy} aria-label={label}>
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

// Runs an action without a dialog. A refusal is shown in a toast. The button is never `disabled`, so that it
// keeps the focus.
function useAtOnce(work: (headers: Headers) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false)
  // A press while the request runs is ignored.
  const press = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      await keepPageOpenDuring(() => work({ 'idempotency-key': newKey() }))
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
  }
  return { isBusy, press }
}

// Offers to undo an action that had no confirmation dialog. Not for movements of money.
export function offerUndo(text: string, undo: (headers: Headers) => Promise<unknown>): void {
  toastWithUndo(text, async () => {
    try {
      await undo({ 'idempotency-key': newKey() })
      toast(appStrings.undone)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
  })
}

type AtOnceProps = {
  label: ComponentChildren
  style?: string
  name?: string // For screen readers, where the label alone is not enough.
  run: (headers: Headers) => Promise<unknown>
}

// A button whose action needs no confirmation. `run` sends the request.
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

type Words = {
  own: string
  approve: string
  approveTitle: (amount: string) => string
  approveText: string
  approved: string
  reject: string
  rejectTitle: (amount: string) => string
  reason: string
  rejectHint: string
  rejected: string
  withdraw: string
  withdrawTitle: string
  withdrawText: string
  withdrawn: string
}

// A request as the user reads it. An approval sends its revision, so that it approves nothing else.
type Decidable = {
  requestedBy: string | null
  cannotApprove: { message: string } | null
  revision: string
}

type DecisionBody = Record<string, never> | { reason: string } | { revision: string }

type DecideRequestProps = {
  session: Session
  request: Decidable
  amount: string
  words: Words
  isAfterFacts?: boolean
  decide: (
    verb: 'approve' | 'reject' | 'withdraw',
    sent: { body: DecisionBody; headers: Headers },
  ) => Promise<unknown>
  onDone: () => void
}

// The buttons that withdraw the user’s own request, or approve or reject another user’s. `decide` sends the
// decision; `words` are the texts of the workflow.
export function DecideRequest(props: DecideRequestProps) {
  const { session, amount, words, isAfterFacts = true, decide, onDone } = props
  const { requestedBy, cannotApprove, revision } = props.request
  const isOwn = requestedBy === `user:${session.user.email}`
  const marginClass = isAfterFacts ? 'after-facts' : ''
  return (
    <>
      {isOwn && <p class={`muted ${marginClass}`}>{words.own}</p>}
      {!isOwn && cannotApprove && <p class="notice after-facts">{cannotApprove.message}</p>}
      {mayAccount(session) && (
        <div class={`buttons ${marginClass}`}>
          <Action
            title={words.withdrawTitle}
            action={words.withdraw}
            isOffered={isOwn}
            text={words.withdrawText}
            run={(_, headers) => decide('withdraw', { body: {}, headers })}
            message={words.withdrawn}
            onDone={onDone}
          />
          <Action
            title={words.approveTitle(amount)}
            action={words.approve}
            style="primary"
            isOffered={!isOwn && !cannotApprove}
            text={words.approveText}
            run={(_, headers) => decide('approve', { body: { revision }, headers })}
            message={words.approved}
            onDone={onDone}
          />
          <Action
            title={words.rejectTitle(amount)}
            action={words.reject}
            isOffered={!isOwn}
            isDangerous
            run={(form, headers) =>
              decide('reject', { body: { reason: form.text('reason') }, headers })
            }
            message={words.rejected}
            onDone={onDone}
          >
            <ReasonField label={words.reason} hint={words.rejectHint} />
          </Action>
        </div>
      )}
    </>
  )
}

type EraseButtonProps = {
  kind: 'account' | 'advice'
  word: string
  // Resolves to whether the erasure is complete.
  run: (body: { reason: string }, headers: Headers) => Promise<boolean>
  changed: () => void
}

export function EraseButton(props: EraseButtonProps) {
  return (
    <OpenButton label={strings.open} style="danger-text">
      {(close) => <EraseForm {...props} close={close} />}
    </OpenButton>
  )
}

// The button of the dialog stays disabled until the user has typed `word`. `run` resolves to whether the
// erasure is complete; if it still runs, the toast says so.
function EraseForm({ kind, word, run, changed, close }: EraseButtonProps & { close: () => void }) {
  const [typed, setTyped] = useState('')
  const { goes, stays, after } = strings[kind]
  return (
    <ActionDialog
      title={strings.title}
      action={strings.submit}
      isDangerous
      isReady={typed.trim() === word}
      run={(form, headers) => run({ reason: form.text('reason') }, headers)}
      message={(isComplete) => (isComplete ? strings.done : strings.begun)}
      onDone={changed}
      close={close}
    >
      <p>{strings.goesTitle}</p>
      <Bullets points={goes} />
      <p>{strings.staysTitle}</p>
      <Bullets points={stays} />
      <p>{after}</p>
      <ReasonField label={strings.reason} hint={strings.reasonHint} rows={2} maxLength={200} />
      <InputField
        label={strings.confirm(word)}
        required
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </ActionDialog>
  )
}

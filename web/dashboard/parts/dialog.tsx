// Questions in the middle of the page: what is about to happen in plain words, and the way back.
// What a request answered only once is shown here too, until it is put away.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { STRINGS } from '../strings.ts'
import { closing } from './closing.ts'
import { useSending } from './forms.tsx'
import { Failed } from './states.tsx'
import { Copyable } from './values.tsx'

type Props = { title: string; close: () => void; children: ComponentChildren }

export function Dialog({ title, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    return () => before?.focus?.()
  }, [])
  return (
    <dialog ref={dialog} class="modal" aria-labelledby={id} {...closing(close)}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

type Question = Props & {
  action: string
  isDangerous?: boolean
  run: (headers: Record<string, string>) => Promise<unknown>
  done?: () => void // After it; else it closes.
}

export function Confirm({ title, action, isDangerous, run, close, done, children }: Question) {
  const { problem, isBusy, submit } = useSending(async (_, headers) => {
    await run(headers)
    ;(done ?? close)()
  })
  return (
    <Dialog title={title} close={close}>
      <form class="form" onSubmit={submit} aria-busy={isBusy}>
        <div class="muted">{children}</div>
        {problem && <Failed problem={problem} />}
        <div class="form-end">
          <button type="button" class="button" onClick={close}>
            {STRINGS.cancel}
          </button>
          <button
            type="submit"
            class={`button ${isDangerous ? 'danger' : 'primary'}`}
            disabled={isBusy}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

type Once = { title: string; text: string; secrets: readonly string[]; close: () => void }

// Not put away by Escape: it cannot be had again.
export function ShownOnce({ title, text, secrets, close }: Once) {
  return (
    <Dialog title={title} close={() => {}}>
      <div class="form">
        <p class="notice">{text}</p>
        <ul class="secrets">
          {secrets.map((secret) => (
            <li key={secret}>
              <Copyable text={secret} name={STRINGS.secret} />
            </li>
          ))}
        </ul>
        <div class="form-end">
          <button type="button" class="button primary" onClick={close}>
            {STRINGS.kept}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

// The drawer beside a list: a dialog, so that focus stays inside and Escape closes it.

import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { Icon } from './icons.tsx'
import { useModal } from './modal-dialog.ts'
import { TimeZoneNote } from './time-zone-note.tsx'
import { Toasts } from './toasts.tsx'

type Props = { title: string; close: () => void; children: ComponentChildren }

export function Drawer({ title, close, children }: Props) {
  const { modal, leave } = useModal(close)
  const pressed = useRef<EventTarget | null>(null)
  // Only if pressed and released outside: marking text may end there.
  const closeBeside = ({ target }: MouseEvent) => {
    const beside = modal.ref.current
    if (target === beside && pressed.current === beside) leave()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same by keyboard.
    <dialog
      {...modal}
      class="drawer"
      aria-labelledby="drawer-title"
      onPointerDown={({ target }) => {
        pressed.current = target
      }}
      onClick={closeBeside}
    >
      <div class="drawer-body">
        <header class="drawer-top">
          <h2 id="drawer-title">{title}</h2>
          <button type="button" class="icon-button" aria-label={appStrings.close} onClick={leave}>
            <Icon name="close" />
          </button>
        </header>
        {children}
        <TimeZoneNote />
      </div>
      <Toasts />
    </dialog>
  )
}

export type Fact = readonly [name: string, value: ComponentChildren]

// Omits facts without a value.
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
  )
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

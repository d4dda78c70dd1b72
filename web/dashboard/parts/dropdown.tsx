// A button that opens a panel below itself. Escape closes the panel and focuses the button again; so does a
// press on the button. The panel closes when the focus or a press goes elsewhere.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'

type Props = {
  id: string
  icon: IconName
  label: string
  style?: string
  children: (close: () => void) => ComponentChildren
}

// A button with a panel that closes when the user presses or moves the focus outside it.
export function Dropdown({ id, icon, label, style = '', children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const close = () => setOpen(false)
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => !box.current?.contains(event.target as Node) && close()
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
    }
  }, [isOpen])
  // Stops the event, so that Escape closes only the panel and not a dialog around it.
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopPropagation()
    close()
    box.current?.querySelector('button')?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape comes from the controls inside.
    <div ref={box} class={`dropdown ${style}`} onKeyDown={closeOnEscape}>
      <button
        type="button"
        class="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        {label}
      </button>
      <div class="dropdown-panel" id={id} hidden={!isOpen}>
        {isOpen && children(close)}
      </div>
    </div>
  )
}

// A modal dialog's props: it opens as it is drawn, closes on Escape or the device's back gesture, and
// gives the focus back. The browser's own closing is prevented: it lets a page refuse only once
// between clicks.

import { useLayoutEffect, useRef } from 'preact/hooks'

export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  // Before anything is drawn: what is seen of it must have the keyboard.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    const shown = ref.current
    shown?.showModal()
    return () => {
      shown?.close() // What is under it can have the focus again.
      before?.focus?.()
    }
  }, [])
  return {
    ref,
    onCancel: (event: Event) => {
      event.preventDefault()
      close()
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation() // One dialog may stand on another.
      close()
    },
  }
}

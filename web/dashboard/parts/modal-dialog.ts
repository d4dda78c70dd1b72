// A modal dialog. It opens when drawn, closes on Escape or the device's back gesture unless a request is in
// flight, and restores the focus. Browsers let a page refuse to close only once between clicks, so a dialog
// that closes anyway opens again.

import { useLayoutEffect, useRef } from 'preact/hooks'
import { isInFlight } from '../in-flight.ts'

export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  const leave = () => {
    if (!isInFlight()) close()
  }
  // Before drawing, so that a visible dialog has the keyboard.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    const shown = ref.current
    shown?.showModal()
    return () => {
      shown?.close() // Elements under it can take the focus again.
      before?.focus?.()
    }
  }, [])
  const modal = {
    ref,
    onCancel: (event: Event) => {
      event.preventDefault()
      leave()
    },
    onClose: ({ currentTarget }: Event) => {
      const shown = currentTarget as HTMLDialogElement
      if (!shown.isConnected || shown.open) return
      shown.showModal()
      leave()
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation() // Dialogs may be stacked.
      leave()
    },
  }
  return { modal, leave }
}

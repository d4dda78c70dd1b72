// A modal dialog: it opens as it is drawn, closes on Escape or the device's back gesture, though not
// while a request is in flight, and gives the focus back. The browser's own closing is prevented; it lets
// a page refuse only once between clicks, so what it closes all the same is opened again.

import { useLayoutEffect, useRef } from 'preact/hooks'
import { isInFlight } from '../in-flight.ts'

// `leave` is for its own ways out, such as a button.
export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  const leave = () => {
    if (!isInFlight()) close()
  }
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
      event.stopPropagation() // One dialog may stand on another.
      leave()
    },
  }
  return { modal, leave }
}

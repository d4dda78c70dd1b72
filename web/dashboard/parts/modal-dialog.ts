// A modal dialog. It opens when rendered, closes on Escape or the device's back gesture unless a request is
// in flight, and restores the focus. Between two clicks, browsers let a page prevent the closing of a dialog
// only once. So a dialog that closes although the page prevented it is opened again.

import { useLayoutEffect, useRef } from 'preact/hooks'
import { isInFlight } from '../in-flight.ts'

export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  const leave = () => {
    if (!isInFlight()) close()
  }
  // Runs before the browser draws, so that the dialog has the focus once it is visible.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    const dialog = ref.current
    dialog?.showModal()
    return () => {
      dialog?.close() // Lets elements under the dialog take the focus again.
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
      const dialog = currentTarget as HTMLDialogElement
      if (!dialog.isConnected || dialog.open) return
      dialog.showModal()
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

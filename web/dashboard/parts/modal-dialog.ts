// A modal dialog: it opens when rendered, closes on Escape or the device's back gesture unless a request is
// in flight, and restores the focus. Browsers let a page prevent the closing only once between two clicks,
// so a dialog that closes although the page prevented it is opened again.

import { useLayoutEffect, useRef } from 'preact/hooks'
import { isInFlight } from '../in-flight.ts'

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

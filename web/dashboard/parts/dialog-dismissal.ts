// Handlers that close a dialog on Escape or the device's back gesture. The browser's own closing is
// prevented: it lets a page refuse only once between clicks.

export function dismissal(close: () => void) {
  return {
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

// How a dialog asks to be closed: by Escape, or by whatever the device has for going back. What is
// asked is not done by the browser: it lets a page refuse only once without a click in between.

export function closing(close: () => void) {
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

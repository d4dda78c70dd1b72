// A progress line on standard error; nothing if that is not a terminal.

import type { Terminal } from './terminal.ts'

const CLEAR = '\r\u001b[K'

export function showProgress({ hasProgress, err }: Terminal) {
  let isShown = false
  return {
    show(text: string): void {
      if (!hasProgress) return
      err(`${CLEAR}${text}`)
      isShown = true
    },
    [Symbol.dispose](): void {
      if (isShown) err(CLEAR)
    },
  }
}

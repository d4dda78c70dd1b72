// One line on standard error that tells what long work is doing; nothing where nobody watches.

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

// The first of a list, page by page; all or nothing.
export async function take<Item>(
  terminal: Terminal,
  items: AsyncIterable<Item>,
  limit: number,
): Promise<Item[]> {
  using progress = showProgress(terminal)
  const taken: Item[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= limit) break
    if (taken.length % 100 === 0) progress.show(`${taken.length} read …`)
  }
  return taken
}

// Closes what all tests of a file share, after the last of them; and what all files of a process do.
//
// Hooks of a file run in the order in which they were made, and the database harness makes one that
// stops the server: this module must be loaded before it, which the alphabet sees to.

import { after } from 'node:test'
import { patience } from './patience.ts'

type Shared = AsyncDisposable | Disposable

const open: Shared[] = []
const kept: Shared[] = []
let isBatch = false
const END_MAX_MS = patience(1_000)

after(() => (isBatch ? closeShared() : closeEverything()))

export function closeAfterTests<T extends Shared>(shared: T): T {
  open.push(shared)
  return shared
}

export function closeAtEnd<T extends Shared>(shared: T): T {
  kept.push(shared)
  return shared
}

// Of many files in this process. Hooks of a file run when it ends, whatever file comes next.
export async function keepWhile(files: () => Promise<void>): Promise<void> {
  isBatch = true
  try {
    await files()
  } finally {
    await closeEverything()
  }
}

export async function closeEverything(): Promise<void> {
  await closeShared()
  await closeAll(kept)
  setTimeout(leave, END_MAX_MS).unref()
}

// A test that failed may have left something open, for which the run would wait for ever.
function leave(): void {
  console.error(`still open at the end: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}

export function closeShared(): Promise<void> {
  return closeAll(open)
}

async function closeAll(list: Shared[]): Promise<void> {
  for (let last = list.pop(); last; last = list.pop()) {
    if (Symbol.asyncDispose in last) await last[Symbol.asyncDispose]()
    else last[Symbol.dispose]()
  }
}

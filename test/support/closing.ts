// Closes the resources that the tests of a file share after its last test, and those that the files of a
// process share.
//
// Hooks of a file run in the order of their creation, and the database harness creates one that stops the
// server. So this module must load before it, which the alphabetical order of imports ensures.

import { after } from 'node:test'
import { patience } from './patience.ts'

type Shared = AsyncDisposable | Disposable

const open: Shared[] = []
const resources: Shared[] = []
let isBatch = false
const END_MAX_MS = patience(1_000)

after(() => (isBatch ? closeShared() : closeEverything()))

export function closeAfterTests<T extends Shared>(shared: T): T {
  open.push(shared)
  return shared
}

export function closeAtEnd<T extends Shared>(shared: T): T {
  resources.push(shared)
  return shared
}

// For many files in this process. Hooks of a file run when it ends, before the next file.
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
  await closeAll(resources)
  setTimeout(leave, END_MAX_MS).unref()
}

// A failed test may leave something open, and the run would wait for ever.
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

// Closes what all tests of a file share, after the last of them.
//
// Hooks of a file run in the order in which they were made, and the database harness makes one that
// stops the server: this module must be loaded before it, which the alphabet sees to.

import { after } from 'node:test'

type Shared = AsyncDisposable | Disposable

const open: Shared[] = []

after(closeShared)

export function closeAfterTests<T extends Shared>(shared: T): T {
  open.push(shared)
  return shared
}

export async function closeShared(): Promise<void> {
  for (let last = open.pop(); last; last = open.pop()) {
    if (Symbol.asyncDispose in last) await last[Symbol.asyncDispose]()
    else last[Symbol.dispose]()
  }
}

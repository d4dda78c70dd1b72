// Closes resources that tests share: those of a file (closeAfterTests) after its last test, those of a
// process (closeAtEnd) at its end.
//
// `after` hooks run in the order of their creation, and test/support/database.ts creates one that stops the
// database server. So this module must load before database.ts, which the alphabetical order of imports
// ensures.

import { after } from 'node:test'
import { patience } from './patience.ts'

type Shared = AsyncDisposable | Disposable

const ofFile: Shared[] = []
const ofProcess: Shared[] = []
let isBatch = false
const END_MAX_MS = patience(1_000)

after(() => (isBatch ? closeShared() : closeEverything()))

// Closes the resource after the last test of the file; returns the resource.
export function closeAfterTests<T extends Shared>(shared: T): T {
  ofFile.push(shared)
  return shared
}

// Closes the resource when the process ends; returns the resource.
export function closeAtEnd<T extends Shared>(shared: T): T {
  ofProcess.push(shared)
  return shared
}

// Runs many test files in this process. Keeps the resources of the process open until the last file has
// ended; each file's own resources close before the next file.
export async function keepWhile(files: () => Promise<void>): Promise<void> {
  isBatch = true
  try {
    await files()
  } finally {
    await closeEverything()
  }
}

// Closes the resources of the file and of the process. Called when the last test file has ended.
export async function closeEverything(): Promise<void> {
  await closeShared()
  await closeAll(ofProcess)
  setTimeout(exitWithResources, END_MAX_MS).unref()
}

// Ends a process that is still alive after everything was closed: a failed test may leave something open, and
// the run would wait for ever.
function exitWithResources(): void {
  console.error(`still open at the end: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}

// Closes the resources of the test file that has just ended.
export function closeShared(): Promise<void> {
  return closeAll(ofFile)
}

// Closes the resources, last opened first, and empties the list.
async function closeAll(list: Shared[]): Promise<void> {
  for (let last = list.pop(); last; last = list.pop()) {
    if (Symbol.asyncDispose in last) await last[Symbol.asyncDispose]()
    else last[Symbol.dispose]()
  }
}

// Test files one after another in this process. A file's tests have ended, and what they shared is
// closed, before the next file is loaded.

import { join } from 'node:path'
import { test } from 'node:test'
import { closeShared } from './closing.ts'

const ROOT = join(import.meta.dirname, '../..')

export async function runBatch(files: readonly string[]): Promise<void> {
  for (const file of files) {
    await import(join(ROOT, file))
    // Tests of one process run in order: this one waits for all of the file.
    await test(`${file} closes what it opened`, closeShared)
  }
}

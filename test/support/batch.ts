// Runs test files one after another in this process. Several processes share the list of files; each takes
// files that no other process has taken. A file's tests end, and its shared resources close, before the next
// file loads.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { closeShared, keepWhile } from './closing.ts'

const ROOT = join(import.meta.dirname, '../..')

export type Batch = {
  files: readonly string[]
  most: number // How many files one process runs.
  folder: string // Processes record here which files they have taken.
}

export function runBatch(batch: Batch): Promise<void> {
  return keepWhile(() => runFiles(batch))
}

// Runs up to `most` files that no other process has taken.
async function runFiles({ files, most, folder }: Batch): Promise<void> {
  let count = 0
  for (const [index, file] of files.entries()) {
    if (count === most) return
    if (!takeFile(join(folder, `${index}`))) continue
    count++
    await import(join(ROOT, file))
    // Tests of one process run in order, so this test runs after all tests of the file.
    await test(`${file} closes what it opened`, closeShared)
  }
}

// Takes a test file for this process by creating a folder: only one process can create it. Returns whether
// this process was the one.
function takeFile(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
  }
}

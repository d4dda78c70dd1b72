// Runs test files one after another in this process, taking files that no other process has taken. A
// file's tests end and its shared resources close before the next file loads.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { closeShared, keepWhile } from './closing.ts'

const ROOT = join(import.meta.dirname, '../..')

export type Batch = {
  files: readonly string[]
  most: number // Per process.
  folder: string // Processes record the taken files here.
}

export function runBatch(batch: Batch): Promise<void> {
  return keepWhile(() => runFiles(batch))
}

async function runFiles({ files, most, folder }: Batch): Promise<void> {
  let count = 0
  for (const [at, file] of files.entries()) {
    if (count === most) return
    if (!take(join(folder, `${at}`))) continue
    count++
    await import(join(ROOT, file))
    // Tests of one process run in order: this one waits for all tests of the file.
    await test(`${file} closes what it opened`, closeShared)
  }
}

// The process that creates the folder has the file.
function take(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
  }
}

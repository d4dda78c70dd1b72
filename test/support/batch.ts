// Test files one after another in this process, of those that no other process has taken yet. A
// file's tests have ended, and what they shared is closed, before the next file is loaded.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { closeShared, keepWhile } from './closing.ts'

const ROOT = join(import.meta.dirname, '../..')

export type Batch = {
  files: readonly string[]
  most: number // Of them, for one process.
  folder: string // Where processes tell one another what they have taken.
}

export function runBatch(batch: Batch): Promise<void> {
  return keepWhile(() => runFiles(batch))
}

async function runFiles({ files, most, folder }: Batch): Promise<void> {
  let taken = 0
  for (const [at, file] of files.entries()) {
    if (taken === most) return
    if (!take(join(folder, `${at}`))) continue
    taken++
    await import(join(ROOT, file))
    // Tests of one process run in order: this one waits for all of the file.
    await test(`${file} closes what it opened`, closeShared)
  }
}

// Whoever makes the folder has the file.
function take(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
  }
}

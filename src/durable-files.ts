// Files that survive a power cut: a file is on disk once it is flushed, and its name once its folder is.

import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'

// Never replaces one that is there.
export function writeDurably(path: string, content: string | Uint8Array): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

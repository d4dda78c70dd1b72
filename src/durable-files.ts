// Writes files that survive a power cut: syncs both the file and its folder to disk.

import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'

// Writes a new file and syncs it to disk. Fails if the file exists.
export function writeDurably(path: string, content: string | Uint8Array): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

// Syncs the names in a folder to disk. Call it after a file was created, renamed or removed in the folder.
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

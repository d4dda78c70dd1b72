// A copy of PostgreSQL's files that every user can read and only we can write.
//
// It is made aside and renamed, so that it is complete or absent. It is made again if a file is
// missing or has another size: a power cut may leave empty files behind a finished rename.

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'

// Returns false if the copy cannot be made. The caller makes the symbolic links.
export function copyFiles(source: string, target: string): boolean {
  if (hasSameFiles(source, target)) return true
  const aside = `${target}.${randomBytes(6).toString('hex')}`
  try {
    copyFolder(source, aside)
    putInPlace(source, aside, target)
    return true
  } catch {
    return false
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function hasSameFiles(source: string, target: string): boolean {
  return listEntries(source).every((entry) => {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    const found = lstatSync(to, { throwIfNoEntry: false })
    if (entry.isDirectory()) return found?.isDirectory() === true && hasSameFiles(from, to)
    return found?.isFile() === true && found.size === lstatSync(from).size
  })
}

// Sets modes explicitly: an install under a strict umask leaves files that only root can read.
function copyFolder(source: string, target: string): void {
  mkdirSync(target)
  chmodSync(target, 0o755)
  for (const entry of listEntries(source)) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) {
      copyFolder(from, to)
      continue
    }
    copyFileSync(from, to)
    chmodSync(to, lstatSync(from).mode & 0o100 ? 0o755 : 0o644)
  }
}

function listEntries(folder: string): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() || entry.isFile())
}

// An existing folder comes from a concurrent start, or is damaged.
function putInPlace(source: string, aside: string, target: string): void {
  try {
    renameSync(aside, target)
  } catch (error) {
    if (!lstatSync(target, { throwIfNoEntry: false })) throw error
    if (hasSameFiles(source, target)) return
    const spoilt = `${aside}.old`
    renameSync(target, spoilt)
    renameSync(aside, target)
    rmSync(spoilt, { recursive: true, force: true })
  }
}

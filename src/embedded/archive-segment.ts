// PostgreSQL runs this for each finished file of its log (archive_command), as its own user:
//
//   node archive-segment.ts <file> <target>
//
// The program exits with 0 only when the gzipped file is in the archive and on disk. The server may then
// reuse its own copy. The program writes to another name and then links, so that every name in the archive is
// a complete file. It never replaces an existing file that differs. It imports no other file of Manilla, to
// start fast: it starts at least once a minute.

import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

const FASTEST = 1

const [source = '', target = ''] = process.argv.slice(2)
const content = readFileSync(source)
if (!isArchived()) archive()
syncFolder()

function isArchived(): boolean {
  let archived: Buffer
  try {
    archived = readFileSync(target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  // After a crash the server may archive a file again.
  if (gunzipSync(archived).equals(content)) return true
  throw new Error(`${target} is there and differs: is another server archiving to this folder?`)
}

function archive(): void {
  const aside = `${target}.${process.pid}.part`
  try {
    const file = openSync(aside, 'w', 0o600)
    try {
      const packed = gzipSync(content, { level: FASTEST })
      for (let at = 0; at < packed.length; ) at += writeSync(file, packed, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    linkSync(aside, target)
  } finally {
    rmSync(aside, { force: true })
  }
}

function syncFolder(): void {
  const folder = openSync(dirname(target), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

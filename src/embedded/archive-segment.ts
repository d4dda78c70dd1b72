// PostgreSQL runs this program (archive_command) for each finished file of its write-ahead log, as its own
// user:
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

// The gzip level that costs least time.
const FASTEST_GZIP_LEVEL = 1

const [source = '', target = ''] = process.argv.slice(2)
const content = readFileSync(source)
if (!isArchived()) archive()
syncFolder()

// Returns whether the archive has the file already: after a crash the server may archive a file again. Throws
// if the archive has another file of this name.
function isArchived(): boolean {
  let archived: Buffer
  try {
    archived = readFileSync(target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  if (gunzipSync(archived).equals(content)) return true
  throw new Error(`${target} is there and differs: is another server archiving to this folder?`)
}

// Writes the file to the archive under another name, and links it to its own name once it is on disk. A link
// fails if the name exists, so the program never overwrites the file of another server.
function archive(): void {
  const partialPath = `${target}.${process.pid}.part`
  try {
    const file = openSync(partialPath, 'w', 0o600)
    try {
      const packed = gzipSync(content, { level: FASTEST_GZIP_LEVEL })
      for (let written = 0; written < packed.length; ) written += writeSync(file, packed, written)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    linkSync(partialPath, target)
  } finally {
    rmSync(partialPath, { force: true })
  }
}

// Makes the new name survive a power cut.
function syncFolder(): void {
  const folder = openSync(dirname(target), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

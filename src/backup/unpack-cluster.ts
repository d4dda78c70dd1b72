// Unpacks a backup into a cluster's folder, and checks each file against the server's own manifest.

import { createHash } from 'node:crypto'
import { chownSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerUser } from '#embedded/server-user.ts'
import { BackupProblem } from './backup-problem.ts'
import { MANIFEST, TAR } from './base-backup.ts'
import { readTar, type TarEntry } from './tar-reader.ts'

const CHUNK_BYTES = 1024 * 1024

type Options = { backupFolder: string; clusterFolder: string; account: ServerUser }

// Does not fsync: the server syncs all files before it recovers. Removes the socket folder, which
// the server recreates.
export async function unpackCluster(options: Options): Promise<void> {
  const { backupFolder, clusterFolder, account } = options
  const missing = await readManifest(join(backupFolder, MANIFEST))
  const tarPath = join(backupFolder, TAR)
  const tar = await open(tarPath)
  try {
    for await (const entry of readTar(tar)) {
      const path = join(clusterFolder, entry.name)
      const checksum = await unpackEntry(tar, entry, path)
      own(path, account)
      const expected = missing.get(entry.name)
      missing.delete(entry.name)
      if (expected !== undefined && expected !== checksum) {
        throw new BackupProblem(`${tarPath}: ${entry.name} is not as its manifest says.`)
      }
    }
  } finally {
    await tar.close()
  }
  const [lost] = missing.keys()
  if (lost) throw new BackupProblem(`${tarPath} lacks ${lost}.`)
  rmSync(join(clusterFolder, 'socket'), { recursive: true, force: true })
}

async function readManifest(path: string): Promise<Map<string, string>> {
  const { Files: files } = JSON.parse(await readFile(path, 'utf8')) as {
    Files: { Path: string; Checksum: string }[]
  }
  return new Map(files.map((file) => [file.Path, file.Checksum]))
}

async function unpackEntry(tar: FileHandle, entry: TarEntry, path: string) {
  const { kind, start, bytes } = entry
  if (kind === 'folder') {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return undefined
  }
  const hash = createHash('sha256')
  const output = openSync(path, 'wx', 0o600)
  try {
    for (let done = 0; done < bytes; ) {
      const { buffer, bytesRead } = await tar.read({
        buffer: Buffer.allocUnsafe(Math.min(bytes - done, CHUNK_BYTES)),
        position: start + done,
      })
      const chunk = buffer.subarray(0, bytesRead)
      hash.update(chunk)
      writeSync(output, chunk)
      done += bytesRead
    }
  } finally {
    closeSync(output)
  }
  return hash.digest('hex')
}

function own(path: string, { uid, gid }: ServerUser): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

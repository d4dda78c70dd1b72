// Stored backups and their manifests:
//
//   <backup folder>/base/<time>/backup.json        this manifest, with the SHA-256 of every other file
//                              base.tar            the cluster, and the log that makes it consistent
//                              backup_manifest     the server's own manifest: the SHA-256 of each file in it
//                              secrets.json, …     other files needed to run, unless stored elsewhere
//
// A backup is written aside and renamed, so that it is complete or absent.

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BackupProblem } from './backup-problem.ts'
import type { WrittenFile } from './base-backup.ts'

export const BASE = 'base'
export const MANIFEST_NAME = 'backup.json'
const FORMAT = 'manilla-backup/1'

export type BackupFacts = {
  product: string
  postgres: string
  systemIdentifier: string
  timeline: number
  startLsn: string
  stopLsn: string
  startedAt: string
  finishedAt: string
  hasSecrets: boolean
  files: WrittenFile[]
}

export type StoredBackup = BackupFacts & { name: string; folder: string }

export function manifestText(facts: BackupFacts): string {
  const body = { format: FORMAT, ...facts }
  return `${JSON.stringify({ ...body, checksum: checksumOf(body) }, null, 2)}\n`
}

export function readBackup(folder: string, name: string): StoredBackup {
  const path = join(folder, MANIFEST_NAME)
  let content: { format: string; checksum: string } & BackupFacts
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new BackupProblem(`${path} is ${isMissing ? 'missing' : 'damaged'}.`)
  }
  const { checksum, ...body } = content
  if (body.format !== FORMAT || checksum !== checksumOf(body)) {
    throw new BackupProblem(`${path} is damaged, or not a manifest of this version.`)
  }
  const { format: _, ...facts } = body
  return { ...facts, name, folder }
}

export function listBackups(backupDir: string) {
  const base = join(backupDir, BASE)
  const names = existsSync(base) ? readdirSync(base).filter((name) => !name.startsWith('.')) : []
  const backups: StoredBackup[] = []
  const damaged: BackupProblem[] = []
  for (const name of names) {
    try {
      backups.push(readBackup(join(base, name), name))
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error
      damaged.push(error)
    }
  }
  backups.sort((one, other) => (one.finishedAt < other.finishedAt ? -1 : 1))
  return { backups, damaged }
}

export function isComplete({ folder, files }: StoredBackup): boolean {
  return files.every(
    ({ name, bytes }) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === bytes,
  )
}

export async function checkFiles({ folder, files }: StoredBackup): Promise<void> {
  for (const { name, bytes, sha256 } of files) {
    const path = join(folder, name)
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) throw new BackupProblem(`${path} is missing.`)
    if (size !== bytes) throw new BackupProblem(`${path} has ${size} bytes instead of ${bytes}.`)
    if ((await sha256Of(path)) !== sha256) {
      throw new BackupProblem(`${path} is damaged: its SHA-256 is not the manifest's.`)
    }
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes)
  return hash.digest('hex')
}

function checksumOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex')
}

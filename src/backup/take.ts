// Takes backups of a running server, and removes old ones.
//
// A backup is written under another name and then renamed. A kill at any moment leaves either nothing or a
// complete backup, and does not affect the server.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import type { Clock } from '#clock.ts'
import { syncFolder, writeDurably } from '#durable-files.ts'
import { archiveFolder } from '#embedded/archiving.ts'
import { findProcess } from '#embedded/processes.ts'
import {
  BASE,
  type BackupFacts,
  BackupProblem,
  isComplete,
  listBackups,
  MANIFEST_NAME,
  manifestText,
  type StoredBackup,
  sha256Of,
  type WrittenFile,
  writeBaseBackup,
} from './stored-backups.ts'
import { findSegment, positionOf, segmentOf } from './wal-archive.ts'

const MAKING = /^\.making-(\d+)-/

export type Companion = { name: string; path: string }

type Options = {
  connectionString: string
  backupDir: string
  product: string
  companions: readonly Companion[] // Files that a service needs in addition to the cluster.
  hasSecrets: boolean
  clock: Clock
  onProgress?: (doneBytes: number, totalBytes: number) => void
}

// Writes the backup into a temporary folder, and renames the folder when it is complete and on disk.
export async function takeBackup(options: Options): Promise<StoredBackup> {
  const base = join(options.backupDir, BASE)
  const temporaryDir = join(base, `.making-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 })
    removeAbandoned(base)
    mkdirSync(temporaryDir, { mode: 0o700 })
    const facts = await writeFiles(temporaryDir, options)
    writeDurably(join(temporaryDir, MANIFEST_NAME), manifestText(facts))
    syncFolder(temporaryDir)
    const name = facts.finishedAt.replaceAll(':', '')
    renameSync(temporaryDir, join(base, name))
    syncFolder(base)
    return { ...facts, name, folder: join(base, name) }
  } catch (error) {
    throw asProblem(error as NodeJS.ErrnoException, options.backupDir)
  } finally {
    rmSync(temporaryDir, { recursive: true, force: true })
  }
}

// Writes all files of the backup but the manifest, and returns the manifest's content.
async function writeFiles(folder: string, options: Options): Promise<BackupFacts> {
  const { connectionString, companions, product, hasSecrets, clock } = options
  const server = await readServer(connectionString)
  const startedAt = clock().toISOString()
  const label = `manilla ${startedAt}`
  const onProgress = options.onProgress ?? (() => {})
  const baseBackup = await writeBaseBackup({ connectionString, folder, label, onProgress })
  const { startLsn, stopLsn, timeline } = baseBackup
  const companionFiles = await Promise.all(
    companions.map((companion) => copyFile(folder, companion)),
  )
  return {
    product,
    ...server,
    timeline,
    startLsn,
    stopLsn,
    startedAt,
    finishedAt: clock().toISOString(),
    hasSecrets,
    files: [...baseBackup.files, ...companionFiles],
  }
}

// The version of the server, and the identifier of its cluster, which also names the log archive.
async function readServer(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select system_identifier::text as "systemIdentifier",
              current_setting('server_version') as postgres
         from pg_control_system()`,
    )
    return rows[0] as { systemIdentifier: string; postgres: string }
  } finally {
    await client.end()
  }
}

// Copies a file that belongs to the backup, such as the secrets or the banks file, and syncs it to disk.
async function copyFile(folder: string, { name, path }: Companion): Promise<WrittenFile> {
  const content = readFileSync(path)
  writeDurably(join(folder, name), content)
  return { name, bytes: content.length, sha256: await sha256Of(join(folder, name)) }
}

// Removes folders that killed runs left. The PID in the name tells whether the run is still active.
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = Number(MAKING.exec(name)?.[1])
    if (!pid || findProcess(pid)) continue
    rmSync(join(base, name), { recursive: true, force: true })
  }
}

// A full disk or a missing permission becomes a sentence for the operator. Other errors stay as they are.
function asProblem(error: NodeJS.ErrnoException, backupDir: string): Error {
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') {
    return new BackupProblem(`There is no space left in ${backupDir}. Nothing was kept.`)
  }
  if (error.syscall && ['EACCES', 'EROFS', 'ENOTDIR', 'EPERM'].includes(error.code ?? '')) {
    return new BackupProblem(`Cannot write to ${backupDir} (${error.code}).`)
  }
  return error
}

// Removes old backups, and the log that no remaining backup needs. Incomplete backups are ignored, so that
// the last good one always stays.

const PACKED_SEGMENT = /^([0-9A-F]{24})\.gz$/

export type PruneResult = { backups: string[]; segments: number }

// Keeps the newest `keep` backups, at least one. Removes the others, and the log that only they need.
export function pruneBackups(backupDir: string, keep: number): PruneResult {
  const completeBackups = listBackups(backupDir).backups.filter(isComplete)
  const remaining = completeBackups.slice(-Math.max(1, keep))
  const removedBackups = completeBackups.slice(0, completeBackups.length - remaining.length)
  for (const backup of removedBackups) removeBackup(backup)
  const systems = new Set(remaining.map(({ systemIdentifier }) => systemIdentifier))
  const counts = [...systems].map((system) =>
    pruneLog(archiveFolder(backupDir, system), remaining, system),
  )
  const segments = counts.reduce((sum, count) => sum + count, 0)
  return { backups: removedBackups.map(({ name }) => name), segments }
}

// Renames the folder before deleting its files, so that an incomplete backup is never listed.
function removeBackup({ folder, name }: StoredBackup): void {
  const hiddenFolder = join(dirname(folder), `.removing-${name}`)
  renameSync(folder, hiddenFolder)
  rmSync(hiddenFolder, { recursive: true, force: true })
}

// Removes the archived log of a cluster (`system`) that no remaining backup needs. Returns the number of
// files. Positions only grow, across timelines too, so log from before the oldest backup is not needed.
function pruneLog(folder: string, remaining: readonly StoredBackup[], system: string): number {
  const starts = remaining
    .filter(({ systemIdentifier }) => systemIdentifier === system)
    .map(({ startLsn }) => segmentOf(positionOf(startLsn)))
  const firstNeeded = Math.min(...starts)
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return 0 // Nothing was ever archived.
  }
  const unneededNames = names.filter((name) => {
    const segment = findSegment(PACKED_SEGMENT.exec(name)?.[1] ?? '')
    return segment !== undefined && segment.number < firstNeeded
  })
  for (const name of unneededNames) rmSync(join(folder, name))
  return unneededNames.length
}

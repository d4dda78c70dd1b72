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

export async function takeBackup(options: Options): Promise<StoredBackup> {
  const base = join(options.backupDir, BASE)
  const aside = join(base, `.making-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 })
    sweep(base)
    mkdirSync(aside, { mode: 0o700 })
    const facts = await writeFiles(aside, options)
    writeDurably(join(aside, MANIFEST_NAME), manifestText(facts))
    syncFolder(aside)
    const name = facts.finishedAt.replaceAll(':', '')
    renameSync(aside, join(base, name))
    syncFolder(base)
    return { ...facts, name, folder: join(base, name) }
  } catch (error) {
    throw asProblem(error as NodeJS.ErrnoException, options.backupDir)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

async function writeFiles(folder: string, options: Options): Promise<BackupFacts> {
  const { connectionString, companions, product, hasSecrets, clock } = options
  const server = await readServer(connectionString)
  const startedAt = clock().toISOString()
  const label = `manilla ${startedAt}`
  const onProgress = options.onProgress ?? (() => {})
  const copied = await writeBaseBackup({ connectionString, folder, label, onProgress })
  const { startLsn, stopLsn, timeline } = copied
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
    files: [...copied.files, ...companionFiles],
  }
}

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

async function copyFile(folder: string, { name, path }: Companion): Promise<WrittenFile> {
  const content = readFileSync(path)
  writeDurably(join(folder, name), content)
  return { name, bytes: content.length, sha256: await sha256Of(join(folder, name)) }
}

// Removes folders that killed runs left. The PID in the name tells whether the run is still active.
function sweep(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = Number(MAKING.exec(name)?.[1])
    if (!pid || findProcess(pid)) continue
    rmSync(join(base, name), { recursive: true, force: true })
  }
}

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

export function pruneBackups(backupDir: string, keep: number): PruneResult {
  const whole = listBackups(backupDir).backups.filter(isComplete)
  const remaining = whole.slice(-Math.max(1, keep))
  const removed = whole.slice(0, whole.length - remaining.length)
  for (const backup of removed) remove(backup)
  const systems = new Set(remaining.map(({ systemIdentifier }) => systemIdentifier))
  const counts = [...systems].map((system) =>
    pruneLog(archiveFolder(backupDir, system), remaining, system),
  )
  const segments = counts.reduce((sum, count) => sum + count, 0)
  return { backups: removed.map(({ name }) => name), segments }
}

// Renames first, so that an incomplete backup is never listed.
function remove({ folder, name }: StoredBackup): void {
  const aside = join(dirname(folder), `.removing-${name}`)
  renameSync(folder, aside)
  rmSync(aside, { recursive: true, force: true })
}

// Positions only grow, across timelines too, so log from before the oldest backup is not needed.
function pruneLog(folder: string, remaining: readonly StoredBackup[], system: string): number {
  const starts = remaining
    .filter(({ systemIdentifier }) => systemIdentifier === system)
    .map(({ startLsn }) => segmentOf(positionOf(startLsn)))
  const first = Math.min(...starts)
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return 0 // Nothing was ever archived.
  }
  const old = names.filter((name) => {
    const segment = findSegment(PACKED_SEGMENT.exec(name)?.[1] ?? '')
    return segment !== undefined && segment.number < first
  })
  for (const name of old) rmSync(join(folder, name))
  return old.length
}

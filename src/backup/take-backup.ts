// Takes a backup of a running server, aside and then renamed. A kill at any moment leaves either
// nothing or a complete backup, and does not affect the server.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Clock } from '#clock.ts'
import { syncFolder, writeDurably } from '#durable-files.ts'
import { findProcess } from '#embedded/processes.ts'
import { BackupProblem } from './backup-problem.ts'
import { type WrittenFile, writeBaseBackup } from './base-backup.ts'
import {
  BASE,
  type BackupFacts,
  MANIFEST_NAME,
  manifestText,
  type StoredBackup,
  sha256Of,
} from './stored-backups.ts'

const MAKING = /^\.making-(\d+)-/

export type Companion = { name: string; path: string }

type Options = {
  connectionString: string
  backupDir: string
  product: string
  companions: readonly Companion[] // Files that are needed besides the cluster.
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

// Removes what killed runs left. The PID in the name tells whether its maker still runs.
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

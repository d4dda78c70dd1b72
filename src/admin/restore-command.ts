// `manilla restore`: creates a data directory from a backup and the archived log, up to a moment; or
// prepares a database that was restored by other means (--database-url).
//
//   recover aside ─▶ migrate ─▶ make partitions, skip numbers and ids, hold payouts ─▶ rename into place
//
// So if the command crashes, the directory has either no cluster or one that is safe to serve from.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { planRecovery, type RecoveryPlan, recoverCluster } from '#backup/recover.ts'
import { BackupProblem } from '#backup/stored-backups.ts'
import type { Clock } from '#clock.ts'
import { databaseSettings } from '#config/config.ts'
import { secretsPath } from '#config/secrets-file.ts'
import { maintainPartitions, migrate } from '#db/migrate.ts'
import { createPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { syncFolder, writeDurably } from '#durable-files.ts'
import { openDataDirectory } from '#embedded/data-directory.ts'
import { findProcess } from '#embedded/processes.ts'
import { type ClientPosition, lastSequences, settleAfterRestore } from '#payouts/holds.ts'
import {
  type Answer,
  type Field,
  type FileContext,
  UsageProblem,
  type View,
} from './operator-command.ts'

const RESTORING = /^\.restoring-(\d+)-/

type Options = {
  from?: string
  at?: Date
  latest?: boolean
  dataDir?: string
  timeline?: number
  secrets?: string
  skipNumbers?: number
  databaseUrl?: string
}

export async function restore(context: FileContext, options: Options): Promise<Answer> {
  const { at, timeline, skipNumbers, databaseUrl, dataDir } = options
  if ((options.latest === true) === (at !== undefined)) {
    throw new UsageProblem('Specify --at <time> or --latest.')
  }
  const { clock, actor: by } = context
  if (databaseUrl) {
    const restoredTo = at ?? clock()
    const prepared = await prepare(databaseUrl, { clock, by, restoredTo, skipNumbers })
    return { data: { restoredTo, ...prepared }, view: describe('', { restoredTo, ...prepared }) }
  }
  const from = options.from ?? databaseSettings(context.env).backupDir
  if (!from || !dataDir) {
    throw new UsageProblem('Specify --from <folder> and --data-dir <new folder>.')
  }
  const plan = planRecovery(from, { at, timeline })
  if (plan.missing && !at) throw gap(plan.missing)
  const secrets = readSecrets(plan, options.secrets)
  const restored = await restoreInto(resolve(dataDir), plan, { clock, by, skipNumbers, secrets })
  const lead = `Restored ${plan.backup.name} into ${resolve(dataDir)}`
  return { data: { dataDir: resolve(dataDir), ...restored }, view: describe(lead, restored) }
}
restore.isOnFiles = true

export function gap(missing: string): BackupProblem {
  return new BackupProblem(
    `The archive lacks ${missing}, although it has later files of the log. What came after it` +
      ' cannot be restored; what came before can, with --at <time>.',
  )
}

// Returns undefined if the secrets are stored elsewhere.
function readSecrets({ backup }: RecoveryPlan, path: string | undefined): string | undefined {
  if (path === undefined && !backup.hasSecrets) return undefined
  try {
    return readFileSync(path ?? secretsPath(backup.folder), 'utf8')
  } catch (error) {
    throw new BackupProblem(`Cannot read the secrets (${(error as Error).message}).`)
  }
}

type PrepareOptions = { clock: Clock; by: string; skipNumbers: number | undefined }

async function restoreInto(
  dataDir: string,
  plan: RecoveryPlan,
  options: PrepareOptions & { secrets: string | undefined },
) {
  refuseOccupied(dataDir, options.secrets)
  openDataDirectory(dataDir)
  sweep(dataDir)
  const aside = join(dataDir, `.restoring-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    const { server, lastTransactionAt, timeline } = await recoverCluster(plan, aside)
    const restoredTo = plan.at ?? lastTransactionAt ?? new Date(plan.backup.finishedAt)
    let prepared: PreparedDatabase
    try {
      prepared = await prepare(server.connectionString, { ...options, restoredTo })
    } finally {
      await server.stop()
    }
    const secretsFile = secretsPath(dataDir)
    if (options.secrets && !existsSync(secretsFile)) writeDurably(secretsFile, options.secrets)
    renameSync(join(aside, 'postgres'), join(dataDir, 'postgres'))
    syncFolder(dataDir)
    return { backup: plan.backup.name, restoredTo, lastTransactionAt, timeline, ...prepared }
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function refuseOccupied(dataDir: string, secrets: string | undefined): void {
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new BackupProblem(`${dataDir} holds a database. Restore into a new folder.`)
  }
  const path = secretsPath(dataDir)
  if (secrets && existsSync(path) && readFileSync(path, 'utf8') !== secrets) {
    throw new BackupProblem(`${path} differs from the backup's. Restore into a new folder.`)
  }
}

// Removes the folders that killed restores left behind.
function sweep(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(RESTORING.exec(name)?.[1])
    if (pid && !findProcess(pid)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

type PreparedDatabase = { migrated: string[]; lastSequences: ClientPosition[] }

async function prepare(
  connectionString: string,
  { clock, ...restore }: PrepareOptions & { restoredTo: Date },
): Promise<PreparedDatabase> {
  const migrated = await migrate(connectionString)
  const db = createPool({
    connectionString,
    max: 1,
    statementMaxMs: 600_000,
    onIdleError: () => {},
  })
  try {
    return await withTransaction(db, async (tx) => {
      const now = clock()
      await maintainPartitions(tx, now) // First: an event without a partition would block creating it.
      await settleAfterRestore(tx, { ...restore, now })
      return { migrated, lastSequences: await lastSequences(tx) }
    })
  } finally {
    await db.end()
  }
}

type RestoreResult = PreparedDatabase & {
  restoredTo: Date
  lastTransactionAt?: Date | null
  timeline?: number
}

function describe(lead: string, result: RestoreResult): View[] {
  const { restoredTo, lastTransactionAt, timeline, lastSequences } = result
  const last = lastTransactionAt?.toISOString() ?? 'none after the backup'
  const fields: Field[] = [
    ['up to', restoredTo.toISOString()],
    ...(timeline ? ([['last transaction', `${last}, now on timeline ${timeline}`]] as const) : []),
    ['lost', `what was committed after ${restoredTo.toISOString()}`],
    ['payouts', 'held: nothing is sent until manilla admin payouts release'],
    ['numbers, ids', 'those that may have been issued since are skipped'],
    ['events', `${lastSequences.length} clients: see lastSequences with --json`],
  ]
  const next = 'Before you release payouts: docs/backup.md, After a restore.'
  return [lead || 'Prepared the restored database', { fields }, next]
}

// `manilla restore`: creates a data directory from a backup and the archived log, up to a moment; or
// prepares a database that was restored by other means (--database-url).
//
//   recover aside ─▶ migrate ─▶ make partitions, skip numbers and ids, hold payouts ─▶ rename into place
//
// So after a crash the directory has either no cluster or one that is safe to serve from.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BackupProblem } from '#backup/backup-problem.ts'
import { planRecovery, type RecoveryPlan } from '#backup/plan-recovery.ts'
import { recoverCluster } from '#backup/recover-cluster.ts'
import type { Clock } from '#clock.ts'
import { databaseSettings } from '#config/config.ts'
import { secretsPath } from '#config/secrets-file.ts'
import { migrate } from '#db/migrate.ts'
import { maintainPartitions } from '#db/partitions.ts'
import { createPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { type ClientPosition, lastSequences, settleAfterRestore } from '#domain/after-restore.ts'
import { syncFolder, writeDurably } from '#durable-files.ts'
import { openDataDirectory } from '#embedded/data-directory.ts'
import { findProcess } from '#embedded/processes.ts'
import type { FileContext } from './admin-command.ts'
import { type Answer, type Arguments, columns, UsageProblem } from './command-line.ts'
import { readTarget, readWhole } from './restore-options.ts'

const RESTORING = /^\.restoring-(\d+)-/
const NUMBERS_MAX = 1_000_000_000

export async function restore(context: FileContext, args: Arguments): Promise<Answer> {
  if (args.flag('latest') === (args.text('at') !== undefined)) {
    throw new UsageProblem('Specify --at <time> or --latest.')
  }
  const target = readTarget(args)
  const skipNumbers = readWhole(args, 'skip-numbers', NUMBERS_MAX)
  const { clock, actor: by } = context
  const databaseUrl = args.text('database-url')
  if (databaseUrl) {
    const restoredTo = target.at ?? clock()
    const prepared = await prepare(databaseUrl, { clock, by, restoredTo, skipNumbers })
    return { data: { restoredTo, ...prepared }, text: describe('', { restoredTo, ...prepared }) }
  }
  const from = args.text('from') ?? databaseSettings(context.env).backupDir
  const dataDir = args.text('data-dir')
  if (!from || !dataDir) {
    throw new UsageProblem('Specify --from <folder> and --data-dir <new folder>.')
  }
  const plan = planRecovery(from, target)
  if (plan.missing && !target.at) throw gap(plan.missing)
  const secrets = readSecrets(plan, args.text('secrets'))
  const restored = await restoreInto(resolve(dataDir), plan, { clock, by, skipNumbers, secrets })
  const lead = `Restored ${plan.backup.name} into ${resolve(dataDir)}`
  return { data: { dataDir: resolve(dataDir), ...restored }, text: describe(lead, restored) }
}

export function gap(missing: string): BackupProblem {
  return new BackupProblem(
    `The archive lacks ${missing}, although it has later files of the log. What came after it` +
      ' cannot be restored; what came before can, with --at <time>.',
  )
}

// Undefined if they are stored elsewhere.
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

// Removes what killed restores left.
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
      await maintainPartitions(tx, now) // First: an event without its partition would block creating it.
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

function describe(lead: string, result: RestoreResult): string {
  const { restoredTo, lastTransactionAt, timeline, lastSequences } = result
  const last = lastTransactionAt?.toISOString() ?? 'none after the backup'
  const rows: (readonly [string, string])[] = [
    ['up to', restoredTo.toISOString()],
    ...(timeline ? ([['last transaction', `${last}, now on timeline ${timeline}`]] as const) : []),
    ['lost', `what was committed after ${restoredTo.toISOString()}`],
    ['payouts', 'held: nothing is sent until manilla admin payouts release'],
    ['numbers, ids', 'those that may have been issued since are skipped'],
    ['events', `${lastSequences.length} clients: see lastSequences with --json`],
  ]
  const next = 'Before you release payouts: docs/backup.md, After a restore.'
  return [lead || 'Prepared the restored database', ...columns(rows), '', next].join('\n')
}

// `manilla backup`: copies the embedded database, running or not, or your own server's database.
//
// `manilla restore`: creates a data directory from a backup and the archived log, up to a moment; or
// prepares a database that was restored by other means (--database-url).
//
//   recover aside ─▶ migrate ─▶ make partitions, skip numbers and ids, hold payouts ─▶ rename into place
//
// So if the command crashes, the directory has either no cluster or one that is safe to serve from.
//
// `manilla verify`: proves that a backup can be restored by restoring it into a temporary folder and
// running all integrity checks there. With --database-url it runs only the checks, on any database.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { planRecovery, type RecoveryPlan, recoverCluster } from '#backup/recover.ts'
import { BackupProblem, listBackups, type StoredBackup } from '#backup/stored-backups.ts'
import { type Companion, type PruneResult, pruneBackups, takeBackup } from '#backup/take.ts'
import type { Clock } from '#clock.ts'
import { type DatabaseSettings, databaseSettings, type Environment } from '#config/config.ts'
import { findSecrets, readDataKeys, secretsPath } from '#config/secrets-file.ts'
import { isMigrated, maintainPartitions, migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { syncFolder, writeDurably } from '#durable-files.ts'
import { openDataDirectory } from '#embedded/data-directory.ts'
import { findEmbedded, startEmbedded } from '#embedded/embedded.ts'
import { findProcess } from '#embedded/processes.ts'
import { CHECK_NAMES, checkIntegrity } from '#integrity/checks.ts'
import { formatKobo } from '#money.ts'
import { type ClientPosition, lastSequences, settleAfterRestore } from '#payouts/holds.ts'
import { KeyProblem, syncKeys } from '#privacy/data-keys.ts'
import { type BooksSummary, summariseBooks } from '#reports/figures.ts'
import { Sealer } from '#seal.ts'
import {
  AdminProblem,
  type Answer,
  type Field,
  type FileContext,
  UsageProblem,
  type View,
} from './operator-command.ts'

const PACKAGE = new URL('../../package.json', import.meta.url)
const MB = 1_000_000
const PROGRESS_EVERY_BYTES = 50 * MB
const RESTORING = /^\.restoring-(\d+)-/
const TEMPORARY = 'manilla-verify-'
const FINDINGS_SHOWN_MAX = 20

type BackupOptions = { to?: string; keep?: number; withoutSecrets?: boolean; databaseUrl?: string }

// `manilla backup`: also copies the secrets and the settings files, unless --without-secrets is set.
export async function backup(context: FileContext, options: BackupOptions): Promise<Answer> {
  const { env, clock, showProgress } = context
  const { keep, withoutSecrets } = options
  const settings = databaseSettings(env)
  const databaseUrl = options.databaseUrl ?? settings.databaseUrl
  const to = options.to ?? settings.backupDir
  if (!to) throw new UsageProblem('Specify --to <folder>, or set MANILLA_BACKUP_DIR.')
  if (!databaseUrl && !existsSync(join(settings.dataDir, 'postgres'))) {
    throw new AdminProblem(`There is no database in ${settings.dataDir}. Check MANILLA_DATA_DIR.`)
  }
  const hasSecrets = !withoutSecrets && existsSync(secretsPath(settings.dataDir))
  const companions = withoutSecrets ? [] : findCompanions(settings.dataDir, env)
  const backupDir = resolve(to)
  const { name, version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  const product = `${name} ${version}`
  const onProgress = throttledProgress(showProgress)
  const backup = await withConnection({ ...settings, databaseUrl }, (connectionString) =>
    takeBackup({ connectionString, backupDir, product, companions, hasSecrets, clock, onProgress }),
  )
  const pruned = keep === undefined ? undefined : pruneBackups(backupDir, keep)
  return { data: { ...backup, ...(pruned && { pruned }) }, view: describeBackup(backup, pruned) }
}
backup.isOnFiles = true

// Runs `work` on the configured database, or on the embedded one, which is started for this time if it is not
// running. Does not migrate, because a backup before an upgrade must have the old version.
export async function withConnection<T>(
  settings: DatabaseSettings,
  work: (connectionString: string) => Promise<T>,
): Promise<T> {
  const running = settings.databaseUrl ?? (await findEmbedded(settings.dataDir))
  if (running) return work(running)
  const server = await startEmbedded(settings)
  try {
    return await work(server.connectionString)
  } finally {
    await server.stop()
  }
}

// Returns the other files that a service needs to use this database. Without its data keys, sealed data is
// lost.
function findCompanions(dataDir: string, env: Environment): Companion[] {
  const files = [
    { name: 'secrets.json', path: secretsPath(dataDir) },
    { name: 'banks.json', path: env.MANILLA_BANKS_FILE?.trim() ?? '' },
    { name: 'chart.json', path: env.MANILLA_CHART_FILE?.trim() ?? '' },
  ]
  return files.filter(({ path }) => path !== '' && existsSync(path))
}

function describeBackup(backup: StoredBackup, pruned: PruneResult | undefined): View[] {
  const { folder, files, startedAt, finishedAt, hasSecrets, postgres, timeline, stopLsn } = backup
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const fields: Field[] = [
    ['size', `${Math.ceil(bytes / MB)} MB in ${files.length} files`],
    ['time', `${startedAt} to ${finishedAt}`],
    ['database', `PostgreSQL ${postgres}, timeline ${timeline}, ${stopLsn}`],
    [
      'secrets',
      hasSecrets
        ? 'included: whoever has this folder can read what is sealed'
        : 'not included: keep MANILLA_DATA_KEYS and MANILLA_HASH_KEY elsewhere',
    ],
  ]
  if (pruned) {
    const { backups, segments } = pruned
    fields.push(['removed', `${backups.length} older backups, ${segments} files of the log`])
  }
  return [`Backup in ${folder}`, { fields }]
}

// Returns a function that shows the progress of a backup: one line for every 50 MB.
function throttledProgress(
  show: FileContext['showProgress'],
): (done: number, total: number) => void {
  let lastShown = 0
  return (done, total) => {
    if (done < lastShown + PROGRESS_EVERY_BYTES && done < total) return
    lastShown = done
    show(`${Math.ceil(done / MB)} of about ${Math.ceil(total / MB)} MB`)
  }
}

type RestoreOptions = {
  from?: string
  at?: Date
  latest?: boolean
  dataDir?: string
  timeline?: number
  secrets?: string
  skipNumbers?: number
  databaseUrl?: string
}

// `manilla restore`: restores into a new data directory. With --database-url, prepares a database that was
// restored by other means.
export async function restore(context: FileContext, options: RestoreOptions): Promise<Answer> {
  const { at, timeline, skipNumbers, databaseUrl, dataDir } = options
  if ((options.latest === true) === (at !== undefined)) {
    throw new UsageProblem('Specify --at <time> or --latest.')
  }
  const { clock, actor: by } = context
  if (databaseUrl) {
    const restoredTo = at ?? clock()
    const prepared = await prepareRestored(databaseUrl, { clock, by, restoredTo, skipNumbers })
    return {
      data: { restoredTo, ...prepared },
      view: describeRestore('', { restoredTo, ...prepared }),
    }
  }
  const from = options.from ?? databaseSettings(context.env).backupDir
  if (!from || !dataDir) {
    throw new UsageProblem('Specify --from <folder> and --data-dir <new folder>.')
  }
  const plan = planRecovery(from, { at, timeline })
  if (plan.missing && !at) throw missingLogError(plan.missing)
  const secrets = readSecrets(plan, options.secrets)
  const restored = await restoreInto(resolve(dataDir), plan, { clock, by, skipNumbers, secrets })
  const lead = `Restored ${plan.backup.name} into ${resolve(dataDir)}`
  return { data: { dataDir: resolve(dataDir), ...restored }, view: describeRestore(lead, restored) }
}
restore.isOnFiles = true

function missingLogError(missing: string): BackupProblem {
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

// Recovers and prepares the database in a temporary folder, and renames it into place at the end.
async function restoreInto(
  dataDir: string,
  plan: RecoveryPlan,
  options: PrepareOptions & { secrets: string | undefined },
) {
  refuseOccupied(dataDir, options.secrets)
  openDataDirectory(dataDir)
  removeOldRestores(dataDir)
  const temporaryDir = join(dataDir, `.restoring-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    const { server, lastTransactionAt, timeline } = await recoverCluster(plan, temporaryDir)
    const restoredTo = plan.at ?? lastTransactionAt ?? new Date(plan.backup.finishedAt)
    let prepared: PreparedDatabase
    try {
      prepared = await prepareRestored(server.connectionString, { ...options, restoredTo })
    } finally {
      await server.stop()
    }
    const secretsFile = secretsPath(dataDir)
    if (options.secrets && !existsSync(secretsFile)) writeDurably(secretsFile, options.secrets)
    renameSync(join(temporaryDir, 'postgres'), join(dataDir, 'postgres'))
    syncFolder(dataDir)
    return { backup: plan.backup.name, restoredTo, lastTransactionAt, timeline, ...prepared }
  } finally {
    rmSync(temporaryDir, { recursive: true, force: true })
  }
}

// Refuses a folder that has a database, or secrets other than the backup's.
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
function removeOldRestores(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(RESTORING.exec(name)?.[1])
    if (pid && !findProcess(pid)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

type PreparedDatabase = { migrated: string[]; lastSequences: ClientPosition[] }

// Migrates the restored database, skips numbers and ids that may have been issued since, and holds payouts.
async function prepareRestored(
  connectionString: string,
  { clock, ...restoreOptions }: PrepareOptions & { restoredTo: Date },
): Promise<PreparedDatabase> {
  const migrated = await migrate(connectionString)
  const db = createPool({
    connectionString,
    max: 1,
    statementMaxMs: 600_000,
    onIdleError: () => {},
  })
  try {
    return await withTransaction(
      db,
      async (tx) => {
        const now = clock()
        await maintainPartitions(tx, now) // First: an event without a partition would block its creation.
        await settleAfterRestore(tx, { ...restoreOptions, now })
        return { migrated, lastSequences: await lastSequences(tx) }
      },
      { mayBeMoved: true },
    )
  } finally {
    await db.end()
  }
}

type RestoreResult = PreparedDatabase & {
  restoredTo: Date
  lastTransactionAt?: Date | null
  timeline?: number
}

// `lead` is the first line. It is empty if the database was restored by other means.
function describeRestore(lead: string, result: RestoreResult): View[] {
  const { restoredTo, lastTransactionAt, timeline, lastSequences } = result
  const lastTransaction = lastTransactionAt?.toISOString() ?? 'none after the backup'
  const fields: Field[] = [
    ['up to', restoredTo.toISOString()],
    ...(timeline
      ? ([['last transaction', `${lastTransaction}, now on timeline ${timeline}`]] as const)
      : []),
    ['lost', `what was committed after ${restoredTo.toISOString()}`],
    ['payouts', 'held: nothing is sent until manilla admin payouts release'],
    ['numbers, ids', 'those that may have been issued since are skipped'],
    ['events', `${lastSequences.length} clients: see lastSequences with --json`],
  ]
  const nextStep = 'Before you release payouts: docs/backup.md, After a restore.'
  return [lead || 'Prepared the restored database', { fields }, nextStep]
}

type VerifyOptions = { from?: string; at?: Date; timeline?: number; databaseUrl?: string }

// `manilla verify`: restores the backup for a trial. With --database-url, only checks that database.
export async function verify(context: FileContext, options: VerifyOptions): Promise<Answer> {
  const { at, timeline, databaseUrl } = options
  if (databaseUrl) {
    const books = await withPool(databaseUrl, async (db) => {
      if (!(await isMigrated(db)))
        throw new AdminProblem('The database has another schema version.')
      return checkBooks(db)
    })
    return { data: { books }, view: ['The books add up.', { fields: bookFields(books) }] }
  }
  const from = options.from ?? databaseSettings(context.env).backupDir
  if (!from) throw new UsageProblem('Specify --from <folder>, or set MANILLA_BACKUP_DIR.')
  const [damaged] = listBackups(from).damaged
  if (damaged) throw damaged
  const plan = planRecovery(from, { at, timeline })
  if (plan.missing) throw missingLogError(plan.missing)
  const verified = await restoreAndCheck(plan, context.clock)
  return { data: verified, view: describeVerified(plan, verified) }
}
verify.isOnFiles = true

// Restores the backup into a temporary folder, and runs all integrity checks on its database.
async function restoreAndCheck(plan: RecoveryPlan, clock: Clock) {
  removeOldTrials()
  const folder = mkdtempSync(join(tmpdir(), `${TEMPORARY}${process.pid}-`))
  try {
    const { server, lastTransactionAt } = await recoverCluster(plan, folder)
    try {
      await migrate(server.connectionString)
      const books = await withPool(server.connectionString, async (db) => {
        if (plan.backup.hasSecrets) await checkKeys(db, clock, plan.backup.folder)
        return checkBooks(db)
      })
      const { backup, segments, timeline } = plan
      return { backup: backup.name, lastTransactionAt, timeline, logFiles: segments.length, books }
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

// Removes the temporary folders that killed runs of `manilla verify` left behind. A folder's name begins with
// the PID of its run.
function removeOldTrials(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(TEMPORARY))) {
    if (findProcess(Number.parseInt(name.slice(TEMPORARY.length), 10))) continue
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

// Runs `work` with connections to the database, and closes them afterwards.
async function withPool<T>(connectionString: string, work: (db: Pool) => Promise<T>): Promise<T> {
  const db = createPool({ connectionString, max: 2, onIdleError: () => {} })
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

// Fails if the backup's keys cannot open its database: such a backup is useless.
async function checkKeys(db: Pool, clock: Clock, folder: string): Promise<void> {
  try {
    const hash = Buffer.from(findSecrets(folder)?.MANILLA_HASH_KEY ?? '', 'base64')
    await syncKeys(db, clock(), new Sealer(readDataKeys(folder), hash))
  } catch (error) {
    if (!(error instanceof KeyProblem)) throw error
    throw new BackupProblem(`The secrets in ${folder} are not the database's: ${error.message}`)
  }
}

// Summarises the books. Fails if an integrity check finds anything.
async function checkBooks(db: Pool): Promise<BooksSummary> {
  const findings = await checkIntegrity(db)
  if (findings.length === 0) return summariseBooks(db)
  const lines = findings
    .slice(0, FINDINGS_SHOWN_MAX)
    .map((finding) => `- ${JSON.stringify(finding)}`)
  throw new BackupProblem(
    `The books do not add up (${findings.length} findings):\n${lines.join('\n')}`,
  )
}

function bookFields(books: BooksSummary): Field[] {
  const { clients, credits, creditedKobo, transfers, lastTransferAt, openPayouts } = books
  return [
    ['checks', `${CHECK_NAMES.length}, nothing found`],
    ['clients', `${clients}`],
    ['credits', `${credits}, of ${formatKobo(creditedKobo)}`],
    ['transfers', `${transfers}, the last at ${lastTransferAt?.toISOString() ?? '–'}`],
    ['open payouts', `${openPayouts}`],
    ...books.balances.map(
      ({ kind, currency, balanceKobo }) =>
        [`balance ${kind}`, `${formatKobo(balanceKobo)} ${currency}`] as const,
    ),
  ]
}

type VerifyResult = Awaited<ReturnType<typeof restoreAndCheck>>

function describeVerified({ backup, at }: RecoveryPlan, verified: VerifyResult): View[] {
  const { lastTransactionAt, logFiles, books } = verified
  const lastTransaction = lastTransactionAt?.toISOString() ?? 'none after the backup'
  const fields: Field[] = [
    ['files', `${backup.files.length}, SHA-256 as in the manifest`],
    ['log', `${logFiles} archived files without a gap; last transaction ${lastTransaction}`],
    ['secrets', backup.hasSecrets ? 'included, and they fit the database' : 'not included'],
    ...bookFields(books),
  ]
  const moment = at ? ` to ${at.toISOString()}` : ''
  return [`${backup.folder} can be restored${moment}.`, { fields }]
}

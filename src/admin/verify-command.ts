// `manilla verify`: proves that a backup can be restored by restoring it into a temporary folder and
// running all integrity checks there. With --database-url it runs only the checks, on any database.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planRecovery, type RecoveryPlan, recoverCluster } from '#backup/recover.ts'
import { BackupProblem, listBackups } from '#backup/stored-backups.ts'
import type { Clock } from '#clock.ts'
import { databaseSettings } from '#config/config.ts'
import { findSecrets, readDataKeys } from '#config/secrets-file.ts'
import { isMigrated, migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { findProcess } from '#embedded/processes.ts'
import { CHECK_NAMES, checkIntegrity } from '#integrity/checks.ts'
import { formatKobo } from '#money.ts'
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
import { gap } from './restore-command.ts'

const TEMPORARY = 'manilla-verify-'
const FINDINGS_SHOWN_MAX = 20

type Options = { from?: string; at?: Date; timeline?: number; databaseUrl?: string }

export async function verify(context: FileContext, options: Options): Promise<Answer> {
  const { at, timeline, databaseUrl } = options
  if (databaseUrl) {
    const books = await withPool(databaseUrl, async (db) => {
      if (!(await isMigrated(db)))
        throw new AdminProblem('The database has another schema version.')
      return examine(db)
    })
    return { data: { books }, view: ['The books add up.', { fields: fieldsOf(books) }] }
  }
  const from = options.from ?? databaseSettings(context.env).backupDir
  if (!from) throw new UsageProblem('Specify --from <folder>, or set MANILLA_BACKUP_DIR.')
  const [damaged] = listBackups(from).damaged
  if (damaged) throw damaged
  const plan = planRecovery(from, { at, timeline })
  if (plan.missing) throw gap(plan.missing)
  const verified = await tryOut(plan, context.clock)
  return { data: verified, view: describeBackup(plan, verified) }
}
verify.isOnFiles = true

async function tryOut(plan: RecoveryPlan, clock: Clock) {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${TEMPORARY}${process.pid}-`))
  try {
    const { server, lastTransactionAt } = await recoverCluster(plan, folder)
    try {
      await migrate(server.connectionString)
      const books = await withPool(server.connectionString, async (db) => {
        if (plan.backup.hasSecrets) await checkKeys(db, clock, plan.backup.folder)
        return examine(db)
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

// Removes the folders that killed runs left behind.
function sweep(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(TEMPORARY))) {
    if (findProcess(Number.parseInt(name.slice(TEMPORARY.length), 10))) continue
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

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

async function examine(db: Pool): Promise<BooksSummary> {
  const findings = await checkIntegrity(db)
  if (findings.length === 0) return summariseBooks(db)
  const lines = findings
    .slice(0, FINDINGS_SHOWN_MAX)
    .map((finding) => `- ${JSON.stringify(finding)}`)
  throw new BackupProblem(
    `The books do not add up (${findings.length} findings):\n${lines.join('\n')}`,
  )
}

function fieldsOf(books: BooksSummary): Field[] {
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

type VerifyResult = Awaited<ReturnType<typeof tryOut>>

function describeBackup({ backup, at }: RecoveryPlan, verified: VerifyResult): View[] {
  const { lastTransactionAt, logFiles, books } = verified
  const last = lastTransactionAt?.toISOString() ?? 'none after the backup'
  const fields: Field[] = [
    ['files', `${backup.files.length}, SHA-256 as in the manifest`],
    ['log', `${logFiles} archived files without a gap; last transaction ${last}`],
    ['secrets', backup.hasSecrets ? 'included, and they fit the database' : 'not included'],
    ...fieldsOf(books),
  ]
  const moment = at ? ` to ${at.toISOString()}` : ''
  return [`${backup.folder} can be restored${moment}.`, { fields }]
}

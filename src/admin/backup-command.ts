// `manilla backup`: a copy of the embedded database, running or not, or of your own server.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type PruneResult, pruneBackups } from '#backup/prune-backups.ts'
import type { StoredBackup } from '#backup/stored-backups.ts'
import { type Companion, takeBackup } from '#backup/take-backup.ts'
import { type DatabaseSettings, databaseSettings, type Environment } from '#config/config.ts'
import { secretsPath } from '#config/secrets-file.ts'
import { findEmbedded, startEmbedded } from '#embedded/embedded.ts'
import type { FileContext } from './admin-command.ts'
import { AdminProblem } from './admin-database.ts'
import { type Answer, type Arguments, columns, UsageProblem } from './command-line.ts'

const PACKAGE = new URL('../../package.json', import.meta.url)
const MB = 1_000_000
const PROGRESS_EVERY_BYTES = 50 * MB

export async function backup({ env, clock }: FileContext, args: Arguments): Promise<Answer> {
  const settings = databaseSettings(env)
  const databaseUrl = args.text('database-url') ?? settings.databaseUrl
  const to = args.text('to') ?? settings.backupDir
  if (!to) throw new UsageProblem('Specify --to <folder>, or set MANILLA_BACKUP_DIR.')
  const keep = readKeep(args.text('keep'))
  if (!databaseUrl && !existsSync(join(settings.dataDir, 'postgres'))) {
    throw new AdminProblem(`There is no database in ${settings.dataDir}. Check MANILLA_DATA_DIR.`)
  }
  const hasSecrets = !args.flag('without-secrets') && existsSync(secretsPath(settings.dataDir))
  const companions = args.flag('without-secrets') ? [] : findCompanions(settings.dataDir, env)
  const backupDir = resolve(to)
  const { name, version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  const product = `${name} ${version}`
  const onProgress = process.stderr.isTTY ? progressTo(process.stderr) : () => {}
  const backup = await withConnection({ ...settings, databaseUrl }, (connectionString) =>
    takeBackup({ connectionString, backupDir, product, companions, hasSecrets, clock, onProgress }),
  )
  const pruned = keep === undefined ? undefined : pruneBackups(backupDir, keep)
  return { data: { ...backup, ...(pruned && { pruned }) }, text: describe(backup, pruned) }
}

function readKeep(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text)
  throw new UsageProblem('--keep must be a whole number from 1 to 99999.')
}

// Does not migrate: a backup before an upgrade must have the old version.
async function withConnection<T>(
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

// Other files that a service with this database needs: without its data keys, sealed data is lost.
function findCompanions(dataDir: string, env: Environment): Companion[] {
  const files = [
    { name: 'secrets.json', path: secretsPath(dataDir) },
    { name: 'banks.json', path: env.MANILLA_BANKS_FILE?.trim() ?? '' },
    { name: 'chart.json', path: env.MANILLA_CHART_FILE?.trim() ?? '' },
  ]
  return files.filter(({ path }) => path !== '' && existsSync(path))
}

function describe(backup: StoredBackup, pruned: PruneResult | undefined): string {
  const { folder, files, startedAt, finishedAt, hasSecrets, postgres, timeline, stopLsn } = backup
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const rows: (readonly [string, string])[] = [
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
    rows.push(['removed', `${backups.length} older backups, ${segments} files of the log`])
  }
  return [`Backup in ${folder}`, ...columns(rows)].join('\n')
}

function progressTo(stream: NodeJS.WritableStream): (done: number, total: number) => void {
  let lastShown = 0
  return (done, total) => {
    if (done < lastShown + PROGRESS_EVERY_BYTES && done < total) return
    lastShown = done
    stream.write(`${Math.ceil(done / MB)} of about ${Math.ceil(total / MB)} MB\n`)
  }
}

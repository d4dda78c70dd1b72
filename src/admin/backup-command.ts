// `manilla backup`: copies the embedded database, running or not, or your own server's database.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { StoredBackup } from '#backup/stored-backups.ts'
import { type Companion, type PruneResult, pruneBackups, takeBackup } from '#backup/take.ts'
import { type DatabaseSettings, databaseSettings, type Environment } from '#config/config.ts'
import { secretsPath } from '#config/secrets-file.ts'
import { findEmbedded, startEmbedded } from '#embedded/embedded.ts'
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

type Options = { to?: string; keep?: number; withoutSecrets?: boolean; databaseUrl?: string }

export async function backup(context: FileContext, options: Options): Promise<Answer> {
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
  const onProgress = throttled(showProgress)
  const backup = await withConnection({ ...settings, databaseUrl }, (connectionString) =>
    takeBackup({ connectionString, backupDir, product, companions, hasSecrets, clock, onProgress }),
  )
  const pruned = keep === undefined ? undefined : pruneBackups(backupDir, keep)
  return { data: { ...backup, ...(pruned && { pruned }) }, view: describe(backup, pruned) }
}
backup.isOnFiles = true

// Does not migrate, because a backup before an upgrade must have the old version.
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

// The other files that a service needs to use this database. Without its data keys, sealed data is lost.
function findCompanions(dataDir: string, env: Environment): Companion[] {
  const files = [
    { name: 'secrets.json', path: secretsPath(dataDir) },
    { name: 'banks.json', path: env.MANILLA_BANKS_FILE?.trim() ?? '' },
    { name: 'chart.json', path: env.MANILLA_CHART_FILE?.trim() ?? '' },
  ]
  return files.filter(({ path }) => path !== '' && existsSync(path))
}

function describe(backup: StoredBackup, pruned: PruneResult | undefined): View[] {
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

function throttled(show: FileContext['showProgress']): (done: number, total: number) => void {
  let lastShown = 0
  return (done, total) => {
    if (done < lastShown + PROGRESS_EVERY_BYTES && done < total) return
    lastShown = done
    show(`${Math.ceil(done / MB)} of about ${Math.ceil(total / MB)} MB`)
  }
}

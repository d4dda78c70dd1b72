// Upgrades a database of the last version before the baseline, the migrations that replaced an older chain of
// 111 files (docs/decisions/0028-baseline.md). In one transaction it renames objects, and records the files
// of the baseline instead of the files that they replaced.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import {
  applyFunction,
  connect,
  findBaselineProblem,
  inMigrationLock,
  LAST_REPLACED,
  loadSchemaFiles,
  MigrationProblem,
  readApplied,
  run,
} from './migrate.ts'

const UPGRADE = join(import.meta.dirname, '../../db/upgrade-baseline.sql')
const BASELINE_LAST = '0023_foreign_keys.sql'

// SHA-256 of the names and checksums of all files that the baseline replaced.
const REPLACED_HASH = '4806bd7b485586c97446cc4160a190ba96736a93c8300e068346dbabe7f6faea'

// Processes that were just stopped may stay connected for a moment.
const LEAVING_MS = 5000
const PAUSE_MS = 100

// Upgrades the database. Returns false if the database has the baseline already.
export async function upgradeBaseline(connectionString: string): Promise<boolean> {
  const { client, close } = await connect(connectionString)
  try {
    return await inMigrationLock(client, refuseToWait, () => upgrade(client))
  } finally {
    await close()
  }
}

// Refuses the upgrade because another process, `holder`, has the lock of migrations.
function refuseToWait(holder: string): never {
  throw new MigrationProblem(`another process migrates the database: ${holder}`)
}

// Checks that the database is exactly of the last version before the baseline, and upgrades it.
async function upgrade(client: pg.ClientBase): Promise<boolean> {
  const history = await readHistory(client)
  if (history.some(({ name }) => name === BASELINE_LAST)) return false
  if (history.at(-1)?.name !== LAST_REPLACED) {
    throw new MigrationProblem(
      findBaselineProblem(history) ?? 'the database is empty: run `npx manilla migrate`',
    )
  }
  if (hashOf(history) !== REPLACED_HASH) {
    throw new MigrationProblem(
      `the database has ${LAST_REPLACED}, but not all migrations of the last version before the baseline`,
    )
  }
  await refuseWhileConnected(client)

  const text = await readFile(UPGRADE, 'utf8')
  await run(client, { path: 'upgrade-baseline.sql', text })
  const { migrations, functions } = await loadSchemaFiles({})
  await client.query('delete from schema_migrations')
  await client.query('delete from schema_functions')
  for (const { name, checksum, worksBeside } of migrations) {
    if (name > BASELINE_LAST) break
    await client.query(
      'insert into schema_migrations (name, checksum, works_beside) values ($1, $2, $3)',
      [name, checksum, worksBeside],
    )
  }
  for (const file of functions) await applyFunction(client, file)
  return true
}

// Reads the applied migrations in order; none if the database is empty.
async function readHistory(client: pg.ClientBase) {
  const { rows } = await client.query(`select to_regclass('schema_migrations') as name`)
  if (rows[0].name === null) return []
  const { migrations } = await readApplied(client)
  return migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

// Returns a hash of the whole history, which shows whether all expected files were applied unchanged.
function hashOf(history: readonly { name: string; checksum: string }[]): string {
  const lines = history.map(({ name, checksum }) => `${name} ${checksum}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}

// Waits for stopped processes to disappear. Fails if another session stays connected, because it would keep
// working with the old names.
async function refuseWhileConnected(client: pg.ClientBase): Promise<void> {
  const until = performance.now() + LEAVING_MS
  for (;;) {
    const connected = await listConnections(client)
    if (connected.length === 0) return
    if (performance.now() > until) {
      throw new MigrationProblem(
        `stop every process and session of the database first; still connected: ${connected.join(', ')}`,
      )
    }
    await sleep(PAUSE_MS)
  }
}

// Returns the other sessions of the same database user, which all processes of the service share. Without
// pg_stat_clear_snapshot(), a transaction would see the same sessions at every call.
async function listConnections(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ words: string }>(
    `select format('backend %s (%s)', pid,
                   concat_ws(', ', nullif(application_name, ''), host(client_addr))) as words
       from pg_stat_activity, pg_stat_clear_snapshot()
      where datname = current_database() and usename = current_user
        and backend_type = 'client backend' and pid <> pg_backend_pid() order by pid`,
  )
  return rows.map(({ words }) => words)
}

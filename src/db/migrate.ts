// Brings a database up to date: db/migrations in order, each once and in its own transaction, then
// every db/functions file that changed. Forward only: history that differs from the files is
// refused, never repaired. One session advisory lock on one connection spans the whole run, so
// any number of processes may start at once and each file is still applied exactly once.

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  type AppliedFile,
  type FileLocations,
  findHistoryProblem,
  loadSchemaFiles,
  MigrationProblem,
  type SchemaFile,
  type SchemaFiles,
} from './migration-files.ts'

export { MigrationProblem } from './migration-files.ts'

// Any fixed number will do; it only has to differ from other advisory locks in the same database.
const LOCK_KEY = 7_246_153

const UNDEFINED_TABLE = '42P01'
const DEADLOCK_DETECTED = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'

// Whoever comes after a migration that waits for a table waits too: so it steps back, and lets them
// pass before it tries again.
const LOCK_WAIT_MAX = '3s'
const ATTEMPTS_MAX = 20
const PAUSE_MS = 250

const RECORDS = `
  create table if not exists schema_migrations (
    name       text primary key,
    checksum   text not null,
    applied_at timestamptz not null default now()
  );
  create table if not exists schema_functions (
    name       text primary key,
    checksum   text not null,
    applied_at timestamptz not null default now()
  )`

// Answers what was applied now, as 'migrations/0001_noun.sql' and 'functions/name.sql', in order.
export async function migrate(
  target: pg.Pool | string,
  locations?: FileLocations,
): Promise<string[]> {
  const files = await loadFiles(locations)
  const { client, close } = await connect(target)
  try {
    // A pool's statement timeout would end the wait for the lock, or a long migration.
    await client.query(
      "set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = '5s'",
    )
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY])
    await client.query(`set lock_timeout = '${LOCK_WAIT_MAX}'`)
    await client.query(RECORDS)
    const migrations = await applyMigrations(client, files.migrations)
    const functions = await applyFunctions(client, files.functions)
    return [...migrations, ...functions]
  } finally {
    await close()
  }
}

// Whether every file of this build is applied as it stands on disk. One small query, so that a
// readiness probe may ask often. A database that is ahead still counts: the old build serves what it
// still can (docs/operating.md, Upgrading).
export async function isMigrated(pool: pg.Pool, locations?: FileLocations): Promise<boolean> {
  const files = await loadFiles(locations)
  try {
    const { rows } = await pool.query<AppliedFile & { folder: string }>(
      `select 'migrations' as folder, name, checksum from schema_migrations
       union all select 'functions', name, checksum from schema_functions`,
    )
    const applied = new Set(rows.map((row) => `${row.folder}/${row.name} ${row.checksum}`))
    return [...files.migrations, ...files.functions].every((file) =>
      applied.has(`${file.path} ${file.checksum}`),
    )
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return false
    throw error
  }
}

// Read once by a process: a probe may ask often.
let shippedFiles: SchemaFiles | undefined

async function loadFiles(locations: FileLocations | undefined): Promise<SchemaFiles> {
  if (locations) return loadSchemaFiles(locations)
  shippedFiles ??= await loadSchemaFiles({})
  return shippedFiles
}

// Closing the connection gives up the lock and every setting of the session, whatever happened.
async function connect(target: pg.Pool | string) {
  if (typeof target !== 'string') {
    const client = await target.connect()
    client.on('error', ignoreLoss)
    return { client, close: async () => client.release(true) }
  }
  const client = new pg.Client({ connectionString: target })
  client.on('error', ignoreLoss)
  await client.connect()
  return { client, close: () => client.end() }
}

// The query that needed the connection fails too; unheard, this event would end the process.
function ignoreLoss(): void {}

async function applyMigrations(
  client: pg.ClientBase,
  files: readonly SchemaFile[],
): Promise<string[]> {
  const { rows } = await client.query<AppliedFile>('select name, checksum from schema_migrations')
  const problem = findHistoryProblem(files, rows)
  if (problem) throw new MigrationProblem(problem)

  const known = new Set(rows.map((row) => row.name))
  const pending = files.filter((file) => !known.has(file.name))
  for (const file of pending) {
    await inTransaction(client, async () => {
      await run(client, file)
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
        file.name,
        file.checksum,
      ])
      // A migration may drop a function, or a type that takes it along: apply them all again.
      await client.query('delete from schema_functions')
    })
  }
  return pending.map((file) => file.path)
}

// All in one transaction, so that nobody ever calls a mixture of old and new functions.
async function applyFunctions(
  client: pg.ClientBase,
  files: readonly SchemaFile[],
): Promise<string[]> {
  const { rows } = await client.query<AppliedFile>('select name, checksum from schema_functions')
  const checksums = new Map(rows.map((row) => [row.name, row.checksum]))
  const changed = files.filter((file) => checksums.get(file.name) !== file.checksum)
  const gone = [...checksums.keys()].filter((name) => !files.some((file) => file.name === name))
  if (changed.length + gone.length === 0) return []

  await inTransaction(client, async () => {
    for (const file of changed) {
      await run(client, file)
      await client.query(
        `insert into schema_functions (name, checksum) values ($1, $2)
         on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
        [file.name, file.checksum],
      )
    }
    // Forgotten rather than dropped: only a migration drops, and the file may come back.
    await client.query('delete from schema_functions where name = any ($1)', [gone])
  })
  return changed.map((file) => file.path)
}

// Again when processes that are at work were in the way: nothing of the attempt was kept.
async function inTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await client.query('begin')
    try {
      await work()
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback').catch(() => {}) // A lost connection has rolled back already.
      if (attempt === ATTEMPTS_MAX || !isInTheWay(error)) throw error
    }
    await sleep(PAUSE_MS)
  }
}

function isInTheWay(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as { code?: string }
  return code === DEADLOCK_DETECTED || code === LOCK_NOT_AVAILABLE
}

async function run(client: pg.ClientBase, file: SchemaFile): Promise<void> {
  try {
    await client.query(file.text)
    await client.query('set constraints all immediate') // Else commit fails, naming no file.
  } catch (cause) {
    const { message, position } = cause as { message: string; position?: string }
    const line = position && ` at line ${file.text.slice(0, Number(position)).split('\n').length}`
    throw new MigrationProblem(
      `${file.path} failed${line ?? ''} and nothing of it was kept. PostgreSQL says: ${message}`,
      { cause },
    )
  }
}

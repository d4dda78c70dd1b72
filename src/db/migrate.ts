// Brings a database up to date: applies db/migrations in order, each once and in its own transaction, then
// every db/functions file that changed, with the last migration. Forward only: if the history differs from
// the files, the start is refused. Any number of processes, of this release and of compatible ones, may start
// at once: the first to get the lock takes each step. Also maintains the partitions of tables.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { clientClassFor } from './hosts.ts'
import { BEGIN, type Queryable } from './pool.ts'

// The files of the schema on disk, and how they must relate to the files that a database has applied (I80).
//
// A release is known by its last migration. The head of a migration names the oldest release that can run
// alongside it (`-- works beside: 0060`), and the database stores that name.
type FileLocations = { migrationsDir?: string; functionsDir?: string }
export type SchemaFile = {
  name: string
  path: string
  text: string
  checksum: string
  worksBeside: string | null
  isOutsideTransaction: boolean // For `create index concurrently`, which cannot run in a transaction.
}
type SchemaFiles = { migrations: readonly SchemaFile[]; functions: readonly SchemaFile[] }
type AppliedFile = { name: string; checksum: string; worksBeside: string | null }
type Applied = { migrations: readonly AppliedFile[]; functions: readonly AppliedFile[] }

// The files do not fit the database, or a file failed. The message is a sentence for the operator.
export class MigrationProblem extends Error {
  override name = 'MigrationProblem'
}

const DB_DIR = join(import.meta.dirname, '../../db')

const MIGRATION_NAME = /^\d{4}_[a-z0-9_]+\.sql$/
const WORKS_BESIDE = /^-- works beside: (\d{4})$/m
const OUTSIDE_TRANSACTION = /^-- outside a transaction$/m

// A file that ends its own transaction could be applied in part. plpgsql's own `begin` and `end` do not
// match: `begin` takes no semicolon there.
const TRANSACTION_CONTROL =
  /^\s*(begin|start\s+transaction|commit|rollback|abort)(\s+(work|transaction))?\s*;/im

// Reads the schema files and checks their names, so that a wrong file is found before the database changes.
export async function loadSchemaFiles(locations: FileLocations): Promise<SchemaFiles> {
  const [migrations, functions] = await Promise.all([
    loadFolder('migrations', locations.migrationsDir ?? join(DB_DIR, 'migrations')),
    loadFolder('functions', locations.functionsDir ?? join(DB_DIR, 'functions')),
  ])
  const problem = findNamingProblem(migrations) ?? findControlProblem([...migrations, ...functions])
  if (problem) throw new MigrationProblem(problem)
  return { migrations, functions }
}

// Reads the SQL files of a folder, with their checksums and the directives in their comments.
async function loadFolder(folder: string, dir: string): Promise<SchemaFile[]> {
  // Code-unit order, which for these names is the order of their numbers on every machine.
  const names = (await listFolder(dir)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(dir, name), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      const worksBeside = WORKS_BESIDE.exec(text)?.[1] ?? null
      const isOutsideTransaction = OUTSIDE_TRANSACTION.test(text)
      return { name, path: `${folder}/${name}`, text, checksum, worksBeside, isOutsideTransaction }
    }),
  )
}

// Lists the names of the files in a folder. git does not keep an empty folder, so a missing folder means no
// files.
async function listFolder(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  }
}

// Plans the remaining work: migrations and functions to apply, and functions whose file is gone
// (`forgotten`). Only a build that knows every migration of the database applies functions: an older build
// would replace newer functions by older ones.
function planMigration(files: SchemaFiles, applied: Applied) {
  const problem = findHistoryProblem(files.migrations, applied.migrations)
  if (problem) throw new MigrationProblem(problem)
  const names = new Set(applied.migrations.map(({ name }) => name))
  const pending = files.migrations.filter(({ name }) => !names.has(name))
  // The database has a migration that this build does not know.
  const isBehind = names.size > files.migrations.length - pending.length
  if (isBehind) return { pending, functions: [], forgotten: [] }

  const checksums = new Map(applied.functions.map(({ name, checksum }) => [name, checksum]))
  // A migration may drop a function, or a type that functions use, so after a migration all functions are
  // applied again.
  const functions = files.functions.filter(
    ({ name, checksum }) => pending.length > 0 || checksums.get(name) !== checksum,
  )
  const functionNames = new Set(files.functions.map(({ name }) => name))
  const forgotten = [...checksums.keys()].filter((name) => !functionNames.has(name))
  return { pending, functions, forgotten }
}

// Returns the first reason, in plain words, why these files cannot continue this history. A release is named
// by the four digits that begin the name of its last migration.
function findHistoryProblem(
  files: readonly SchemaFile[],
  applied: readonly AppliedFile[],
): string | undefined {
  const history = applied.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const last = history.at(-1)?.name ?? ''
  const lastFile = files.at(-1)?.name ?? ''
  const byName = new Map(files.map((file) => [file.name, file]))
  if (!byName.has(BEFORE_BASELINE) && history.some(({ name }) => name === BEFORE_BASELINE)) {
    return describeUnreleased(last)
  }

  for (const { name, checksum, worksBeside } of history) {
    const file = byName.get(name)
    if (!file && name > lastFile) {
      // The newer migration declares the oldest release that can run beside it.
      if (worksBeside !== null && worksBeside <= lastFile.slice(0, 4)) continue
      return describeNewer(name, worksBeside, lastFile)
    }
    if (!file) return `migrations/${name} was applied to this database but its file is missing`
    if (file.checksum !== checksum) {
      return `migrations/${name} was changed after it was applied: restore it and write a new migration`
    }
  }

  const names = new Set(history.map((entry) => entry.name))
  const lateFile = files.find((file) => file.name < last && !names.has(file.name))
  return (
    lateFile &&
    `${lateFile.path} comes before migrations/${last}, which is already applied: give it a later number`
  )
}

// A migration that every database of the chain before the baseline has, and no other database
// (docs/decisions/0028-baseline.md).
const BEFORE_BASELINE = '0002_clients.sql'

// Describes a database that migrations from before the baseline created.
function describeUnreleased(last: string): string {
  return (
    `the database is of a version before the first release, at migrations/${last}, and nothing upgrades ` +
    'it: use an empty database'
  )
}

// Describes a database that has a migration which this build lacks and cannot work with. The first four
// digits of `lastFile`, the last migration of this build, name its release.
function describeNewer(name: string, worksBeside: string | null, lastFile: string): string {
  if (worksBeside === null) {
    return `the database is newer than this build: it has migrations/${name}, unknown to this build`
  }
  return (
    `this build is too old for the database: migrations/${name} works beside releases from ` +
    `${worksBeside} on, and this one is of ${lastFile.slice(0, 4)}`
  )
}

// Returns the problem of a migration whose name is wrong or whose number is used twice.
function findNamingProblem(files: readonly SchemaFile[]): string | undefined {
  const misnamed = files.find((file) => !MIGRATION_NAME.test(file.name))
  if (misnamed) return `${misnamed.path} is not named like 0001_noun.sql`
  const duplicate = files.find(
    (file, i) => files[i - 1]?.name.slice(0, 4) === file.name.slice(0, 4),
  )
  return duplicate && `${duplicate.path} has the same number as another migration`
}

// Finds a file that ends the transaction in which it runs.
function findControlProblem(files: readonly SchemaFile[]): string | undefined {
  const file = files.find(({ text }) => TRANSACTION_CONTROL.test(text))
  return file && `${file.path} begins or ends a transaction: it already runs inside one`
}

// This build may work with a database (I80) if the database has all migrations of the build, and every later
// migration declares that it works alongside the build.

const UNDEFINED_TABLE = '42P01'

// The files are read once per process, because probes may be frequent.
let shippedFiles: SchemaFiles | undefined

// Loads the schema files at `locations` or, by default, those that are shipped with the service.
async function loadFiles(locations: FileLocations | undefined): Promise<SchemaFiles> {
  if (locations) return loadSchemaFiles(locations)
  shippedFiles ??= await loadSchemaFiles({})
  return shippedFiles
}

// Reads which files the database has applied.
async function readApplied(db: Pick<pg.ClientBase, 'query'>): Promise<Applied> {
  // Reads the column works_beside through JSON, because a database of an older release lacks it.
  const { rows } = await db.query<AppliedFile & { folder: keyof Applied }>(
    `select 'migrations' as folder, name, checksum, to_jsonb(m) ->> 'works_beside' as "worksBeside"
       from schema_migrations m
     union all select 'functions', name, checksum, null from schema_functions`,
  )
  const filesOf = (folder: keyof Applied) => rows.filter((row) => row.folder === folder)
  return { migrations: filesOf('migrations'), functions: filesOf('functions') }
}

// Returns one sentence why this build may not work with the database, or undefined. Runs one small query.
export async function findSchemaProblem(
  pool: pg.Pool,
  locations?: FileLocations,
): Promise<string | undefined> {
  const files = await loadFiles(locations)
  try {
    const { pending, functions } = planMigration(files, await readApplied(pool))
    const [missing] = [...pending, ...functions]
    return missing && `it has not applied ${missing.path}; run \`npx manilla migrate\``
  } catch (error) {
    if (error instanceof MigrationProblem) return error.message
    if ((error as { code?: string }).code === UNDEFINED_TABLE) {
      return 'it is empty; run `npx manilla migrate`'
    }
    throw error
  }
}

export async function isMigrated(pool: pg.Pool, locations?: FileLocations): Promise<boolean> {
  return (await findSchemaProblem(pool, locations)) === undefined
}

// A lock ensures that only one of all starting processes migrates at a time. The lock belongs to the
// transaction, because behind a pooler all processes share sessions.
//
// A process that does not get the lock tries again later instead of waiting in the database. A waiting
// statement would block `create index concurrently` and could not report which process holds the lock.

// An arbitrary number that differs from the other advisory locks in the database.
const LOCK_KEY = 7_246_153

const DEADLOCK_DETECTED = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'

// Statements queue behind a migration that waits for a table lock. The migration gives up after this
// time, lets them pass, and tries again.
const LOCK_WAIT_MAX = '3s'
const ATTEMPTS_MAX = 20
const PAUSE_MS = 250
const REMIND_EVERY_MS = 10_000

// Statement timeouts of the role or the database are meant for requests and must not end a long migration.
// The idle timeout ends the transaction of a process that freezes while it holds locks.
const BEGIN_LONG = `${BEGIN}; set local statement_timeout = 0;
  set local lock_timeout = '${LOCK_WAIT_MAX}'; set local idle_in_transaction_session_timeout = '5s'`

type OnWait = (holder: string) => void

// Runs the work in a transaction that holds the lock. Waits while another process holds it, and calls
// `onWait` with that process from time to time. The work may run several times, because it starts again if
// running processes were in the way.
async function inMigrationLock<T>(
  client: pg.ClientBase,
  onWait: OnWait,
  work: () => Promise<T>,
): Promise<T> {
  let attempts = 0
  let remindAtMs = 0
  for (;;) {
    await client.query(BEGIN_LONG)
    try {
      if (await tryMigrationLock(client)) {
        const result = await work()
        await client.query('commit')
        return result
      }
      if (performance.now() >= remindAtMs) {
        onWait(await describeHolder(client))
        remindAtMs = performance.now() + REMIND_EVERY_MS
      }
      await client.query('rollback')
    } catch (error) {
      await client.query('rollback').catch(() => {}) // A lost connection has rolled back already.
      attempts += 1
      if (attempts === ATTEMPTS_MAX || !isInTheWay(error)) throw error
    }
    await sleep(PAUSE_MS)
  }
}

// Tries to take the lock of migrations until the end of the transaction. Returns false if another process has
// the lock.
async function tryMigrationLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as locked', [LOCK_KEY])
  return rows[0].locked
}

// Describes the process that holds the lock, which the operator may want to end. In pg_locks, an advisory
// lock with a key of 64 bits has objsubid 1, and the halves of its key are in classid and objid.
async function describeHolder(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('backend %s (%s), %s since %s: %s', a.pid,
                   concat_ws(', ', nullif(a.application_name, ''), host(a.client_addr)), a.state,
                   to_char(a.state_change at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                   left(regexp_replace(a.query, '\\s+', ' ', 'g'), 100)) as holder
       from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted
        and l.classid = 0 and l.objid = $1 and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())`,
    [LOCK_KEY],
  )
  return rows[0]?.holder ?? 'a process that has just finished'
}

// Returns whether a running process blocked the migration, so that another attempt may succeed. The error of
// PostgreSQL is the `cause` if a file failed, and otherwise the error itself.
function isInTheWay(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as { code?: string }
  return code === DEADLOCK_DETECTED || code === LOCK_NOT_AVAILABLE
}

const RECORDS = `
  create table if not exists schema_migrations (
    name       text primary key,
    checksum   text not null,
    applied_at timestamptz not null default now()
  );
  alter table schema_migrations add column if not exists works_beside text;
  create table if not exists schema_functions (
    name       text primary key,
    checksum   text not null,
    applied_at timestamptz not null default now()
  )`

type Connection = {
  client: pg.ClientBase
  open: () => Promise<Connection> // Opens another connection to the same database.
  close: () => Promise<void>
}

// Applies all pending files. Returns those that it applied, such as 'migrations/0001_noun.sql' and
// 'functions/name.sql', in order.
export async function migrate(
  target: pg.Pool | string,
  locations?: FileLocations,
  onWait: OnWait = () => {},
): Promise<string[]> {
  const files = await loadFiles(locations)
  const connection = await connect(target)
  const { client, close } = connection
  const applied: string[] = []
  try {
    while (await hasWork(client, files)) {
      applied.push(...(await inMigrationLock(client, onWait, () => takeStep(connection, files))))
    }
    return applied
  } finally {
    await close()
  }
}

// Returns whether a file is pending. Takes no lock, so that a start without work waits for no other process.
async function hasWork(client: pg.ClientBase, files: SchemaFiles): Promise<boolean> {
  await client.query(BEGIN_LONG)
  try {
    if (!(await hasRecords(client))) return true
    const { pending, functions, forgotten } = planMigration(files, await readApplied(client))
    return pending.length + functions.length + forgotten.length > 0
  } finally {
    await client.query('rollback').catch(() => {}) // If the connection is lost, the failed query reports it.
  }
}

// Returns whether the database has the tables that record applied files, with their latest column.
async function hasRecords(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_attribute
                     where attrelid = to_regclass('schema_migrations')
                       and attname = 'works_beside')`,
  )
  return rows[0]?.exists === true
}

// Takes one step: creates the tables of records, or applies the next migration. Functions are applied in the
// transaction of the last migration, so that no session sees old and new functions mixed, or one missing.
async function takeStep(connection: Connection, files: SchemaFiles): Promise<string[]> {
  const { client } = connection
  if (!(await hasRecords(client))) {
    await client.query(RECORDS)
    return []
  }
  const { pending, functions, forgotten } = planMigration(files, await readApplied(client))
  const [next, ...later] = pending
  if (next) await applyMigration(connection, next)
  if (later.length > 0) return [next?.path ?? '']
  for (const file of functions) await applyFunction(client, file)
  // Deletes only the record of a file that is gone: a migration must drop the function, and the file may
  // return.
  await client.query('delete from schema_functions where name = any ($1)', [forgotten])
  return [...pending, ...functions].map(({ path }) => path)
}

// Applies one migration and records it.
async function applyMigration({ client, open }: Connection, file: SchemaFile): Promise<void> {
  if (file.isOutsideTransaction) {
    // This transaction holds the lock and is idle while the file runs on another connection.
    await client.query('set local idle_in_transaction_session_timeout = 0')
    await runOutside(open, file)
  } else {
    await run(client, file)
  }
  await client.query(
    'insert into schema_migrations (name, checksum, works_beside) values ($1, $2, $3)',
    [file.name, file.checksum, file.worksBeside],
  )
}

// Applies one file of functions and records it.
async function applyFunction(client: pg.ClientBase, file: SchemaFile): Promise<void> {
  await run(client, file)
  await client.query(
    `insert into schema_functions (name, checksum) values ($1, $2)
     on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
    [file.name, file.checksum],
  )
}

// Runs a file in the current transaction. A failure names the file and the line.
async function run(client: pg.ClientBase, file: Pick<SchemaFile, 'path' | 'text'>): Promise<void> {
  try {
    await client.query(file.text)
    await client.query('set constraints all immediate') // Otherwise the commit fails without naming the file.
  } catch (cause) {
    const { message, position } = cause as { message: string; position?: string }
    const line = position && ` at line ${file.text.slice(0, Number(position)).split('\n').length}`
    throw new MigrationProblem(
      `${file.path} failed${line ?? ''} and nothing of it was kept. PostgreSQL says: ${message}`,
      { cause },
    )
  }
}

// Runs the file statement by statement on another connection, while ours holds the lock. A semicolon at the
// end of a line ends a statement. After an interruption the file runs again from its start, so a file must
// first drop the objects that it creates.
async function runOutside(open: Connection['open'], file: SchemaFile): Promise<void> {
  const { client, close } = await open()
  try {
    for (const statement of file.text.split(/;\s*$/m)) await client.query(statement)
  } catch (cause) {
    const { message } = cause as Error
    throw new MigrationProblem(`${file.path} failed; start again. PostgreSQL says: ${message}`, {
      cause,
    })
  } finally {
    await close()
  }
}

// Opens a connection to the pool or URL.
async function connect(target: pg.Pool | string): Promise<Connection> {
  const open = () => connect(target)
  if (typeof target !== 'string') {
    const client = await target.connect()
    client.on('error', ignoreLoss)
    return { client, open, close: async () => client.release(true) }
  }
  const Client = clientClassFor(target)
  const client = new Client({ connectionString: target, application_name: 'manilla migrate' })
  client.on('error', ignoreLoss)
  await client.connect()
  return { client, open, close: () => client.end() }
}

// Handles a client's 'error' event, which would otherwise end the process. The query that used the connection
// fails too, so the error is not lost.
function ignoreLoss(): void {}

const EVENT_DAYS = 90
const IDEMPOTENCY_KEY_DAYS = 2 // Callers are promised at least 24 hours.

// Creates upcoming partitions of events, idempotency keys and similar tables, and drops expired ones. Returns
// what it did, one line for each partition.
export async function maintainPartitions(db: Queryable, now: Date): Promise<string[]> {
  const { rows } = await db.query<{ did: string }>(
    'select maintain_partitions($1, $2, $3) as did',
    [now, EVENT_DAYS, IDEMPOTENCY_KEY_DAYS],
  )
  return rows.map((row) => row.did)
}

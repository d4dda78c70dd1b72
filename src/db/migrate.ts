// Brings a database up to date: db/migrations in order, each once and in its own transaction, then
// every db/functions file that changed, with the last migration. Forward only: history that differs
// from the files is refused, never repaired. Any number of processes, of this release and of those that
// it works beside, may start at once: each step is taken under a lock, by whoever comes first.

import type pg from 'pg'
import { loadFiles, readApplied } from './applied-schema.ts'
import { clientOf } from './hosted-client.ts'
import {
  type FileLocations,
  MigrationProblem,
  planMigration,
  type SchemaFile,
  type SchemaFiles,
} from './migration-files.ts'
import { BEGIN, inMigrationLock, type OnWait } from './migration-lock.ts'

export { isMigrated } from './applied-schema.ts'
export { MigrationProblem } from './migration-files.ts'

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
  open: () => Promise<Connection> // Another one to the same database.
  close: () => Promise<void>
}

// Answers what was applied now, as 'migrations/0001_noun.sql' and 'functions/name.sql', in order.
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

// Without the lock: a start that finds nothing to do waits for nobody.
async function hasWork(client: pg.ClientBase, files: SchemaFiles): Promise<boolean> {
  await client.query(BEGIN)
  try {
    if (!(await hasRecords(client))) return true
    const { pending, functions, forgotten } = planMigration(files, await readApplied(client))
    return pending.length + functions.length + forgotten.length > 0
  } finally {
    await client.query('rollback').catch(() => {}) // The query that lost the connection tells.
  }
}

async function hasRecords(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_attribute
                     where attrelid = to_regclass('schema_migrations')
                       and attname = 'works_beside')`,
  )
  return rows[0]?.exists === true
}

// The records alone, the next migration, or functions. Functions come in the transaction of the last
// migration, so that nobody ever calls a mixture of old and new ones, and none is missing in between.
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
  // Forgotten rather than dropped: only a migration drops, and the file may come back.
  await client.query('delete from schema_functions where name = any ($1)', [forgotten])
  return [...pending, ...functions].map(({ path }) => path)
}

async function applyMigration({ client, open }: Connection, file: SchemaFile): Promise<void> {
  if (file.isOutsideTransaction) {
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

async function applyFunction(client: pg.ClientBase, file: SchemaFile): Promise<void> {
  await run(client, file)
  await client.query(
    `insert into schema_functions (name, checksum) values ($1, $2)
     on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
    [file.name, file.checksum],
  )
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

// Statement by statement on another connection, while ours holds the lock. Whoever is interrupted
// begins again: such a file first drops what it makes.
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

async function connect(target: pg.Pool | string): Promise<Connection> {
  const open = () => connect(target)
  if (typeof target !== 'string') {
    const client = await target.connect()
    client.on('error', ignoreLoss)
    return { client, open, close: async () => client.release(true) }
  }
  const Client = clientOf(target)
  const client = new Client({ connectionString: target, application_name: 'manilla migrate' })
  client.on('error', ignoreLoss)
  await client.connect()
  return { client, open, close: () => client.end() }
}

// The query that needed the connection fails too; unheard, this event would end the process.
function ignoreLoss(): void {}

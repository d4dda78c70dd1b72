// Creates a database as the last version before the baseline migration left it. The fixture
// test/upgrade/before-baseline.json.br has the migrations and functions of that version, and the rows of two
// merchants' month of trade.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { migrate } from '#db/migrate.ts'
import { createEmptyDatabase } from './database.ts'
import { createTempFolder } from './temp-folder.ts'

const FIXTURE_PATH = join(import.meta.dirname, '../upgrade/before-baseline.json.br')

type Fixture = {
  at: string // The time at which the rows were written.
  files: Record<string, string> // By path: db/migrations/…, db/functions/….
  rows: Record<string, string[]> // By table, each as PostgreSQL writes a row.
  sequences: Record<string, string>
}

const fixture: Fixture = JSON.parse(
  brotliDecompressSync(readFileSync(FIXTURE_PATH)).toString('utf8'),
)

// The time at which the fixture's rows were written.
export const KEPT_AT = new Date(fixture.at)

// Connects for one query only, because the upgrade refuses to start while another session is connected.
export async function queryOnce<T extends object>(
  connectionString: string,
  sql: string,
): Promise<T[]> {
  const client = new pg.Client(connectionString)
  await client.connect()
  try {
    return (await client.query(sql)).rows ?? []
  } finally {
    await client.end()
  }
}

// Creates the fixture's database. With `until`, applies only the migrations before that number, and writes no
// rows. The default 9999 is greater than every number.
export async function createDatabaseBeforeBaseline(until = '9999') {
  using folder = createTempFolder()
  for (const [path, text] of Object.entries(fixture.files)) {
    if (path > `db/migrations/${until}`) continue
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  const database = await createEmptyDatabase()
  const locations = {
    migrationsDir: join(folder.path, 'db/migrations'),
    functionsDir: join(folder.path, 'db/functions'),
  }
  await migrate(database.connectionString, locations)
  if (until === '9999') await insertFixtureRows(database.connectionString)
  return database
}

// Writes the fixture's rows and sequences without triggers and foreign keys (session_replication_role).
async function insertFixtureRows(connectionString: string): Promise<void> {
  const client = new pg.Client(connectionString)
  await client.connect()
  try {
    await client.query(`select maintain_partitions($1, 90, 2)`, [fixture.at])
    await client.query('begin; set local session_replication_role = replica')
    for (const [table, rows] of Object.entries(fixture.rows)) {
      const { rows: columns } = await client.query<{ list: string }>(
        `select string_agg(quote_ident(attname), ', ' order by attnum) as list from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      )
      const list = columns[0]?.list
      await client.query(`delete from ${table}`) // Some migrations write rows that the fixture has too.
      await client.query(
        `insert into ${table} (${list}) overriding system value
         select ${list} from unnest($1::text[]::${table}[])`,
        [rows],
      )
    }
    for (const [name, value] of Object.entries(fixture.sequences)) {
      await client.query('select setval($1::regclass, $2)', [name, value])
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

// A real, private database for each test, cloned from the migrated template. `npm test` starts the
// server once for all files and hands its address over; a file run alone starts its own.

import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'
import { createBatchPool, createPool } from '#db/pool.ts'
import { closeAfterTests } from './closing.ts' // First: its hook must run before ours.
import { BUSY_FACTOR } from './patience.ts'
import { PARTITIONED, startTestServer, TEMPLATE } from './server.ts'

const PREPARED = 'manilla_prepared'
const PREPARING_LOCK = 7_246_154
const OBJECT_IN_USE = '55006'
const ATTEMPTS_MAX = 5

let ownServer: ReturnType<typeof startTestServer> | undefined
let openAdmin: Promise<pg.Client> | undefined
let hasPrepared: Promise<void> | undefined

after(async () => (await ownServer)?.stop())

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>

export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(TEMPLATE)
}

export function createPartitionedDatabase(): Promise<TestDatabase> {
  return createDatabase(PARTITIONED)
}

// Like the database of an already started service; the first test that needs it prepares it for all
// files.
export async function createPreparedDatabase(
  prepare: (connectionString: string) => Promise<void>,
): Promise<TestDatabase> {
  hasPrepared ??= makePrepared(prepare)
  await hasPrepared
  return createDatabase(PREPARED)
}

async function makePrepared(prepare: (connectionString: string) => Promise<void>): Promise<void> {
  const client = await connectAdmin()
  try {
    await client.query('select pg_advisory_lock($1)', [PREPARING_LOCK])
    const made = await client.query(
      'select from pg_database where datname = $1 and datistemplate',
      [PREPARED],
    )
    if (made.rows.length > 0) return
    await client.query(`drop database if exists ${PREPARED}`) // A failed preparation left it.
    await clone(client, PREPARED, PARTITIONED)
    await prepare(await urlOf(PREPARED))
    await client.query(`alter database ${PREPARED} with allow_connections false is_template true`)
  } finally {
    await client.end()
  }
}

// With the settings of workers and writers.
export function patientBatchPool(connectionString: string, max: number) {
  return createBatchPool({ connectionString, max, patience: BUSY_FACTOR, onIdleError: () => {} })
}

// Without any table of ours, for tests of migrations.
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0')
}

async function createDatabase(template: string) {
  const name = `manilla_${randomBytes(6).toString('hex')}`
  await clone(await getAdmin(), name, template)
  const connectionString = await urlOf(name)
  const pool = createPool({
    connectionString,
    max: 10,
    patience: BUSY_FACTOR,
    onIdleError: () => {}, // Dropping the database cuts closing connections.
  })

  return {
    pool,
    connectionString,
    async [Symbol.asyncDispose]() {
      await pool.end()
      const admin = await getAdmin()
      await unlessInUse(() => admin.query(`drop database ${name} with (force)`))
    },
  }
}

// Copies files instead of logging every page: 11 ms against 16 with the server in memory, no clear
// difference on disk.
function clone(admin: pg.Client, name: string, template: string): Promise<void> {
  const sql = `create database ${name} template ${template} strategy file_copy`
  return unlessInUse(() => admin.query(sql))
}

// PostgreSQL waits some seconds for other sessions to leave a database; a busy machine needs another try.
async function unlessInUse(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      const busy = (error as { code?: string }).code === OBJECT_IN_USE
      if (!busy || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

// One connection for all databases of a file: a connection costs half as much as a clone.
function getAdmin(): Promise<pg.Client> {
  openAdmin ??= shareAdmin()
  return openAdmin
}

async function shareAdmin(): Promise<pg.Client> {
  const admin = await connectAdmin()
  const forget = () => {
    openAdmin = undefined
  }
  admin.on('error', forget)
  closeAfterTests({
    async [Symbol.asyncDispose]() {
      forget()
      await admin.end()
    },
  })
  return admin
}

async function connectAdmin(): Promise<pg.Client> {
  const admin = new pg.Client(await urlOf('postgres'))
  await admin.connect()
  return admin
}

async function urlOf(database: string): Promise<string> {
  const url = process.env.TEST_DATABASE_URL ?? (await startOwnServer()).templateUrl
  return url.replace(TEMPLATE, database)
}

function startOwnServer() {
  ownServer ??= startTestServer()
  return ownServer
}

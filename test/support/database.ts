// A real, private database for each test, cloned from the migrated template. `npm test` starts one database
// server for all files and passes its address in TEST_DATABASE_URL. A test file that runs alone starts its
// own server.

import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'
import { createBatchPool, createPool } from '#db/pool.ts'
import { closeAfterTests } from './closing.ts' // First: its hook must run before ours.
import { BUSY_FACTOR } from './patience.ts'
import { PARTITIONED, startTestServer, TEMPLATE } from './server.ts'

const PREPARING_LOCK = 7_246_154
const OBJECT_IN_USE = '55006'
const ATTEMPTS_MAX = 5

let ownServer: ReturnType<typeof startTestServer> | undefined
let openAdmin: Promise<pg.Client> | undefined
const preparations = new Map<string, Promise<void>>() // By the template's name.

after(async () => (await ownServer)?.stop())

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>

export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(TEMPLATE)
}

export function createPartitionedDatabase(): Promise<TestDatabase> {
  return createDatabase(PARTITIONED)
}

type Prepare = (connectionString: string) => Promise<void>

// Clones a database that `prepare` has filled, because filling an empty one takes longer. The first test that
// needs this template makes it, for all files.
export async function createPreparedDatabase(
  template: string,
  prepare: Prepare,
): Promise<TestDatabase> {
  const preparation = preparations.get(template) ?? makePreparedTemplate(template, prepare)
  preparations.set(template, preparation)
  await preparation
  return createDatabase(template)
}

// Creates the prepared template, unless another process has. The lock makes other processes wait.
async function makePreparedTemplate(template: string, prepare: Prepare): Promise<void> {
  const client = await connectAdmin()
  try {
    await client.query('select pg_advisory_lock($1)', [PREPARING_LOCK])
    const existing = await client.query(
      'select from pg_database where datname = $1 and datistemplate',
      [template],
    )
    if (existing.rows.length > 0) return
    await client.query(`drop database if exists ${template}`) // A failed preparation left it.
    await clone(client, template, PARTITIONED)
    await prepare(await urlOf(template))
    await client.query(`alter database ${template} with allow_connections false is_template true`)
  } finally {
    await client.end()
  }
}

// A pool with the settings that workers and batch writers have in production.
export function patientBatchPool(connectionString: string, max: number) {
  return createBatchPool({ connectionString, max, patience: BUSY_FACTOR, onIdleError: () => {} })
}

// Creates a database without any table of the service, for tests of migrations.
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0')
}

// Clones the template. Disposing the result drops the clone.
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
      await retryWhileInUse(() => admin.query(`drop database ${name} with (force)`))
    },
  }
}

// Copies the template's files (strategy file_copy) instead of logging every page. This takes 11 ms instead of
// 16 with the server in memory; on disk there is no clear difference.
function clone(admin: pg.Client, name: string, template: string): Promise<void> {
  const sql = `create database ${name} template ${template} strategy file_copy`
  return retryWhileInUse(() => admin.query(sql))
}

// Retries if other sessions are still connected to the database. PostgreSQL itself waits some seconds for
// them to leave, which is too short on a busy machine.
async function retryWhileInUse(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      const isInUse = (error as { code?: string }).code === OBJECT_IN_USE
      if (!isInUse || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

// One connection creates and drops all databases of a file, because connecting costs half as much as cloning.
function getAdmin(): Promise<pg.Client> {
  openAdmin ??= connectSharedAdmin()
  return openAdmin
}

// Opens the connection that getAdmin() shares, and closes it after the tests of the file.
async function connectSharedAdmin(): Promise<pg.Client> {
  const admin = await connectAdmin()
  // After an error, getAdmin() opens a new connection.
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

// Connects to the database `postgres`, from where other databases are created and dropped.
async function connectAdmin(): Promise<pg.Client> {
  const admin = new pg.Client(await urlOf('postgres'))
  await admin.connect()
  return admin
}

// The connection string of a database of this name, on the server of the test run or of this file.
async function urlOf(database: string): Promise<string> {
  const url = process.env.TEST_DATABASE_URL ?? (await startOwnServer()).templateUrl
  return url.replace(TEMPLATE, database)
}

// Starts the server of a test file that runs alone, when the file first needs it.
function startOwnServer() {
  ownServer ??= startTestServer()
  return ownServer
}

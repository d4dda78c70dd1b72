// A real, private database for each test, cloned from the migrated template. `npm test` starts the
// server once for all files and hands its address over; a file run alone starts its own.

import './closing.ts' // First: its hook must run before the one that stops the server.
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'
import { createPool } from '#db/pool.ts'
import { PARTITIONED, startTestServer, TEMPLATE } from './server.ts'

const OBJECT_IN_USE = '55006'
const ATTEMPTS_MAX = 5

let ownServer: ReturnType<typeof startTestServer> | undefined

after(async () => (await ownServer)?.stop())

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>

export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(TEMPLATE)
}

export function createPartitionedDatabase(): Promise<TestDatabase> {
  return createDatabase(PARTITIONED)
}

// Without a single table of ours, for tests of how they come to be.
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0')
}

async function createDatabase(template: string) {
  const name = `manilla_${randomBytes(6).toString('hex')}`
  await asAdmin((admin) => clone(admin, name, template))
  const connectionString = await urlOf(name)
  const pool = createPool({
    connectionString,
    max: 10,
    onIdleError: () => {}, // Dropping the database cuts connections that are still closing.
  })

  return {
    pool,
    connectionString,
    async [Symbol.asyncDispose]() {
      await pool.end()
      await asAdmin((admin) => admin.query(`drop database ${name} with (force)`))
    },
  }
}

// Copying files rather than logging every page: 11 ms against 16 with the server in memory, no clear
// difference on disk. PostgreSQL itself waits some seconds for a busy template.
async function clone(admin: pg.Client, name: string, template: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.query(`create database ${name} template ${template} strategy file_copy`)
      return
    } catch (error) {
      const busy = (error as { code?: string }).code === OBJECT_IN_USE
      if (!busy || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

async function asAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client(await urlOf('postgres'))
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

async function urlOf(database: string): Promise<string> {
  const url = process.env.TEST_DATABASE_URL ?? (await startOwnServer()).templateUrl
  return url.replace(TEMPLATE, database)
}

function startOwnServer() {
  ownServer ??= startTestServer()
  return ownServer
}

// Starts the PostgreSQL server for a run of tests, with migrated templates that each test clones. A finished
// template accepts no connections, because PostgreSQL clones only databases without sessions.

import { access, chmod, constants, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { maintainPartitions, migrate } from '#db/migrate.ts'
import { startEmbedded } from '#embedded/embedded.ts'
import { START } from './settings.ts'

export const TEMPLATE = 'manilla_template'
// A template that also has the partitions of tables, which a starting service would create in 50 ms.
export const PARTITIONED = 'manilla_partitioned'

// The data need not survive the run, so the server never waits for a disk. The write-ahead log stays small
// because it may be in memory. Tests of durability start their own server.
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_compression: 'off',
  max_wal_size: '256MB',
  min_wal_size: '64MB',
  max_connections: '300',
  // No standby follows this server, and its databases live for seconds.
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
}

// Makes the C library overwrite freed memory, so that PostgreSQL fails reliably if it uses the memory again
// (docs/decisions/0023).
export const FILL_FREED = { MALLOC_PERTURB_: '165' }

// Databases are cloned faster in memory: a clone is some 1,000 new files. When it had 400, it took a median
// of 11 ms in memory, and 20 to 270 ms on a shared ext4 disk.
const MEMORY_FOLDER = '/dev/shm'
const MEMORY_FREE_MIN = 4 * 1024 ** 3

// Starts the server. `folder` has its data, and may be used for other files of the run.
export async function startTestServer() {
  const folder = await mkdtemp(join(await chooseParent(), 'manilla-test-'))
  await chmod(folder, 0o755) // If the tests run as root, the server runs as another user.
  try {
    const server = await startEmbedded({
      dataDir: join(folder, 'data'),
      settings: SETTINGS,
      env: FILL_FREED,
    })
    const stop = async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
    try {
      await makeTemplates(server)
    } catch (error) {
      await stop()
      throw error
    }
    return { folder, templateUrl: server.databaseUrl(TEMPLATE), stop }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

// The folder for the server's data: in memory if there is enough, else the temp folder.
export async function chooseParent(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = await statfs(MEMORY_FOLDER)
    return bavail * bsize >= MEMORY_FREE_MIN ? MEMORY_FOLDER : tmpdir()
  } catch {
    return tmpdir() // A small container, or not Linux.
  }
}

// Creates both templates, and closes them to connections.
async function makeTemplates(server: { databaseUrl(name: string): string }): Promise<void> {
  const admin = new pg.Client(server.databaseUrl('postgres'))
  await admin.connect()
  try {
    await admin.query(`create database ${TEMPLATE}`)
    await migrateTemplate(server.databaseUrl(TEMPLATE))
    await admin.query(`create database ${PARTITIONED} template ${TEMPLATE}`)
    await makePartitions(server.databaseUrl(PARTITIONED))
    for (const name of [TEMPLATE, PARTITIONED]) {
      await admin.query(`alter database ${name} with allow_connections false is_template true`)
    }
  } finally {
    await admin.end()
  }
}

// Retries, because a machine that freezes for longer than a migration's idle limit ends the migration. The
// next try continues where the last one ended.
async function migrateTemplate(url: string): Promise<void> {
  for (let triesLeft = 2; ; triesLeft--) {
    try {
      await migrate(url)
      return
    } catch (error) {
      if (triesLeft === 0) throw error
    }
  }
}

// Creates the partitions that a service needs at the time of the tests.
async function makePartitions(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await maintainPartitions(client, START)
  } finally {
    await client.end()
  }
}

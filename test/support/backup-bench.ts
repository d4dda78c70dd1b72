// Backups for tests: the operator's commands, and a service on its own embedded database that archives
// its log.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '#clock.ts'
import { createPool } from '#db/pool.ts'
import { archiveFolder, systemIdentifier } from '#embedded/archiving.ts'
import { type EmbeddedServer, startEmbedded } from '#embedded/embedded.ts'
import { operate } from './cli-terminal.ts'
import { query, until } from './embedded-bench.ts'
import { startTestService } from './running-service.ts'

// Empty, because the service reads its secrets from secrets.json in the data directory.
const NO_SECRETS = { MANILLA_TOKEN_SECRETS: '', MANILLA_DATA_KEYS: '', MANILLA_HASH_KEY: '' }

// Runs an operator command of the CLI, for example `backup`, and returns its result.
export async function runCommand(words: readonly string[], env = {}) {
  return (await operate({ env, actor: 'cli:test' }, words)).data
}

// Starts a service on an embedded database that archives its write-ahead log. `env` has the variables that
// the backup commands need.
export async function startArchivedService(folder: string) {
  const [dataDir, backupDir] = [join(folder, 'data'), join(folder, 'backups')]
  const server = await startEmbedded({ dataDir, backupDir })
  const { connectionString } = server
  const pool = createPool({ connectionString, max: 4, onIdleError: () => {} })
  const database = { pool, connectionString, [Symbol.asyncDispose]: () => pool.end() }
  const env = { MANILLA_DATA_DIR: dataDir, ...NO_SECRETS }
  const bench = await startTestService({ database, env })
  const archive = archiveFolder(backupDir, systemIdentifier(join(dataDir, 'postgres')))
  return {
    ...{ dataDir, backupDir, server, bench, archive },
    env: { MANILLA_DATA_DIR: dataDir, MANILLA_BACKUP_DIR: backupDir },
    switchLog: () => switchLog(server, archive),
  }
}

// Ends the current write-ahead log file; resolves when it is in the archive, with its path there.
export async function switchLog(server: EmbeddedServer, archive: string): Promise<string> {
  const path = await currentSegment(server, archive)
  await query(server.connectionString, 'select pg_switch_wal()')
  await until(`${path} is archived`, () => existsSync(path))
  return path
}

// The path that the log file now being written will have in the archive.
export async function currentSegment(server: EmbeddedServer, archive: string): Promise<string> {
  const current = 'select pg_walfile_name(pg_current_wal_insert_lsn())'
  const [[name]] = (await query(server.connectionString, current)) as [[string]]
  return join(archive, `${name}.gz`)
}

// Returns a time after all earlier commits and before all later ones, for a restore to that moment.
export async function markMoment(server: EmbeddedServer): Promise<string> {
  const moment = new Date(systemClock().getTime() + 2)
  await until('it has passed', async () => {
    const isOver = `select clock_timestamp() > '${moment.toISOString()}'::timestamptz`
    return (await query(server.connectionString, isOver)).flat()[0] === true
  })
  return moment.toISOString()
}

// Starts a server on a restored data directory, runs the query, and stops the server.
export async function readRestored(dataDir: string, sql: string): Promise<unknown[]> {
  const server = await startEmbedded({ dataDir })
  try {
    return (await query(server.connectionString, sql)).flat()
  } finally {
    await server.stop()
  }
}

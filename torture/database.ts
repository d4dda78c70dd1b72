// PostgreSQL from the embedded binaries with the service's settings (fsync on), but over TCP and
// under our supervisor, with its WAL on its own volume. Segments are small, so that a full WAL
// volume shows within a second.

import { spawnSync } from 'node:child_process'
import { chownSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { prepareBinaries } from '#embedded/binaries.ts'
import { makePrivateFolder, openDataDirectory, spawnOptions } from '#embedded/data-directory.ts'
import { ownerSettings, serverSettings, settingArguments } from '#embedded/server.ts'
import { freePort } from '../test/support/free-port.ts'
import { FILL_FREED } from '../test/support/server.ts'
import { kill, SupervisedProcess } from './supervised-process.ts'
import type { Volumes } from './volumes.ts'

const READY_MAX_MS = 600_000
const SETTINGS = {
  max_connections: '200',
  min_wal_size: '4MB',
  max_wal_size: '96MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  logging_collector: 'off',
  log_error_verbosity: 'default', // A crash then names its statement, without its parameters.
}

export type Database = Awaited<ReturnType<typeof startDatabase>>

// Starts the server and creates the database `manilla`.
export async function startDatabase(volumes: Volumes, logs: string) {
  const home = openDataDirectory(volumes.data.path)
  const { account, clusterFolder } = home
  const binaries = prepareBinaries({
    ...home,
    resolvePackage: (name) => import.meta.resolve(name),
  })
  const walFolder = join(volumes.wal.path, 'pg_wal')
  makePrivateFolder(clusterFolder, account)
  makePrivateFolder(walFolder, account)
  if (account.uid !== undefined) chownSync(clusterFolder, account.uid, account.gid as number)
  initialize({ initdb: binaries.initdb, clusterFolder, walFolder, account })
  const port = await freePort()
  const settings = {
    ...serverSettings(),
    ...SETTINGS,
    ...ownerSettings(clusterFolder),
    port: `${port}`,
  }
  const server = new SupervisedProcess({
    name: 'postmaster',
    program: binaries.postgres,
    args: ['-D', clusterFolder, ...settingArguments(settings)],
    log: join(logs, 'postgres.log'),
    // FILL_FREED: the C library overwrites freed memory, so that any use of it after that fails.
    spawnOptions: spawnOptions(account, FILL_FREED),
  })
  server.start()
  const processes = () => (server.pid ? [server.pid, ...childrenOf(server.pid, /./)] : [])
  // Kills the server and each of its backends, because a frozen backend would outlive the server.
  const killAll = () => {
    for (const pid of processes()) kill(pid, 'SIGKILL')
  }
  process.on('exit', killAll)
  // Returns the URL of a database. For a connection through a faulty link, `through` is the link's port.
  const url = (name: string, through = port) =>
    `postgres://manilla@127.0.0.1:${through}/${name}?sslmode=disable`
  const database = {
    server,
    port,
    url,
    dataDir: home.dataDir,
    binaries,
    backends: () => childrenOf(server.pid, /^postgres: manilla manilla /),
    processes,
    // Connects directly, without the link.
    query: (text: string) => queryOnce(url('manilla'), text),
    ready: () => untilReady(url('postgres')),
    async [Symbol.asyncDispose]() {
      killAll()
      process.off('exit', killAll)
      await server[Symbol.asyncDispose]()
    },
  }
  await database.ready()
  await queryOnce(url('postgres'), 'create database manilla')
  return database
}

type Initdb = {
  initdb: string
  clusterFolder: string
  walFolder: string
  account: Parameters<typeof spawnOptions>[0]
}

// Runs initdb with segments of 1 MB.
function initialize({ initdb, clusterFolder, walFolder, account }: Initdb): void {
  const args = [
    ...['-D', clusterFolder, '--waldir', walFolder, '--wal-segsize', '1'],
    ...['--username=manilla', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin'],
    ...['--builtin-locale=C.UTF-8', '--data-checksums', '--auth=trust', '--no-instructions'],
  ]
  const { status, stderr } = spawnSync(initdb, args, {
    ...spawnOptions(account),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
}

// Runs one query on a connection of its own, because faults break connections.
async function queryOnce(connectionString: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // Without a listener, a lost connection ends this process.
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end().catch(() => {})
  }
}

// Waits until the server answers a query, which takes a while after a crash.
async function untilReady(connectionString: string): Promise<void> {
  const giveUpAtMs = performance.now() + READY_MAX_MS
  for (;;) {
    try {
      await queryOnce(connectionString, 'select 1')
      return
    } catch (error) {
      if (performance.now() > giveUpAtMs) throw error
      await sleep(50)
    }
  }
}

// Finds the child processes whose title matches, in /proc: PostgreSQL's backends show their user and
// database in the title.
function childrenOf(parent: number | undefined, title: RegExp): number[] {
  if (parent === undefined) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        // After the process's name, in parentheses, come its state and the id of its parent.
        const [, , fields = ''] =
          /^(.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        if (Number(fields.split(' ')[1]) !== parent) return false
        return title.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '))
      } catch {
        return false // The process has ended in the meantime.
      }
    })
    .map(Number)
}

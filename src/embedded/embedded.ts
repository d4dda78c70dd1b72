// Starts and stops the embedded PostgreSQL. It also stops when our process ends.
//
//   first start: initdb in another folder ─▶ rename ─▶ server ─▶ ready
//   later:       does a server run on the cluster? ─▶ refuse (in use) | stop it (orphan) | wait (stopping)
//                ─▶ server ─▶ ready
//
// PostgreSQL's own lock lets exactly one of several concurrent starts on one data folder succeed.

import pg from 'pg'
import { archiveSettings, type BackupDir, chooseBackupDir, rememberBackupDir } from './archiving.ts'
import { prepareBinaries, type ResolvePackage } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import {
  EmbeddedProblem,
  makeSocketFolder,
  openDataDirectory,
  socketFolders,
} from './data-directory.ts'
import { startServer, stopServer } from './server.ts'

export { EmbeddedProblem }

export type EmbeddedServer = {
  connectionString: string
  databaseUrl(name: string): string
  pid: number
  firstStart: boolean
  // Resolves when the server ends, whether or not we stopped it.
  exited: Promise<void>
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  backupDir?: BackupDir
  settings?: Record<string, string>
  env?: Record<string, string> // In addition to the fixed environment.
  readyMaxMs?: number // A restore sets it, because it replays more log than a start after a crash.
  onLog?: (line: string) => void
  resolvePackage?: ResolvePackage // Tests replace it.
}

const DATABASE = 'manilla'
const UNKNOWN_DATABASE = '3D000' // SQLSTATE invalid_catalog_name

// Starts the server and creates the database if there is none. Errors of the file system get a remedy for the
// operator.
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  try {
    return await start(options)
  } catch (error) {
    throw isFromSystem(error) ? unusableProblem(options.dataDir, error) : error
  }
}

// Prepares the programs and the cluster, and starts the server. Stops it again if the database cannot be
// created.
async function start(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { onLog = () => {}, resolvePackage = resolveHere, readyMaxMs, env = {} } = options
  const home = openDataDirectory(options.dataDir)
  const binaries = prepareBinaries({ ...home, resolvePackage })
  await ensureCluster(home, binaries)
  const socket = makeSocketFolder(home)
  const backupDir = chooseBackupDir(home, options.backupDir)
  const settings = { ...archiveSettings(home, backupDir), ...options.settings }
  const server = await startServer({ home, binaries, socket, settings, env, onLog, readyMaxMs })
  rememberBackupDir(home, backupDir)
  const exited = server.exited.then(() => socket.remove())
  const databaseUrl = (name: string) => socketUrl(name, socket.path)

  let stopped: Promise<void> | undefined
  // Stops the server. Several calls share one stop.
  const stop = () => {
    stopped ??= stopServer(server).then(() => exited)
    return stopped
  }
  try {
    const firstStart = await ensureDatabase(databaseUrl)
    const connectionString = databaseUrl(DATABASE)
    return { connectionString, databaseUrl, pid: server.pid, firstStart, exited, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

// Returns the connection string of the server that runs on this directory, or undefined if none runs.
export async function findEmbedded(dataDir: string): Promise<string | undefined> {
  for (const folder of socketFolders(dataDir)) {
    const url = socketUrl(DATABASE, folder)
    const isRunning = await hasDatabase(url).catch((error) => {
      if (isFromSystem(error)) return false // No server listens there.
      throw noAnswerProblem(error as Error)
    })
    if (isRunning) return url
  }
  return undefined
}

function resolveHere(name: string): string {
  return import.meta.resolve(name)
}

// Returns the URL of a database on this socket. Sets port and encryption explicitly, because the driver would
// otherwise read PGPORT and PGSSLMODE.
function socketUrl(database: string, socketFolder: string): string {
  const host = encodeURIComponent(socketFolder)
  const name = encodeURIComponent(database)
  return `postgres://manilla@/${name}?host=${host}&port=5432&sslmode=disable`
}

// Creates the database if there is none. Returns true if it had to be created. Then the cluster is new, even
// if another start created it.
async function ensureDatabase(databaseUrl: (name: string) => string): Promise<boolean> {
  try {
    if (await hasDatabase(databaseUrl(DATABASE))) return false
    await runOn(databaseUrl('postgres'), `create database ${DATABASE}`)
    return true
  } catch (error) {
    throw noAnswerProblem(error as Error)
  }
}

// Returns whether the server has the database. Throws if no server answers.
async function hasDatabase(connectionString: string): Promise<boolean> {
  try {
    await runOn(connectionString, 'select 1')
    return true
  } catch (error) {
    if ((error as pg.DatabaseError).code === UNKNOWN_DATABASE) return false
    throw error
  }
}

async function runOn(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function noAnswerProblem(error: Error): EmbeddedProblem {
  return new EmbeddedProblem(
    `The database server started but does not respond (${error.message}). Check its log, and` +
      ' restore the data directory from a backup if it is damaged.',
    { cause: error },
  )
}

// Returns whether the operating system caused the error, such as a folder without permission.
function isFromSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function unusableProblem(dataDir: string, error: NodeJS.ErrnoException): EmbeddedProblem {
  return new EmbeddedProblem(
    `Cannot use the data directory ${dataDir} (${error.message}). Set MANILLA_DATA_DIR to a` +
      ' writable directory.',
    { cause: error },
  )
}

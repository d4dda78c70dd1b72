// Runs the server on an existing cluster: its settings, its owner, its start (stop an orphan, launch, wait
// until ready) and its stop.

import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import {
  type DataDirectory,
  EmbeddedProblem,
  SOCKET_NAME,
  type SocketFolder,
} from './data-directory.ts'
import { findProcess, folderId, type GuardedProcess, spawnGuarded } from './processes.ts'

// PostgreSQL settings for a small machine, passed as arguments at every start, so that a later
// version can change them without touching the cluster.
//
// No setting trades safety for speed. The log never shows statements or values, which may contain a BVN.

const MB = 1024 * 1024

// Returns the default settings of the server, which the operator may override.
export function serverSettings(): Record<string, string> {
  const memoryMb = Math.floor(usableMemory() / MB)
  const sharedBuffersMb = Math.max(64, Math.min(512, Math.floor(memoryMb / 4)))
  return {
    max_connections: '100',

    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',

    shared_buffers: `${sharedBuffersMb}MB`,
    effective_cache_size: `${Math.max(sharedBuffersMb, Math.floor(memoryMb / 2))}MB`,
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    // Few, long checkpoints, because the first change of a page after a checkpoint logs the whole page.
    checkpoint_timeout: '15min',
    max_wal_size: '4GB',
    min_wal_size: '256MB',
    wal_buffers: '16MB',
    // The npm builds can compress only by pglz, which takes longer for a page than booking a credit takes.
    // After a checkpoint, each credit to one of millions of accounts logs several pages.
    wal_compression: 'off',

    random_page_cost: '1.1',
    jit: 'off',
    // On two cores a parallel report would occupy the core that serves payments.
    max_parallel_workers_per_gather: availableParallelism() > 2 ? '2' : '0',

    // Queue-like tables contain mostly dead rows: vacuum early and fast.
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.1',
    autovacuum_analyze_scale_factor: '0.05',
    autovacuum_vacuum_cost_limit: '1000',

    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  }
}

// Settings that this folder relies on and that the operator cannot override: the socket as the only access,
// and a log that we can read.
export function fixedSettings(socketFolder: string): Record<string, string> {
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    lc_messages: 'C',
    logging_collector: 'off',
    log_destination: 'stderr',
  }
}

export function settingArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

// Returns the memory that the server may use. A container may have less than the machine. constrainedMemory()
// returns 0 if the limit is unknown.
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

// The owner of a cluster is the server that runs on it. A server that Manilla started has the directory and
// the PID of its parent in its arguments, so no file needs to store them, which could become outdated. A
// server whose parent is no longer that process is an orphan.
//
//   no owner ─▶ start   owned ─▶ refuse   orphaned ─▶ stop it   stopping ─▶ wait

type ClusterOwner = {
  pid: number // The PID of the server.
  ownerPid: number | undefined // The PID of the Manilla process that started it, if it is known.
  state: 'owned' | 'orphaned' | 'stopping'
}

const OWNER = 'manilla.owner='
const CLUSTER = 'manilla.cluster='

// Settings that mark the server as ours (see findOwner). PostgreSQL ignores them: it accepts any setting
// whose name has a prefix.
export function ownerSettings(clusterFolder: string): Record<string, string> {
  return { 'manilla.owner': `${process.pid}`, 'manilla.cluster': folderId(clusterFolder) }
}

// Finds the server that runs on the cluster, if any. Also removes lock files whose PID now belongs to an
// unrelated process, because PostgreSQL would refuse to start while that process runs.
async function findOwner({
  clusterFolder,
  socketFolder,
}: {
  clusterFolder: string
  socketFolder: string
}): Promise<ClusterOwner | undefined> {
  const lockFile = join(clusterFolder, 'postmaster.pid')
  const lock = readLock(lockFile)
  if (!lock) return undefined
  const holder = ownerOf(lock, clusterFolder)
  if (holder) return holder
  // A server in another container is not visible among our processes, but its socket accepts connections.
  if (await acceptsConnections(join(socketFolder, SOCKET_NAME))) {
    return { pid: lock.pid, ownerPid: undefined, state: 'owned' }
  }
  removeStale(lockFile, clusterFolder)
  removeStale(join(socketFolder, `${SOCKET_NAME}.lock`), clusterFolder)
  return undefined
}

// A lock file of PostgreSQL: the PID is its first line, the status its eighth.
type Lock = { pid: number; status: string; text: string }

// Reads a lock file, whose first line is the PID and whose eighth is the status. Returns undefined if the
// file is missing or has no PID.
function readLock(path: string): Lock | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    const lines = text.split('\n')
    const pid = Number(lines[0])
    return pid > 0 ? { pid, status: lines[7]?.trim() ?? '', text } : undefined
  } catch {
    return undefined
  }
}

// Returns the status in the lock file of the server with this PID, or ''.
function serverStatus(clusterFolder: string, pid: number): string {
  const lock = readLock(join(clusterFolder, 'postmaster.pid'))
  return lock?.pid === pid ? lock.status : ''
}

// Returns the owner if the process with the PID of the lock file is a server on this cluster. The arguments
// of a server that Manilla started name the cluster (CLUSTER) and the process that started it (OWNER).
function ownerOf({ pid, status }: Lock, clusterFolder: string): ClusterOwner | undefined {
  const lockProcess = findProcess(pid)
  if (!lockProcess) return undefined
  const cluster = lockProcess.args.find((arg) => arg.startsWith(CLUSTER))?.slice(CLUSTER.length)
  const owner = lockProcess.args.find((arg) => arg.startsWith(OWNER))?.slice(OWNER.length)
  if (cluster === undefined || owner === undefined) {
    // An operator may have started this server by hand on our directory. In doubt, it is treated as owned.
    const isServer = basename(lockProcess.args[0] ?? '') === 'postgres'
    const isElsewhere =
      lockProcess.folder !== undefined && lockProcess.folder !== folderId(clusterFolder)
    return isServer && !isElsewhere ? { pid, ownerPid: undefined, state: 'owned' } : undefined
  }
  if (cluster !== folderId(clusterFolder)) return undefined
  const ownerPid = Number(owner)
  if (lockProcess.parentPid !== ownerPid) return { pid, ownerPid, state: 'orphaned' }
  return { pid, ownerPid, state: status === 'stopping' ? 'stopping' : 'owned' }
}

function acceptsConnections(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const finish = (isAnswering: boolean) => {
      socket.destroy()
      resolve(isAnswering)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}

// Removes a lock file whose PID belongs to an unrelated process. Leaves the lock of a dead process to
// PostgreSQL, which replaces it safely. Moves the file before the last check, so that a server that starts at
// this moment gets its own lock back.
function removeStale(path: string, clusterFolder: string): void {
  const lock = readLock(path)
  if (!lock || !findProcess(lock.pid) || ownerOf(lock, clusterFolder)) return
  const aside = `${path}.stale-${process.pid}`
  try {
    renameSync(path, aside)
    if (readLock(aside)?.text !== lock.text) linkSync(aside, path)
    rmSync(aside, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

type Options = {
  home: DataDirectory
  binaries: Binaries
  socket: SocketFolder
  settings: Record<string, string>
  env: Record<string, string>
  onLog: (line: string) => void
  readyMaxMs?: number | undefined
}

const POLL_MS = 15
const HANDOVER_MAX_MS = 45_000 // Longer than the time after which a fast stop is forced.
const READY_MAX_MS = 600_000 // Time to replay 4 GB of log after a crash, on a slow disk.
const FAST_STOP_MAX_MS = 30_000

// PostgreSQL's messages if another server still uses the folder. It may have started after our check; then we
// check again.
const CONTENDED = /lock file ".*" (already exists|is empty)|is still in use|already in use/

// Starts the server and waits until it is ready. Starts again if another server was in the way, for up to
// HANDOVER_MAX_MS.
export async function startServer(options: Options): Promise<GuardedProcess> {
  const giveUpAtMs = performance.now() + HANDOVER_MAX_MS
  for (;;) {
    await waitForFreeCluster(options, giveUpAtMs)
    const server = await launch(options)
    if (await isReady(server, options)) return server
    const lines = server.lastLines()
    const isContended = lines.some((line) => CONTENDED.test(line))
    if (!isContended || performance.now() > giveUpAtMs)
      throw startFailedProblem(options.home, lines)
    await sleep(POLL_MS)
  }
}

// Stops the server. SIGINT is PostgreSQL's fast stop, which does not wait for clients. If that takes too
// long, SIGQUIT stops the server at once, and its next start recovers from the log.
export async function stopServer(server: GuardedProcess): Promise<void> {
  server.signal('SIGINT')
  const force = setTimeout(() => server.signal('SIGQUIT'), FAST_STOP_MAX_MS)
  await server.exited
  clearTimeout(force)
}

// Waits until no server runs on the cluster, and stops an orphan: first fast (SIGINT), then at once
// (SIGQUIT). Fails if the server belongs to a running process.
async function waitForFreeCluster({ home, socket }: Options, giveUpAtMs: number): Promise<void> {
  const place = { clusterFolder: home.clusterFolder, socketFolder: socket.path }
  const forceAtMs = performance.now() + FAST_STOP_MAX_MS
  let signalled: NodeJS.Signals | undefined
  for (;;) {
    const holder = await findOwner(place)
    if (!holder) return
    if (holder.state === 'owned') throw inUseProblem(home, holder)
    if (performance.now() > giveUpAtMs) throw stillStoppingProblem(home, holder)
    const signal = performance.now() > forceAtMs ? 'SIGQUIT' : 'SIGINT'
    if (holder.state === 'orphaned' && signalled !== signal) {
      signalled = signal
      sendSignal(holder.pid, signal)
    }
    await sleep(POLL_MS)
  }
}

// Sends a signal to an orphaned server.
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}

// Starts the program. Later settings override earlier ones, so the operator cannot override the fixed ones.
function launch({
  home,
  binaries,
  socket,
  settings,
  env,
  onLog,
}: Options): Promise<GuardedProcess> {
  const allSettings = {
    ...serverSettings(),
    ...settings,
    ...fixedSettings(socket.forServer),
    ...ownerSettings(home.clusterFolder),
  }
  return spawnGuarded({
    program: binaries.postgres,
    folder: home.clusterFolder,
    args: (folder) => ['-D', folder, ...settingArguments(allSettings)],
    account: home.account,
    byDescriptor: home.byDescriptor,
    env,
    onLog,
  })
}

// Waits for the server. Resolves to true when it is ready, or to false if it ended instead.
async function isReady(
  server: GuardedProcess,
  { home: { clusterFolder }, readyMaxMs = READY_MAX_MS }: Options,
): Promise<boolean> {
  let hasEnded = false
  void server.exited.then(() => {
    hasEnded = true
  })
  const giveUpAtMs = performance.now() + readyMaxMs
  while (!hasEnded) {
    if (serverStatus(clusterFolder, server.pid) === 'ready') return true
    if (performance.now() > giveUpAtMs) {
      await stopServer(server)
      return false
    }
    await sleep(POLL_MS)
  }
  return false
}

function inUseProblem(
  { dataDir }: DataDirectory,
  { pid, ownerPid }: ClusterOwner,
): EmbeddedProblem {
  const processNames =
    ownerPid === undefined ? `process ${pid}` : `process ${ownerPid}, server ${pid}`
  return new EmbeddedProblem(
    `The data directory ${dataDir} is already in use (${processNames}). Stop that process first, or set` +
      ' MANILLA_DATA_DIR to another directory.',
  )
}

function stillStoppingProblem({ dataDir }: DataDirectory, { pid }: ClusterOwner): EmbeddedProblem {
  return new EmbeddedProblem(
    `The previous database server on ${dataDir} (process ${pid}) is still shutting down. Retry` +
      ' in a minute.',
  )
}

function startFailedProblem({ clusterFolder }: DataDirectory, lines: string[]): EmbeddedProblem {
  const words = lines.slice(-5).join(' | ') || 'no output'
  return new EmbeddedProblem(`PostgreSQL failed to start in ${clusterFolder}: ${words}`)
}

// Starts a server on an existing cluster: stops an orphan, launches, waits until ready. Also stops it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { type ClusterOwner, findOwner, ownerSettings, serverStatus } from './cluster-owner.ts'
import type { DataDirectory, SocketFolder } from './data-directory.ts'
import { EmbeddedProblem } from './embedded-problem.ts'
import { type GuardedProcess, spawnGuarded } from './guard.ts'
import { fixedSettings, serverSettings, settingArguments } from './settings.ts'

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
const HANDOVER_MAX_MS = 45_000 // Longer than a fast stop takes before it is forced.
const READY_MAX_MS = 600_000 // Replaying 4 GB of log after a crash, on a slow disk.
const FAST_STOP_MAX_MS = 30_000

// PostgreSQL's messages when another server uses, or has not quite left, the folder. Another server
// may have started after our check; then we check again.
const CONTENDED = /lock file ".*" (already exists|is empty)|is still in use|already in use/

export async function startServer(options: Options): Promise<GuardedProcess> {
  const giveUpAtMs = performance.now() + HANDOVER_MAX_MS
  for (;;) {
    await clearTheWay(options, giveUpAtMs)
    const server = await launch(options)
    if (await isReady(server, options)) return server
    const lines = server.lastLines()
    const isContended = lines.some((line) => CONTENDED.test(line))
    if (!isContended || performance.now() > giveUpAtMs) throw failed(options.home, lines)
    await sleep(POLL_MS)
  }
}

export async function stopServer(server: GuardedProcess): Promise<void> {
  server.signal('SIGINT')
  const force = setTimeout(() => server.signal('SIGQUIT'), FAST_STOP_MAX_MS)
  await server.exited
  clearTimeout(force)
}

async function clearTheWay({ home, socket }: Options, giveUpAtMs: number): Promise<void> {
  const place = { clusterFolder: home.clusterFolder, socketFolder: socket.path }
  const forceAtMs = performance.now() + FAST_STOP_MAX_MS
  let signalled: NodeJS.Signals | undefined
  for (;;) {
    const holder = await findOwner(place)
    if (!holder) return
    if (holder.state === 'owned') throw inUse(home, holder)
    if (performance.now() > giveUpAtMs) throw stillStopping(home, holder)
    const signal = performance.now() > forceAtMs ? 'SIGQUIT' : 'SIGINT'
    if (holder.state === 'orphaned' && signalled !== signal) {
      signalled = signal
      sendSignal(holder.pid, signal)
    }
    await sleep(POLL_MS)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

function launch({
  home,
  binaries,
  socket,
  settings,
  env,
  onLog,
}: Options): Promise<GuardedProcess> {
  const all = {
    ...serverSettings(),
    ...settings,
    ...fixedSettings(socket.forServer),
    ...ownerSettings(home.clusterFolder),
  }
  return spawnGuarded({
    program: binaries.postgres,
    folder: home.clusterFolder,
    args: (folder) => ['-D', folder, ...settingArguments(all)],
    account: home.account,
    byDescriptor: home.byDescriptor,
    env,
    onLog,
  })
}

// False if the server ended instead.
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

function inUse({ dataDir }: DataDirectory, { pid, ownerPid }: ClusterOwner): EmbeddedProblem {
  const who = ownerPid === undefined ? `process ${pid}` : `process ${ownerPid}, server ${pid}`
  return new EmbeddedProblem(
    `The data directory ${dataDir} is already in use (${who}). Stop that process first, or set` +
      ' MANILLA_DATA_DIR to another directory.',
  )
}

function stillStopping({ dataDir }: DataDirectory, { pid }: ClusterOwner): EmbeddedProblem {
  return new EmbeddedProblem(
    `The previous database server on ${dataDir} (process ${pid}) is still shutting down. Retry` +
      ' in a minute.',
  )
}

function failed({ clusterFolder }: DataDirectory, lines: string[]): EmbeddedProblem {
  const words = lines.slice(-5).join(' | ') || 'no output'
  return new EmbeddedProblem(`PostgreSQL failed to start in ${clusterFolder}: ${words}`)
}

// Finds the owner of the cluster. A server started by us has its directory and its owner’s PID in
// its arguments, so that no stored state can go stale: a server whose parent is not that process is
// an orphan.
//
//   no owner ─▶ start   owned ─▶ refuse   orphaned ─▶ stop it   stopping ─▶ wait

import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { SOCKET_NAME } from './data-directory.ts'
import { findProcess, folderId } from './processes.ts'

export type ClusterOwner = {
  pid: number
  ownerPid: number | undefined
  state: 'owned' | 'orphaned' | 'stopping'
}

type Place = { clusterFolder: string; socketFolder: string }

const OWNER = 'manilla.owner='
const CLUSTER = 'manilla.cluster='

// Custom settings, which PostgreSQL accepts unchecked.
export function ownerSettings(clusterFolder: string): Record<string, string> {
  return { 'manilla.owner': `${process.pid}`, 'manilla.cluster': folderId(clusterFolder) }
}

// Also removes lock files whose PID now belongs to an unrelated process, because PostgreSQL would
// refuse to start while that process runs.
export async function findOwner({
  clusterFolder,
  socketFolder,
}: Place): Promise<ClusterOwner | undefined> {
  const lockFile = join(clusterFolder, 'postmaster.pid')
  const lock = readLock(lockFile)
  if (!lock) return undefined
  const holder = ownerOf(lock, clusterFolder)
  if (holder) return holder
  // A server in another container is not among our processes, but its socket accepts connections.
  if (await answers(join(socketFolder, SOCKET_NAME))) {
    return { pid: lock.pid, ownerPid: undefined, state: 'owned' }
  }
  removeStale(lockFile, clusterFolder)
  removeStale(join(socketFolder, `${SOCKET_NAME}.lock`), clusterFolder)
  return undefined
}

type Lock = { pid: number; status: string; text: string }

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

// The status in the lock file of the server with this PID, or ''.
export function serverStatus(clusterFolder: string, pid: number): string {
  const lock = readLock(join(clusterFolder, 'postmaster.pid'))
  return lock?.pid === pid ? lock.status : ''
}

function ownerOf({ pid, status }: Lock, clusterFolder: string): ClusterOwner | undefined {
  const found = findProcess(pid)
  if (!found) return undefined
  const cluster = found.args.find((arg) => arg.startsWith(CLUSTER))?.slice(CLUSTER.length)
  const owner = found.args.find((arg) => arg.startsWith(OWNER))?.slice(OWNER.length)
  if (cluster === undefined || owner === undefined) {
    // Possibly a server started by hand on our directory; if in doubt, treat it as owned.
    const isServer = basename(found.args[0] ?? '') === 'postgres'
    const elsewhere = found.folder !== undefined && found.folder !== folderId(clusterFolder)
    return isServer && !elsewhere ? { pid, ownerPid: undefined, state: 'owned' } : undefined
  }
  if (cluster !== folderId(clusterFolder)) return undefined
  const ownerPid = Number(owner)
  if (found.parentPid !== ownerPid) return { pid, ownerPid, state: 'orphaned' }
  return { pid, ownerPid, state: status === 'stopping' ? 'stopping' : 'owned' }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const settle = (isAnswering: boolean) => {
      socket.destroy()
      resolve(isAnswering)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}

// Leaves the lock of a dead process to PostgreSQL, which replaces it safely. Moves the file before
// the last check, so that a server that starts at this moment gets its own lock back.
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

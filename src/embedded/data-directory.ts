// Finds the places of an embedded server: its data folder, its cluster, its socket, and the user it runs as.
//
//   <data folder>/postgres           the cluster, which only the server's user can enter
//   <data folder>/postgres/socket    its socket, unless that path is too long for one

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

// A problem of the embedded server. The message has a remedy for the operator.
export class EmbeddedProblem extends Error {
  override name = 'EmbeddedProblem'
}

// The user that the server runs as. PostgreSQL refuses root, so if we are root, the server runs as the owner
// of the cluster, or else as the system user `nobody`. Otherwise it runs as our own user, and the ids are
// undefined.
export type ServerUser = { uid: number | undefined; gid: number | undefined }

const NOBODY = 65534

// The complete environment of the server. Variables of our own environment, such as PGPORT, PGDATA and
// LD_LIBRARY_PATH, must not leak into it.
const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }

// Decides as which user the server of this cluster runs: as our own user or, because PostgreSQL refuses root,
// as the owner of the cluster if we are root. If root owns the cluster or there is none, as `nobody`.
function serverUserFor(clusterFolder: string): ServerUser {
  const owner = statSync(clusterFolder, { throwIfNoEntry: false })
  const ownUid = process.getuid?.()
  if (ownUid !== 0) {
    if (owner && owner.uid !== ownUid) throw foreignCluster(clusterFolder, owner.uid)
    return { uid: undefined, gid: undefined }
  }
  if (process.platform === 'darwin') {
    throw new EmbeddedProblem(
      'The embedded PostgreSQL cannot run as root on macOS. Start Manilla as a regular user.',
    )
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return { uid: NOBODY, gid: NOBODY }
}

// Returns options to run a program as the server's user. The working directory is `/`, because that user may
// not be able to enter ours.
export function spawnOptions({ uid, gid }: ServerUser, env: Record<string, string> = {}) {
  const ids = uid === undefined || gid === undefined ? {} : { uid, gid }
  return { ...ids, cwd: '/', env: { ...ENVIRONMENT, ...env } }
}

// Creates a folder that only the server's user can enter.
export function makePrivateFolder(path: string, { uid, gid }: ServerUser): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

// Returns whether the user can enter the folder. Tries it instead of reading the mode, which does not show
// access lists.
export function canEnter(path: string, account: ServerUser): boolean {
  const entered = spawnSync('/bin/sh', ['-c', 'cd -- "$0"', path], spawnOptions(account))
  return entered.status === 0
}

function foreignCluster(folder: string, uid: number): EmbeddedProblem {
  return new EmbeddedProblem(
    `The database in ${folder} belongs to another user (uid ${uid}). Start Manilla as that user` +
      ' or as root, or change the owner of the data directory with chown -R.',
  )
}

export type DataDirectory = {
  dataDir: string
  clusterFolder: string
  account: ServerUser
  // True if the server's user cannot traverse to the cluster. It then inherits the open folder.
  byDescriptor: boolean
}

export type SocketFolder = {
  path: string
  // The server's own path for the socket folder, relative to its working folder, which is the cluster.
  forServer: string
  remove(): void
}

// The longest path of a socket: Linux allows 107 bytes, macOS 103.
const SOCKET_PATH_BYTES_MAX = 100
export const SOCKET_NAME = '.s.PGSQL.5432'

// Creates the data directory if necessary, and finds out how the server can reach it.
export function openDataDirectory(givenDataDir: string): DataDirectory {
  const asRoot = process.getuid?.() === 0
  // 0o711 lets the server's user pass through our directory to its cluster.
  mkdirSync(resolve(givenDataDir), { recursive: true, mode: asRoot ? 0o711 : 0o700 })
  const dataDir = realpathSync(givenDataDir)
  const clusterFolder = join(dataDir, 'postgres')
  const account = serverUserFor(clusterFolder)
  // If the server's user cannot enter the directory, it inherits the open folder, which needs /proc.
  const byDescriptor = account.uid !== undefined && !canEnter(dataDir, account)
  if (byDescriptor && !existsSync('/proc/self/fd')) {
    throw new EmbeddedProblem(
      `The database user (uid ${account.uid}) cannot access the data directory ${dataDir}.` +
        ' Set MANILLA_DATA_DIR to a directory it can reach.',
    )
  }
  return { dataDir, clusterFolder, account, byDescriptor }
}

// Creates the folder of the socket: in the cluster, or below /tmp if the path would be too long. `forServer`
// is the folder's path for the server, whose working folder is the cluster.
export function makeSocketFolder({ dataDir, clusterFolder, account }: DataDirectory): SocketFolder {
  const inCluster = join(clusterFolder, 'socket')
  if (isShortEnough(inCluster)) {
    makePrivateFolder(inCluster, account)
    return { path: inCluster, forServer: 'socket', remove: () => {} }
  }
  const path = makeTemporaryFolder(dataDir, account)
  return { path, forServer: path, remove: () => removeIfEmpty(path) }
}

// Returns the folders that may hold the socket of a server on this data folder, existing or not.
export function socketFolders(givenDataDir: string): string[] {
  const existing = lstatSync(resolve(givenDataDir), { throwIfNoEntry: false })
  if (!existing) return []
  const dataDir = realpathSync(givenDataDir)
  const inCluster = join(dataDir, 'postgres', 'socket')
  if (isShortEnough(inCluster)) return [inCluster]
  return [...new Set([tmpdir(), '/tmp'])].map((parent) => join(parent, temporaryName(dataDir)))
}

function temporaryName(dataDir: string): string {
  return `manilla-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
}

// Creates a folder for the socket below a temporary directory. The name is the same for each start on a data
// directory, so that crashes leave at most one folder behind. If another user has that name, uses a random
// one.
function makeTemporaryFolder(dataDir: string, account: ServerUser): string {
  const name = temporaryName(dataDir)
  const parents = [tmpdir(), '/tmp'].filter(
    (parent) => isShortEnough(join(parent, name)) && canEnter(parent, account),
  )
  const [parent] = parents
  if (parent === undefined) {
    throw new EmbeddedProblem(
      `The path ${dataDir} is too long for a socket, and no temporary directory is usable.` +
        ' Set MANILLA_DATA_DIR to a shorter path.',
    )
  }
  const path = join(parent, name)
  const existing = lstatSync(path, { throwIfNoEntry: false })
  if (!existing) {
    makePrivateFolder(path, account)
    return path
  }
  const isOurs = existing.isDirectory() && existing.uid === (account.uid ?? process.getuid?.())
  if (isOurs && (existing.mode & 0o077) === 0) return path
  const uniquePath = mkdtempSync(join(parent, 'manilla-'))
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(uniquePath, account.uid, account.gid)
  }
  return uniquePath
}

function isShortEnough(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX
}

// Removes the socket folder when the server stops.
function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Another server uses the folder now, or the folder is already gone.
  }
}

// The places of an embedded server: its data folder, its cluster, its socket, and the user it runs as.
//
//   <data folder>/postgres           the cluster, which only the server's user can enter
//   <data folder>/postgres/socket    its socket, unless that path is too long for one

import { createHash } from 'node:crypto'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { EmbeddedProblem } from './embedded-problem.ts'
import { canEnter, makePrivateFolder, type ServerUser, serverUserFor } from './server-user.ts'

export type DataDirectory = {
  dataDir: string
  clusterFolder: string
  account: ServerUser
  // The server's user cannot traverse to the cluster and gets the open folder instead.
  byDescriptor: boolean
}

export type SocketFolder = {
  path: string
  // The server's own name for it, relative to its working folder, the cluster.
  forServer: string
  remove(): void
}

// Linux takes 107 bytes, macOS 103.
const SOCKET_PATH_BYTES_MAX = 100
export const SOCKET_NAME = '.s.PGSQL.5432'

export function openDataDirectory(givenDataDir: string): DataDirectory {
  const asRoot = process.getuid?.() === 0
  mkdirSync(resolve(givenDataDir), { recursive: true, mode: asRoot ? 0o711 : 0o700 })
  const dataDir = realpathSync(givenDataDir)
  const clusterFolder = join(dataDir, 'postgres')
  const account = serverUserFor(clusterFolder)
  const byDescriptor = account.uid !== undefined && !canEnter(dataDir, account)
  if (byDescriptor && !existsSync('/proc/self/fd')) {
    throw new EmbeddedProblem(
      `The database user (uid ${account.uid}) cannot access the data directory ${dataDir}.` +
        ' Set MANILLA_DATA_DIR to a directory it can reach.',
    )
  }
  return { dataDir, clusterFolder, account, byDescriptor }
}

export function makeSocketFolder({ dataDir, clusterFolder, account }: DataDirectory): SocketFolder {
  const inside = join(clusterFolder, 'socket')
  if (isShortEnough(inside)) {
    makePrivateFolder(inside, account)
    return { path: inside, forServer: 'socket', remove: () => {} }
  }
  const path = makeTemporaryFolder(dataDir, account)
  return { path, forServer: path, remove: () => removeIfEmpty(path) }
}

// The possible sockets of a server on this data folder, existing or not.
export function socketFolders(givenDataDir: string): string[] {
  const found = lstatSync(resolve(givenDataDir), { throwIfNoEntry: false })
  if (!found) return []
  const dataDir = realpathSync(givenDataDir)
  const inside = join(dataDir, 'postgres', 'socket')
  if (isShortEnough(inside)) return [inside]
  return [...new Set([tmpdir(), '/tmp'])].map((parent) => join(parent, temporaryName(dataDir)))
}

function temporaryName(dataDir: string): string {
  return `manilla-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
}

// Uses a stable name per data directory, so that crashes leave at most one behind, or another name
// if it is occupied.
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
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) {
    makePrivateFolder(path, account)
    return path
  }
  const isOurs = found.isDirectory() && found.uid === (account.uid ?? process.getuid?.())
  if (isOurs && (found.mode & 0o077) === 0) return path
  const other = mkdtempSync(join(parent, 'manilla-'))
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(other, account.uid, account.gid)
  }
  return other
}

function isShortEnough(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Another server uses it now, or it is already gone.
  }
}

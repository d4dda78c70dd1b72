// The user that the server runs as. PostgreSQL refuses root, so root lends it another user: the
// one that already owns the cluster, or nobody. Everybody else runs it as themselves.

import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { EmbeddedProblem } from './problem.ts'

// `undefined` ids leave spawn and chown alone: the server is us.
export type Account = { uid: number | undefined; gid: number | undefined }

const NOBODY = 65534

// The server's whole environment: PGPORT, PGDATA, LD_LIBRARY_PATH and the like of whoever starts
// us must not reach it.
const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }

export function accountFor(clusterFolder: string): Account {
  const owner = statSync(clusterFolder, { throwIfNoEntry: false })
  const me = process.getuid?.()
  if (me !== 0) {
    if (owner && owner.uid !== me) throw foreignCluster(clusterFolder, owner.uid)
    return { uid: undefined, gid: undefined }
  }
  if (process.platform === 'darwin') {
    throw new EmbeddedProblem(
      'On macOS the embedded PostgreSQL cannot be run by root: Start Manilla as an ordinary user.',
    )
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return { uid: NOBODY, gid: NOBODY }
}

// The working directory is `/` because the one we stand in may be closed to that user.
export function spawnOptions({ uid, gid }: Account) {
  const ids = uid === undefined || gid === undefined ? {} : { uid, gid }
  return { ...ids, cwd: '/', env: ENVIRONMENT }
}

export function makePrivateFolder(path: string, { uid, gid }: Account): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

// Asked of the system itself, because mode bits do not tell of access lists.
export function canEnter(path: string, account: Account): boolean {
  const entered = spawnSync('/bin/sh', ['-c', 'cd -- "$0"', path], spawnOptions(account))
  return entered.status === 0
}

function foreignCluster(folder: string, uid: number): EmbeddedProblem {
  return new EmbeddedProblem(
    `The database in ${folder} belongs to another user (uid ${uid}): Start Manilla as that user` +
      ' (or as root), or give the whole data folder to yours with chown -R.',
  )
}

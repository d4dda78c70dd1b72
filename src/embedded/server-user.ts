// The user that the server runs as. PostgreSQL refuses root, so root uses the owner of the cluster,
// or nobody; other users run it as themselves.

import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { EmbeddedProblem } from './embedded-problem.ts'

// `undefined` ids mean that the server runs as our own user.
export type ServerUser = { uid: number | undefined; gid: number | undefined }

const NOBODY = 65534

// The complete environment of the server: PGPORT, PGDATA, LD_LIBRARY_PATH and the like must not
// leak into it.
const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }

export function serverUserFor(clusterFolder: string): ServerUser {
  const owner = statSync(clusterFolder, { throwIfNoEntry: false })
  const me = process.getuid?.()
  if (me !== 0) {
    if (owner && owner.uid !== me) throw foreignCluster(clusterFolder, owner.uid)
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

// The working directory is `/` because that user may not be able to enter ours.
export function spawnOptions({ uid, gid }: ServerUser, env: Record<string, string> = {}) {
  const ids = uid === undefined || gid === undefined ? {} : { uid, gid }
  return { ...ids, cwd: '/', env: { ...ENVIRONMENT, ...env } }
}

export function makePrivateFolder(path: string, { uid, gid }: ServerUser): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

// Tries it, because mode bits do not show access lists.
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

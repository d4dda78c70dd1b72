// Creates the cluster (PostgreSQL's data folder) at the first start, under another name, and then renames it
// into place. So a kill at any moment leaves either no cluster or a complete one, and one of two concurrent
// starts wins.
//
// No folder that ever held data is removed. The remains of an interrupted initdb are replaced.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '#durable-files.ts'
import type { Binaries } from './binaries.ts'
import { type DataDirectory, EmbeddedProblem, makePrivateFolder } from './data-directory.ts'
import { findProcess, spawnGuarded } from './processes.ts'

// Names that initdb creates in the cluster. Any other name is a file of somebody else.
const INITDB_ENTRY =
  /^(base|global|pg_\w+(\.conf)?|PG_VERSION|postgresql(\.auto)?\.conf|postmaster\.(pid|opts))$/
const FIRST_OWN_OID = 16384 // initdb uses smaller oids for its own objects.
// The name of a folder in which a start runs initdb, with the PID of that start.
const MAKING = /^postgres\.making-(\d+)-/

// The folders in which this process runs initdb now.
const inUse = new Set<string>()

// Makes sure that there is a complete cluster of the right version, and creates it if there is none.
export async function ensureCluster(home: DataDirectory, binaries: Binaries): Promise<void> {
  const { clusterFolder } = home
  await removeAbandoned(home.dataDir)
  const state = findClusterState(clusterFolder)
  if (state === 'complete') return checkVersion(clusterFolder, binaries.major)
  if (state === 'damaged') throw damagedProblem(clusterFolder)
  if (state === 'half-made') await discard(home)
  await makeCluster(home, binaries)
}

// Runs initdb in another folder and renames the result.
async function makeCluster(
  { dataDir, clusterFolder, account, byDescriptor }: DataDirectory,
  { initdb }: Binaries,
): Promise<void> {
  const aside = makingPath(dataDir)
  inUse.add(aside)
  try {
    makePrivateFolder(aside, account)
    const args = (folder: string) => ['-D', folder, ...INITDB_OPTIONS]
    const command = { program: initdb, folder: aside, args, account, byDescriptor }
    const initdbProcess = await spawnGuarded(command)
    const { code } = await initdbProcess.exited
    if (code !== 0) {
      const lastWords = initdbProcess.lastLines().slice(-3).join(' ')
      throw new EmbeddedProblem(`Cannot create the database in ${dataDir}: ${lastWords}`)
    }
    putInPlace(aside, clusterFolder)
  } finally {
    await remove(aside)
    inUse.delete(aside)
  }
}

// The locale C sorts by code point on every machine. Authentication by trust is safe: the only access is a
// socket in a folder that only the server's user and root can enter.
const INITDB_OPTIONS = [
  '--username=manilla',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--auth-local=trust',
  '--auth-host=reject',
  '--no-instructions',
  // One call to sync the file system instead of one call for each of a thousand files.
  ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
]

// Renames the finished cluster. Renaming onto a non-empty folder fails: then another start was faster, and
// both use its cluster.
function putInPlace(aside: string, clusterFolder: string): void {
  try {
    renameSync(aside, clusterFolder)
  } catch (error) {
    if (findClusterState(clusterFolder) !== 'complete') throw error
  }
  syncFolder(dirname(clusterFolder))
}

// Finds the state of a cluster folder by the order in which initdb works: first the folders, then template1
// (oid 1) with the control file, then template0 (oid 4), and last the database postgres (oid 5). `half-made`:
// an interrupted initdb can have left it. `damaged`: it cannot, so the folder may have held data.
function findClusterState(folder: string): 'absent' | 'half-made' | 'damaged' | 'complete' {
  const entries = existsSync(folder) ? readdirSync(folder) : []
  if (entries.length === 0) return 'absent'
  const has = (path: string) => existsSync(join(folder, path))
  const oids = has('base') ? readdirSync(join(folder, 'base')).map(Number) : []
  const holdsData = oids.some((oid) => oid >= FIRST_OWN_OID)
  const isBootstrapped = has('PG_VERSION') && has('global/pg_control') && oids.includes(1)
  if (isBootstrapped && (holdsData || has('base/5/PG_VERSION'))) return 'complete'
  if (holdsData || !entries.every((name) => INITDB_ENTRY.test(name))) return 'damaged'
  return has('global/pg_control') && !oids.includes(1) ? 'damaged' : 'half-made'
}

// Removes a half-made cluster. Moves the folder first and looks at it again, because another start may just
// have put a complete cluster there.
async function discard({ dataDir, clusterFolder }: DataDirectory): Promise<void> {
  const aside = join(dataDir, `postgres.set-aside-${randomBytes(6).toString('hex')}`)
  renameSync(clusterFolder, aside)
  if (findClusterState(aside) !== 'half-made') {
    renameSync(aside, clusterFolder)
    return
  }
  const removable = makingPath(dataDir)
  renameSync(aside, removable)
  await remove(removable)
}

function makingPath(dataDir: string): string {
  return join(dataDir, `postgres.making-${process.pid}-${randomBytes(6).toString('hex')}`)
}

// Removes folders that killed starts left behind and that never held data. The PID in the name shows whether
// the start still runs. A folder with our own PID is from an earlier run: in a container, every run may have
// the same PID.
async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(MAKING.exec(name)?.[1])
    const path = join(dataDir, name)
    if (!pid || inUse.has(path) || (pid !== process.pid && findProcess(pid))) continue
    await remove(path)
  }
}

// Removes a folder. Uses rm instead of rmSync, which stops early if a file vanishes: a killed initdb may
// still be cleaning up.
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10 })
}

// Fails if another major version of PostgreSQL created the cluster, because this version cannot read it.
function checkVersion(clusterFolder: string, major: string): void {
  const clusterMajor = readFileSync(join(clusterFolder, 'PG_VERSION'), 'utf8').trim()
  if (clusterMajor === major) return
  throw new EmbeddedProblem(
    `The database in ${clusterFolder} was created by PostgreSQL ${clusterMajor}; this is ${major}, which` +
      ' cannot read it. Nothing in it was changed. To keep the data, run the build of Manilla that created' +
      ` it, or PostgreSQL ${clusterMajor} on this folder with DATABASE_URL, or dump and load it:` +
      ' docs/operating.md, Another major version in the data directory. To start with an empty database,' +
      ' set MANILLA_DATA_DIR to another directory.',
  )
}

function damagedProblem(clusterFolder: string): EmbeddedProblem {
  return new EmbeddedProblem(
    `${clusterFolder} is not a complete database; nothing in it was changed. Restore it from a` +
      ' backup, or move it away to start with an empty database.',
  )
}

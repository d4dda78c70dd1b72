// Recovers a backup into a data directory and starts a server on it: unpacks, replays the log up to
// the requested time, promotes to a new timeline. The server is private to this process.

import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { packagedMajor } from '#embedded/binaries.ts'
import { openDataDirectory } from '#embedded/data-directory.ts'
import { EmbeddedProblem, type EmbeddedServer, startEmbedded } from '#embedded/embedded.ts'
import { makePrivateFolder } from '#embedded/server-user.ts'
import { BackupProblem } from './backup-problem.ts'
import { TAR } from './base-backup.ts'
import { SEGMENT_BYTES } from './log-position.ts'
import type { RecoveryPlan } from './plan-recovery.ts'
import { checkFiles } from './stored-backups.ts'
import { unpackCluster } from './unpack-cluster.ts'
import { unpackLog } from './wal-archive.ts'

const READY_MAX_MS = 24 * 3_600_000 // Replaying a month of log.

// Keeps the new timeline's history marked for archiving by the next server on the cluster. Without
// the history, log archived later could not be restored.
const ARCHIVE_LATER = { archive_mode: 'on', archive_command: '' }

type RecoveredCluster = {
  server: EmbeddedServer
  lastTransactionAt: Date | null // Null if there was none since the backup.
  timeline: number
}

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
  writeFileSync(join(clusterFolder, 'recovery.signal'), '')
  const server = await replay(plan, dataDir)
  try {
    return { server, ...(await readOutcome(server.connectionString)) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

// Only with hot_standby off can the server recover with a smaller max_connections than before.
async function replay({ at, timeline }: RecoveryPlan, dataDir: string): Promise<EmbeddedServer> {
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
    throw error instanceof EmbeddedProblem ? (explain(lines, at) ?? error) : error
  }
}

// The server reads it before it knows time zone abbreviations.
function timeText(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '+00')
}

function explain(lines: readonly string[], at: Date | undefined): BackupProblem | undefined {
  const text = lines.join('\n')
  const last = /last completed transaction was at log time ([^\n]+)/.exec(text)?.[1]
  if (/recovery ended before configured recovery target was reached/.test(text)) {
    const end = last ? `with a transaction at ${last}` : 'with the backup itself'
    return new BackupProblem(
      `The log ends ${end}, before ${at?.toISOString()}. To restore all there is, use --latest.`,
    )
  }
  if (/before consistent recovery point/.test(text)) {
    return new BackupProblem(`The backup was not finished by ${at?.toISOString()}.`)
  }
  return undefined
}

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

// PostgreSQL cannot read the files of another major version.
function checkVersion({ postgres, product }: RecoveryPlan['backup']): void {
  const [major, ours] = [postgres.split('.')[0], packagedMajor()]
  if (major === ours) return
  throw new BackupProblem(
    `The backup is of PostgreSQL ${major}, this is ${ours}. Restore it with the version that took` +
      ` it (${product}).`,
  )
}

function checkSpace({ backup, segments }: RecoveryPlan, dataDir: string): void {
  const tar = backup.files.find(({ name }) => name === TAR)
  const needed = (tar?.bytes ?? 0) + (segments.length + 2) * SEGMENT_BYTES
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize > needed) return
  const [has, needs] = [bavail * bsize, needed].map((bytes) => `${Math.ceil(bytes / 1_000_000)} MB`)
  throw new BackupProblem(`${dataDir} has ${has} free; the restore needs ${needs}.`)
}

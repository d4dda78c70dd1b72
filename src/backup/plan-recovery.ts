// Plans a restore: the last backup before the requested time, the timeline, and the log to replay.

import { resolve } from 'node:path'
import { archiveFolder } from '#embedded/archiving.ts'
import { BackupProblem } from './backup-problem.ts'
import type { Segment } from './log-position.ts'
import { listBackups, type StoredBackup } from './stored-backups.ts'
import { chooseTimeline } from './timelines.ts'
import { neededLog, readArchive, type WalArchive } from './wal-archive.ts'

export type RecoveryTarget = {
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

export function planRecovery(from: string, target: RecoveryTarget): RecoveryPlan {
  const backupDir = resolve(from)
  const backup = chooseBackup(backupDir, target.at)
  const archive = readArchive(archiveFolder(backupDir, backup.systemIdentifier))
  const stretches = chooseTimeline(backup, archive.histories, target.timeline)
  const timeline = stretches.at(-1)?.timeline as number
  const { segments, missing } = neededLog(archive, stretches, backup.stopLsn)
  return { ...target, backup, archive, segments, missing, timeline }
}

function chooseBackup(backupDir: string, at: Date | undefined): StoredBackup {
  const { backups, damaged } = listBackups(backupDir)
  const [problem] = damaged
  if (backups.length === 0)
    throw problem ?? new BackupProblem(`There is no backup in ${backupDir}.`)
  const able = at ? backups.filter(({ finishedAt }) => new Date(finishedAt) <= at) : backups
  const chosen = able.at(-1)
  if (chosen) return chosen
  throw new BackupProblem(
    `No backup was finished by ${at?.toISOString()}: the oldest was at ${backups[0]?.finishedAt}.`,
  )
}

// Removes old backups, and log that no remaining backup needs. Only complete backups count, so the
// last good one always stays.

import { readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { archiveFolder } from '#embedded/archiving.ts'
import { findSegment, positionOf, segmentOf } from './log-position.ts'
import { isComplete, listBackups, type StoredBackup } from './stored-backups.ts'

const PACKED_SEGMENT = /^([0-9A-F]{24})\.gz$/

export type PruneResult = { backups: string[]; segments: number }

export function pruneBackups(backupDir: string, keep: number): PruneResult {
  const whole = listBackups(backupDir).backups.filter(isComplete)
  const remaining = whole.slice(-Math.max(1, keep))
  const removed = whole.slice(0, whole.length - remaining.length)
  for (const backup of removed) remove(backup)
  const systems = new Set(remaining.map(({ systemIdentifier }) => systemIdentifier))
  const counts = [...systems].map((system) =>
    pruneLog(archiveFolder(backupDir, system), remaining, system),
  )
  const segments = counts.reduce((sum, count) => sum + count, 0)
  return { backups: removed.map(({ name }) => name), segments }
}

// Renames first, so that an incomplete backup is never listed.
function remove({ folder, name }: StoredBackup): void {
  const aside = join(dirname(folder), `.removing-${name}`)
  renameSync(folder, aside)
  rmSync(aside, { recursive: true, force: true })
}

// Positions only grow, across timelines too, so log before the oldest backup is unused.
function pruneLog(folder: string, remaining: readonly StoredBackup[], system: string): number {
  const starts = remaining
    .filter(({ systemIdentifier }) => systemIdentifier === system)
    .map(({ startLsn }) => segmentOf(positionOf(startLsn)))
  const first = Math.min(...starts)
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return 0 // Nothing was ever archived.
  }
  const old = names.filter((name) => {
    const segment = findSegment(PACKED_SEGMENT.exec(name)?.[1] ?? '')
    return segment !== undefined && segment.number < first
  })
  for (const name of old) rmSync(join(folder, name))
  return old.length
}

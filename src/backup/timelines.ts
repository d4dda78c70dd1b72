// Timelines. Each restore starts a new one, and its history file records where it left the previous one:
//
//   1 ───────────●──────────▶        abandoned after the restore
//                └─ 2 ──────▶
//
// Recovery follows one timeline back to the backup. Log that another timeline wrote after the fork
// is not part of it.

import { BackupProblem } from './backup-problem.ts'
import { positionOf } from './log-position.ts'

// `until` is where the next timeline forks off, undefined for the last.
export type Stretch = { timeline: number; from: bigint; until: bigint | undefined }

type Origin = { timeline: number; stopLsn: string }

const LINE = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/

function stretchesOf(timeline: number, history: string): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0n
  for (const line of history.split('\n')) {
    const found = LINE.exec(line)
    if (!found) continue
    const until = positionOf(found[2] as string)
    stretches.push({ timeline: Number(found[1]), from, until })
    from = until
  }
  return [...stretches, { timeline, from, until: undefined }]
}

export function chooseTimeline(
  backup: Origin,
  histories: ReadonlyMap<number, string>,
  requested: number | undefined,
): Stretch[] {
  const own = stretchesOf(backup.timeline, histories.get(backup.timeline) ?? '')
  const later = [...histories]
    .filter(([timeline]) => timeline > backup.timeline)
    .map(([timeline, history]) => stretchesOf(timeline, history))
  const able = [own, ...later].filter((stretches) => continues(stretches, backup))
  const chosen = able
    .filter((stretches) => requested === undefined || stretches.at(-1)?.timeline === requested)
    .sort((one, other) => endOf(one) - endOf(other))
    .at(-1)
  if (chosen) return chosen
  const choices = able.map(endOf).join(', ')
  throw new BackupProblem(`Timeline ${requested} does not continue this backup. Known: ${choices}.`)
}

function endOf(stretches: readonly Stretch[]): number {
  return stretches.at(-1)?.timeline ?? 0
}

function continues(stretches: readonly Stretch[], { timeline, stopLsn }: Origin): boolean {
  const own = stretches.find((stretch) => stretch.timeline === timeline)
  return own !== undefined && (own.until === undefined || own.until >= positionOf(stopLsn))
}

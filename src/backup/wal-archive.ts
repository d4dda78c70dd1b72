// The archive of the server's log, filled by embedded/archiving.ts: its contents, gaps, and the
// part that recovering a backup needs.

import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ServerUser } from '#embedded/server-user.ts'
import { BackupProblem } from './backup-problem.ts'
import {
  findSegment,
  positionOf,
  SEGMENT_BYTES,
  type Segment,
  segmentName,
  segmentOf,
} from './log-position.ts'
import type { Stretch } from './timelines.ts'

const PACKED = '.gz'
const HISTORY = /^([0-9A-F]{8})\.history$/

export type WalArchive = {
  folder: string
  segments: Segment[]
  histories: Map<number, string>
}

export function readArchive(folder: string): WalArchive {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const files = names.filter((name) => name.endsWith(PACKED)).map((name) => name.slice(0, -3))
  const segments = files.flatMap((name) => findSegment(name) ?? [])
  const histories = new Map<number, string>()
  for (const name of files) {
    const timeline = HISTORY.exec(name)?.[1]
    if (!timeline) continue
    histories.set(Number.parseInt(timeline, 16), unpack(folder, name).toString('utf8'))
  }
  return { folder, segments, histories }
}

type NeededLog = { segments: Segment[]; missing: string | undefined }

// The log after a backup, in order, up to the first missing file that has later files.
export function neededLog(
  { segments }: Pick<WalArchive, 'segments'>,
  stretches: readonly Stretch[],
  stopLsn: string,
): NeededLog {
  const byNumber = new Map<number, Segment>()
  for (const segment of segments) {
    const stretch = stretches.find(({ timeline }) => timeline === segment.timeline)
    if (!stretch || !isWithin(segment.number, stretch)) continue
    // Where one timeline forks from another, the file of the new one also contains the log before
    // the fork.
    const other = byNumber.get(segment.number)
    if (!other || other.timeline < segment.timeline) byNumber.set(segment.number, segment)
  }
  const last = Math.max(-1, ...byNumber.keys())
  const needed: Segment[] = []
  // The backup contains the file of its last byte. A backup that stops at a file's start does not
  // contain that file.
  for (let number = segmentOf(positionOf(stopLsn) - 1n) + 1; number <= last; number++) {
    const found = byNumber.get(number)
    if (!found) return { segments: needed, missing: nameOf(number, stretches) }
    needed.push(found)
  }
  return { segments: needed, missing: undefined }
}

function isWithin(number: number, { from, until }: Stretch): boolean {
  return number >= segmentOf(from) && (until === undefined || number <= segmentOf(until))
}

function nameOf(number: number, stretches: readonly Stretch[]): string {
  const stretch = stretches.find((each) => isWithin(number, each))
  return segmentName({ timeline: stretch?.timeline ?? 1, number })
}

// Unpacks into the cluster's own log folder, so that the server's user need not be able to read the
// archive. Includes all histories, so that the server chooses an unused number for its new
// timeline. Keeps the backup's own files.
export function unpackLog(
  { folder, histories }: WalArchive,
  segments: readonly Segment[],
  { walFolder, account }: { walFolder: string; account: ServerUser },
): void {
  const write = (name: string, content: Buffer | string) => {
    const path = join(walFolder, name)
    if (existsSync(path)) return
    writeFileSync(path, content, { mode: 0o600 })
    const { uid, gid } = account
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  }
  for (const segment of segments) write(segmentName(segment), unpackSegment(folder, segment))
  for (const [timeline, history] of histories) {
    write(`${timeline.toString(16).toUpperCase().padStart(8, '0')}.history`, history)
  }
}

function unpackSegment(folder: string, segment: Segment): Buffer {
  const name = segmentName(segment)
  const content = unpack(folder, name)
  if (content.length === SEGMENT_BYTES) return content
  throw new BackupProblem(`${join(folder, name)}.gz is damaged: ${content.length} bytes.`)
}

function unpack(folder: string, name: string): Buffer {
  const path = join(folder, `${name}${PACKED}`)
  const packed = readFileSync(path)
  try {
    return gunzipSync(packed)
  } catch (error) {
    throw new BackupProblem(`${path} is damaged: ${(error as Error).message}.`)
  }
}

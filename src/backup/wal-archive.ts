// The archive of the server's log, which embedded/archiving.ts fills: its contents, its gaps, and the part
// that recovering a backup needs.

import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ServerUser } from '#embedded/data-directory.ts'
import { BackupProblem } from './stored-backups.ts'

// Positions in the server's log, and its files of 16 MB (segments): 00000001 00000000 00000005 is the sixth
// file of timeline 1. The number of a file is its position, such as 0/5000028, divided by 16 MB.

const SEGMENTS_PER_LOG = 256 // Files of 16 MB, initdb's default.
const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/

export const SEGMENT_BYTES = 16 * 1024 * 1024

export type Segment = { timeline: number; number: number }

// Parses the name of a log file. Returns undefined for any other name.
export function findSegment(name: string): Segment | undefined {
  const match = SEGMENT.exec(name)
  if (!match) return undefined
  const [timeline = 0, log = 0, part = 0] = match.slice(1).map((hex) => Number.parseInt(hex, 16))
  return { timeline, number: log * SEGMENTS_PER_LOG + part }
}

// The name of a log file: timeline, number / 256 and remainder, each as eight hexadecimal digits.
function segmentName({ timeline, number }: Segment): string {
  return [timeline, Math.floor(number / SEGMENTS_PER_LOG), number % SEGMENTS_PER_LOG]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}

// Converts a position such as 0/5000028 to the number of bytes since the beginning of the log.
export function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/')
  return BigInt(`0x${high}`) * 2n ** 32n + BigInt(`0x${low}`)
}

// The number of the log file that has the position.
export function segmentOf(position: bigint): number {
  return Number(position / BigInt(SEGMENT_BYTES))
}

const PACKED = '.gz'
const HISTORY = /^([0-9A-F]{8})\.history$/

export type WalArchive = {
  folder: string
  segments: Segment[]
  histories: Map<number, string>
}

// Lists the archived log files, and reads the history of each timeline.
export function readArchive(folder: string): WalArchive {
  const names = existsSync(folder) ? readdirSync(folder) : []
  // The names without `.gz`.
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

// Returns the log after a backup, in order, up to the first missing file that has later files. `stretches`
// are the parts of the log that belong to the chosen timeline (chooseTimeline); files outside them are
// ignored.
export function neededLog(
  { segments }: Pick<WalArchive, 'segments'>,
  stretches: readonly Stretch[],
  stopLsn: string,
): { segments: Segment[]; missing: string | undefined } {
  const byNumber = new Map<number, Segment>()
  for (const segment of segments) {
    const stretch = stretches.find(({ timeline }) => timeline === segment.timeline)
    if (!stretch || !isWithin(segment.number, stretch)) continue
    // Where one timeline forks from another, the file of the new one also contains the log before
    // the fork.
    const existing = byNumber.get(segment.number)
    if (!existing || existing.timeline < segment.timeline) byNumber.set(segment.number, segment)
  }
  const lastNumber = Math.max(-1, ...byNumber.keys())
  const needed: Segment[] = []
  // The backup contains the file of its last byte. A backup that stops at a file's start does not
  // contain that file.
  for (let number = segmentOf(positionOf(stopLsn) - 1n) + 1; number <= lastNumber; number++) {
    const nextSegment = byNumber.get(number)
    if (!nextSegment) return { segments: needed, missing: nameOf(number, stretches) }
    needed.push(nextSegment)
  }
  return { segments: needed, missing: undefined }
}

function isWithin(number: number, { from, until }: Stretch): boolean {
  return number >= segmentOf(from) && (until === undefined || number <= segmentOf(until))
}

// The name of a missing file, on the timeline that should have written it.
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

// Unpacks a file of the log. A whole file always has SEGMENT_BYTES.
function unpackSegment(folder: string, segment: Segment): Buffer {
  const name = segmentName(segment)
  const content = unpack(folder, name)
  if (content.length === SEGMENT_BYTES) return content
  throw new BackupProblem(`${join(folder, name)}.gz is damaged: ${content.length} bytes.`)
}

// Reads a compressed file of the archive.
function unpack(folder: string, name: string): Buffer {
  const path = join(folder, `${name}${PACKED}`)
  const packed = readFileSync(path)
  try {
    return gunzipSync(packed)
  } catch (error) {
    throw new BackupProblem(`${path} is damaged: ${(error as Error).message}.`)
  }
}

// Timelines. Each restore starts a new one, and its history file records where it left the previous one:
//
//   1 ───────────●──────────▶        abandoned after the restore
//                └─ 2 ──────▶
//
// Recovery follows one timeline back to the backup. Log that another timeline wrote after the fork
// is not part of it.

// A part of the log that one timeline wrote, in the chain of timelines up to the last one. `until` is where
// the next timeline forks off, undefined for the last.
type Stretch = { timeline: number; from: bigint; until: bigint | undefined }

type Origin = { timeline: number; stopLsn: string }

const LINE = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/

// Returns the chain of timelines up to this one, each with the part of the log that belongs to it. `history`
// is the text of PostgreSQL's .history file, which has a line for each earlier timeline, with the position
// where the next one forked off.
function stretchesOf(timeline: number, history: string): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0n
  for (const line of history.split('\n')) {
    const match = LINE.exec(line)
    if (!match) continue
    const until = positionOf(match[2] as string)
    stretches.push({ timeline: Number(match[1]), from, until })
    from = until
  }
  return [...stretches, { timeline, from, until: undefined }]
}

// Chooses the requested timeline, or else the latest one that continues the backup.
export function chooseTimeline(
  backup: Origin,
  histories: ReadonlyMap<number, string>,
  requested: number | undefined,
): Stretch[] {
  const current = stretchesOf(backup.timeline, histories.get(backup.timeline) ?? '')
  const laterTimelines = [...histories]
    .filter(([timeline]) => timeline > backup.timeline)
    .map(([timeline, history]) => stretchesOf(timeline, history))
  const candidates = [current, ...laterTimelines].filter((stretches) =>
    continuesBackup(stretches, backup),
  )
  const latest = candidates
    .filter((stretches) => requested === undefined || stretches.at(-1)?.timeline === requested)
    .sort((one, other) => endOf(one) - endOf(other))
    .at(-1)
  if (latest) return latest
  const choices = candidates.map(endOf).join(', ')
  throw new BackupProblem(`Timeline ${requested} does not continue this backup. Known: ${choices}.`)
}

// The timeline at the end of the chain.
function endOf(stretches: readonly Stretch[]): number {
  return stretches.at(-1)?.timeline ?? 0
}

// Whether the chain contains the backup's timeline up to the end of the backup.
function continuesBackup(stretches: readonly Stretch[], { timeline, stopLsn }: Origin): boolean {
  const ownStretch = stretches.find((stretch) => stretch.timeline === timeline)
  return (
    ownStretch !== undefined &&
    (ownStretch.until === undefined || ownStretch.until >= positionOf(stopLsn))
  )
}

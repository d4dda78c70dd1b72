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

export function findSegment(name: string): Segment | undefined {
  const found = SEGMENT.exec(name)
  if (!found) return undefined
  const [timeline = 0, log = 0, part = 0] = found.slice(1).map((hex) => Number.parseInt(hex, 16))
  return { timeline, number: log * SEGMENTS_PER_LOG + part }
}

function segmentName({ timeline, number }: Segment): string {
  return [timeline, Math.floor(number / SEGMENTS_PER_LOG), number % SEGMENTS_PER_LOG]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}

export function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/')
  return BigInt(`0x${high}`) * 2n ** 32n + BigInt(`0x${low}`)
}

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

// Returns the log after a backup, in order, up to the first missing file that has later files.
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

// Timelines. Each restore starts a new one, and its history file records where it left the previous one:
//
//   1 ───────────●──────────▶        abandoned after the restore
//                └─ 2 ──────▶
//
// Recovery follows one timeline back to the backup. Log that another timeline wrote after the fork
// is not part of it.

// `until` is where the next timeline forks off, undefined for the last.
type Stretch = { timeline: number; from: bigint; until: bigint | undefined }

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
  const current = stretchesOf(backup.timeline, histories.get(backup.timeline) ?? '')
  const later = [...histories]
    .filter(([timeline]) => timeline > backup.timeline)
    .map(([timeline, history]) => stretchesOf(timeline, history))
  const candidates = [current, ...later].filter((stretches) => continues(stretches, backup))
  const latest = candidates
    .filter((stretches) => requested === undefined || stretches.at(-1)?.timeline === requested)
    .sort((one, other) => endOf(one) - endOf(other))
    .at(-1)
  if (latest) return latest
  const choices = candidates.map(endOf).join(', ')
  throw new BackupProblem(`Timeline ${requested} does not continue this backup. Known: ${choices}.`)
}

function endOf(stretches: readonly Stretch[]): number {
  return stretches.at(-1)?.timeline ?? 0
}

function continues(stretches: readonly Stretch[], { timeline, stopLsn }: Origin): boolean {
  const found = stretches.find((stretch) => stretch.timeline === timeline)
  return found !== undefined && (found.until === undefined || found.until >= positionOf(stopLsn))
}

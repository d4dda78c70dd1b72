// Positions in the server's log, and its files of 16 MB: 00000001 00000000 00000005 is the sixth
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

export function segmentName({ timeline, number }: Segment): string {
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

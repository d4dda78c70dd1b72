// Makes images for tests of merchants' logos: whole PNG files, but only the headers of JPEG and WebP files,
// since the service reads only those.

import { crc32, deflateSync } from 'node:zlib'

type Png = { width: number; height: number; isInk?: (x: number, y: number) => boolean }

const COLOUR = [0xc2, 0x18, 0x5b, 0xff] as const

// A PNG file in one colour on a transparent ground. `isInk` says which pixels have the colour; by default
// all.
export function png({ width, height, isInk = () => true }: Png): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8) // 8 bits of red, green, blue and alpha.
  const rows = Array.from({ length: height }, (_, y) => [
    0, // Unfiltered.
    ...Array.from({ length: width }, (_, x) => (isInk(x, y) ? COLOUR : [0, 0, 0, 0])).flat(),
  ])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

type Size = { width: number; height: number }

// A JPEG header: an application segment, a table whose marker looks like a frame's, and the frame with the
// size.
export function jpeg({ width, height }: Size): Buffer {
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const start = [0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4]
  const table = [0xff, 0xff, 0xc4, 0, 8, 9, 9, 9, 9, 9, 9]
  return Buffer.concat([Buffer.from([...start, ...table]), frame, Buffer.from([0xff, 0xd9])])
}

// The header of a WebP file: lossy ('VP8 '), lossless ('VP8L') or extended ('VP8X').
export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', { width, height }: Size): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(32, 4)
  bytes.write(`WEBP${kind}`, 8, 'latin1')
  bytes.writeUInt32LE(20, 16)
  if (kind === 'VP8 ') {
    bytes.set([0x9d, 0x01, 0x2a], 23)
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height | 0x4000, 28) // The upper two bits are a scale, not a size.
  } else if (kind === 'VP8L') {
    bytes.writeUInt8(0x2f, 20)
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21)
  } else {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  }
  return bytes
}

// A logo of two rings, three times as wide as high.
export const RINGS = png({
  width: 240,
  height: 80,
  isInk: (x, y) => [80, 160].some((centre) => Math.abs(Math.hypot(x - centre, y - 40) - 30) < 7),
})

// A PNG chunk: length, type, data, checksum.
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, check])
}

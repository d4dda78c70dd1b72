// Logos as merchants have them: real PNG files, made here so that each test says what it needs.

import { crc32, deflateSync } from 'node:zlib'

type Png = { width: number; height: number; isInk?: (x: number, y: number) => boolean }

const COLOUR = [0xc2, 0x18, 0x5b, 0xff] as const

// One colour on nothing. `isInk` says where; without it, everywhere.
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

// Two rings, three times as wide as high.
export const RINGS = png({
  width: 240,
  height: 80,
  isInk: (x, y) => [80, 160].some((centre) => Math.abs(Math.hypot(x - centre, y - 40) - 30) < 7),
})

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, check])
}

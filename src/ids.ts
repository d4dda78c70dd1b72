// Identifiers that begin with their time (UUID version 7): new rows land side by side in an
// index, and 74 random bits keep each one unguessable.

import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 16 * 256
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function timeOrderedId(now: Date): string {
  if (used === POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const time = now.getTime().toString(16).padStart(12, '0')
  const hex = (at: number) => HEX[pool[used + at] as number] as string
  const version = 0x70 | ((pool[used] as number) & 0x0f)
  const variant = 0x80 | ((pool[used + 2] as number) & 0x3f)
  const id =
    `${time.slice(0, 8)}-${time.slice(8)}-${HEX[version]}${hex(1)}-${HEX[variant]}${hex(3)}-` +
    `${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
  used += 16
  return id
}

// Less than every identifier of this moment and later, more than every one before. There are none
// before 1970.
export function leastIdAt(ms: number): string {
  return Math.max(0, ms).toString(16).padStart(12, '0').padEnd(32, '0')
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i

// References are looked up with or without dashes, in any case. Undefined: not a reference.
export function parseReference(text: string): string | undefined {
  const match = UUID.exec(text)
  return match ? match.slice(1).join('-').toLowerCase() : undefined
}

// Values in PostgreSQL's binary format, each behind its length, as arrays (binary-arrays.ts) and COPY
// (copy-rows.ts) have them: neither side prints or parses a number.
//
// They are laid out in one buffer, one parameter at a time, and copied at the end: the driver holds
// on to what it is given.

const LENGTH_BYTES = 4
const NULL_LENGTH = -1
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)
const INT8_MAX = 2n ** 63n - 1n
const INT8_MIN = -(2n ** 63n)
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DASH = 45
const NIBBLES = new Uint8Array(128)
for (let digit = 0; digit < 16; digit++) NIBBLES[digit.toString(16).charCodeAt(0)] = digit

let scratch = Buffer.allocUnsafeSlow(65_536)
let view = new DataView(scratch.buffer)
let at = 0

// Leaves room for what is written last: a header that counts.
export function begin(headerBytes: number): void {
  at = headerBytes
}

export function end(): Buffer {
  return Buffer.from(scratch.subarray(0, at))
}

export function patchInt32(offset: number, value: number): void {
  view.setInt32(offset, value)
}

// Without a length.
export function writeRaw(bytes: Buffer): void {
  reserve(bytes.length)
  scratch.set(bytes, at)
  at += bytes.length
}

export function writeInt16(value: number): void {
  reserve(2)
  view.setInt16(at, value)
  at += 2
}

export function writeNull(): void {
  reserve(LENGTH_BYTES)
  view.setInt32(at, NULL_LENGTH)
  at += LENGTH_BYTES
}

// Wrapped round, an amount would be another one.
export function writeInt8(value: bigint): void {
  if (value < INT8_MIN || value > INT8_MAX) throw new RangeError(`${value} is not a bigint`)
  reserve(LENGTH_BYTES + 8)
  view.setInt32(at, 8)
  view.setBigInt64(at + LENGTH_BYTES, value)
  at += LENGTH_BYTES + 8
}

export function writeInt4(value: number): void {
  if ((value | 0) !== value) throw new RangeError(`${value} is not an int`)
  reserve(LENGTH_BYTES + 4)
  view.setInt32(at, 4)
  view.setInt32(at + LENGTH_BYTES, value)
  at += LENGTH_BYTES + 4
}

export function writeBool(value: boolean): void {
  reserve(LENGTH_BYTES + 1)
  view.setInt32(at, 1)
  scratch[at + LENGTH_BYTES] = value ? 1 : 0
  at += LENGTH_BYTES + 1
}

export function writeText(value: string): void {
  reserve(LENGTH_BYTES + value.length * 3) // No character takes more in UTF-8.
  const start = at + LENGTH_BYTES
  const bytes = scratch.write(value, start, 'utf8')
  view.setInt32(at, bytes)
  at = start + bytes
}

export function writeBytes(value: Buffer): void {
  reserve(LENGTH_BYTES + value.length)
  view.setInt32(at, value.length)
  scratch.set(value, at + LENGTH_BYTES)
  at += LENGTH_BYTES + value.length
}

export function writeTime(value: Date): void {
  writeInt8(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1000n)
}

// Of a day as in ISO 8601: 2026-11-16.
export function writeDate(value: string): void {
  const days = (Date.parse(`${value}T00:00:00Z`) - POSTGRES_EPOCH_MS) / 86_400_000
  writeInt4(days)
}

export function writeUuid(value: string): void {
  if (!UUID.test(value)) throw new TypeError('not a UUID')
  reserve(LENGTH_BYTES + 16)
  view.setInt32(at, 16)
  at += LENGTH_BYTES
  for (let index = 0; index < value.length; index += 2) {
    if (value.charCodeAt(index) === DASH) index++
    const high = NIBBLES[value.charCodeAt(index)] as number
    scratch[at++] = (high << 4) | (NIBBLES[value.charCodeAt(index + 1)] as number)
  }
}

function reserve(bytes: number): void {
  if (at + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, at + bytes))
  scratch.copy(larger, 0, 0, at)
  scratch = larger
  view = new DataView(larger.buffer)
}

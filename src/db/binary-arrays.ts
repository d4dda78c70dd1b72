// Array parameters in PostgreSQL's binary format, for the statements that every credit passes
// through: neither side prints or parses a number. (The driver sends a Buffer as binary.) Elsewhere
// the literals of arrays.ts do, which fit columns of any type; here the type of the elements must be
// the one that the statement names: `int8s` for bigint[], `texts` for text[], …
//
// A column that is null in every row is sent as `{}`: next to one that never is, unnest() fills it up
// with nulls, and it costs nothing per row.

export type ArrayParameter = Buffer | string

const EMPTY = '{}'
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

const INT8_MAX = 2n ** 63n - 1n
const INT8_MIN = -(2n ** 63n)
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DASH = 45
const NIBBLES = new Uint8Array(128)
for (let digit = 0; digit < 16; digit++) NIBBLES[digit.toString(16).charCodeAt(0)] = digit

// Arrays are laid out here, one at a time, and copied: the driver holds on to what it is given.
let scratch = Buffer.allocUnsafeSlow(65_536)
let view = new DataView(scratch.buffer)
let at = 0

export const int8s = arrayOf<bigint | number>(20, (value) => {
  writeInt8(typeof value === 'bigint' ? value : BigInt(value))
})

export const int4s = arrayOf<number>(23, (value) => {
  if ((value | 0) !== value) throw new RangeError(`${value} is not an int`)
  reserve(8)
  view.setInt32(at, 4)
  view.setInt32(at + LENGTH_BYTES, value)
  at += 8
})

export const texts = arrayOf<string>(25, writeText)
export const jsons = arrayOf<string>(114, writeText)

export const byteas = arrayOf<Buffer>(17, (value) => {
  reserve(LENGTH_BYTES + value.length)
  view.setInt32(at, value.length)
  scratch.set(value, at + LENGTH_BYTES)
  at += LENGTH_BYTES + value.length
})

export const timestamps = arrayOf<Date>(1184, (value) => {
  writeInt8(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1000n)
})

export const uuids = arrayOf<string>(2950, (value) => {
  if (!UUID.test(value)) throw new TypeError('not a UUID')
  reserve(LENGTH_BYTES + 16)
  view.setInt32(at, 16)
  at += LENGTH_BYTES
  for (let index = 0; index < value.length; index += 2) {
    if (value.charCodeAt(index) === DASH) index++
    const high = NIBBLES[value.charCodeAt(index)] as number
    scratch[at++] = (high << 4) | (NIBBLES[value.charCodeAt(index + 1)] as number)
  }
})

function arrayOf<T>(oid: number, write: (value: T) => void) {
  return <R>(rows: readonly R[], of: (row: R, at: number) => T | null): ArrayParameter => {
    at = HEADER_BYTES
    let nulls = 0
    for (let index = 0; index < rows.length; index++) {
      const value = of(rows[index] as R, index)
      if (value !== null) write(value)
      else {
        nulls++
        reserve(LENGTH_BYTES)
        view.setInt32(at, -1)
        at += LENGTH_BYTES
      }
    }
    if (nulls === rows.length) return EMPTY
    view.setInt32(0, 1) // Dimensions.
    view.setInt32(4, nulls > 0 ? 1 : 0)
    view.setInt32(8, oid)
    view.setInt32(12, rows.length)
    view.setInt32(16, 1) // The first index.
    return Buffer.from(scratch.subarray(0, at))
  }
}

// Wrapped round, an amount would be another one.
function writeInt8(value: bigint): void {
  if (value < INT8_MIN || value > INT8_MAX) throw new RangeError(`${value} is not a bigint`)
  reserve(12)
  view.setInt32(at, 8)
  view.setBigInt64(at + LENGTH_BYTES, value)
  at += 12
}

function writeText(value: string): void {
  reserve(LENGTH_BYTES + value.length * 3) // No character takes more in UTF-8.
  const start = at + LENGTH_BYTES
  const bytes = scratch.write(value, start, 'utf8')
  view.setInt32(at, bytes)
  at = start + bytes
}

function reserve(bytes: number): void {
  if (at + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, at + bytes))
  scratch.copy(larger, 0, 0, at)
  scratch = larger
  view = new DataView(larger.buffer)
}

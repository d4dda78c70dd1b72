// Writes values in PostgreSQL's binary format, each after its length, as array parameters and as rows for
// COPY. So neither the service nor the database prints or parses a number.
//
// One shared buffer holds one parameter at a time. Its content is copied at the end, because the driver holds
// on to the buffers that it gets.

import type { Statement } from '#db/statement-group.ts'
import type { Transaction } from '#db/transaction.ts'

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
let offset = 0

// Starts a parameter. Leaves room for a header with counts, which is written last (patchInt32).
function startBuffer(headerBytes: number): void {
  offset = headerBytes
}

// Returns what was written since startBuffer().
function copyOfBuffer(): Buffer {
  return Buffer.from(scratch.subarray(0, offset))
}

// Writes a number of the header, at a fixed position.
function patchInt32(position: number, value: number): void {
  view.setInt32(position, value)
}

// Writes bytes without a length before them.
function writeRaw(bytes: Buffer): void {
  ensureRoom(bytes.length)
  scratch.set(bytes, offset)
  offset += bytes.length
}

// Writes a count or the end mark of COPY's format, which have two bytes and no length before them.
function writeInt16(value: number): void {
  ensureRoom(2)
  view.setInt16(offset, value)
  offset += 2
}

// Writes null: a length of -1 without a value.
function writeNull(): void {
  ensureRoom(LENGTH_BYTES)
  view.setInt32(offset, NULL_LENGTH)
  offset += LENGTH_BYTES
}

// Writes PostgreSQL's int8 (bigint), which has eight bytes. Throws on a value that does not fit into 64 bits:
// it would wrap round to another amount.
function writeInt8(value: bigint): void {
  if (value < INT8_MIN || value > INT8_MAX) throw new RangeError(`${value} is not a bigint`)
  ensureRoom(LENGTH_BYTES + 8)
  view.setInt32(offset, 8)
  view.setBigInt64(offset + LENGTH_BYTES, value)
  offset += LENGTH_BYTES + 8
}

// Writes PostgreSQL's int4, which has four bytes. Throws on a number that is not whole or does not fit into
// 32 bits: `| 0` changes such a number.
function writeInt4(value: number): void {
  if ((value | 0) !== value) throw new RangeError(`${value} is not an int`)
  ensureRoom(LENGTH_BYTES + 4)
  view.setInt32(offset, 4)
  view.setInt32(offset + LENGTH_BYTES, value)
  offset += LENGTH_BYTES + 4
}

// Writes PostgreSQL's bool, which has one byte.
function writeBool(value: boolean): void {
  ensureRoom(LENGTH_BYTES + 1)
  view.setInt32(offset, 1)
  scratch[offset + LENGTH_BYTES] = value ? 1 : 0
  offset += LENGTH_BYTES + 1
}

// Writes a text in UTF-8. Its length in bytes goes before the text, but is known only after encoding.
function writeText(value: string): void {
  ensureRoom(LENGTH_BYTES + value.length * 3) // A character takes at most three bytes in UTF-8.
  const start = offset + LENGTH_BYTES
  const bytes = scratch.write(value, start, 'utf8')
  view.setInt32(offset, bytes)
  offset = start + bytes
}

// Writes PostgreSQL's bytea: the bytes after their length.
function writeBytes(value: Buffer): void {
  ensureRoom(LENGTH_BYTES + value.length)
  view.setInt32(offset, value.length)
  scratch.set(value, offset + LENGTH_BYTES)
  offset += LENGTH_BYTES + value.length
}

// Writes PostgreSQL's timestamptz: the microseconds since the beginning of the year 2000, in eight bytes.
function writeTime(value: Date): void {
  writeInt8(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1000n)
}

// Writes a day in ISO 8601, such as 2026-11-16.
function writeDate(value: string): void {
  const days = (Date.parse(`${value}T00:00:00Z`) - POSTGRES_EPOCH_MS) / 86_400_000
  writeInt4(days)
}

// Writes PostgreSQL's uuid, which has 16 bytes: one for every two hexadecimal digits. Skips the dashes.
// NIBBLES has the value of each digit by its character code.
function writeUuid(value: string): void {
  if (!UUID.test(value)) throw new TypeError('not a UUID')
  ensureRoom(LENGTH_BYTES + 16)
  view.setInt32(offset, 16)
  offset += LENGTH_BYTES
  for (let index = 0; index < value.length; index += 2) {
    if (value.charCodeAt(index) === DASH) index++
    const high = NIBBLES[value.charCodeAt(index)] as number
    scratch[offset++] = (high << 4) | (NIBBLES[value.charCodeAt(index + 1)] as number)
  }
}

// Grows the shared buffer if it has no room for more `bytes`.
function ensureRoom(bytes: number): void {
  if (offset + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, offset + bytes))
  scratch.copy(larger, 0, 0, offset)
  scratch = larger
  view = new DataView(larger.buffer)
}

// Array parameters in PostgreSQL's binary format, for the statements that every credit passes through. (The
// driver sends a Buffer as binary.) All other statements use the literals of db/sql.ts, which fit columns of
// any type. Here the type of the elements must be the one that the statement names: `int8s` for bigint[],
// `texts` for text[], …
//
// A column that is null in every row is sent as `{}` and costs nothing per row. unnest() fills it with nulls
// if another column is not empty.

export type ArrayParameter = Buffer | string

const EMPTY = '{}'
const HEADER_BYTES = 20

export const int8s = arrayOf<bigint | number>(20, (value) =>
  writeInt8(typeof value === 'bigint' ? value : BigInt(value)),
)
export const int4s = arrayOf<number>(23, writeInt4)
export const texts = arrayOf<string>(25, writeText)
export const jsons = arrayOf<string>(114, writeText)
export const uuids = arrayOf<string>(2950, writeUuid)

// Returns null if the value is the one that nearly every row has, so that the column is mostly `{}`. The
// statement replaces null by that value, with coalesce().
export function unless<T>(usual: NoInfer<T>, value: T): T | null {
  return value === usual ? null : value
}

// Makes an encoder for arrays of one type. `oid` is the type's number in PostgreSQL (pg_type), and `write`
// writes one element. The encoder collects one value from each row.
function arrayOf<T>(oid: number, write: (value: T) => void) {
  return <R>(
    rows: readonly R[],
    readValue: (row: R, index: number) => T | null,
  ): ArrayParameter => {
    let nulls = 0
    startBuffer(HEADER_BYTES)
    for (let index = 0; index < rows.length; index++) {
      const value = readValue(rows[index] as R, index)
      if (value !== null) write(value)
      else {
        nulls++
        writeNull()
      }
    }
    if (nulls === rows.length) return EMPTY
    patchInt32(0, 1) // The number of dimensions.
    patchInt32(4, nulls > 0 ? 1 : 0) // Whether any element is null.
    patchInt32(8, oid)
    patchInt32(12, rows.length) // The length of the only dimension.
    patchInt32(16, 1) // The index of the first element.
    return copyOfBuffer()
  }
}

// Writes one value of a row, or null. `shared` contains the values that all rows have in common.
type Column<R, S> = (row: R, shared: S) => void

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1') // With no flags.
const END = -1

// Inserts rows by COPY in binary format. For many rows this is PostgreSQL's cheapest way, with the same
// constraints and triggers as an insert. The rows are sent with the statement, before the database says that
// it is ready for them (src/db/statement-group.ts).
//
// `columns` has the column names as keys. Each value must write the exact type of its column, because binary
// COPY converts nothing.
export class CopyTarget<R, S = undefined> {
  readonly #text: string
  readonly #name: string
  readonly #columns: readonly Column<R, S>[]

  constructor(table: string, columns: Record<string, Column<R, S>>) {
    this.#name = `copy-${table}`
    this.#text = `copy ${table} (${Object.keys(columns).join(', ')}) from stdin (format binary)`
    this.#columns = Object.values(columns)
  }

  // Inserts rows with one COPY statement.
  async insert(tx: Transaction, rows: readonly R[], shared: S): Promise<void> {
    if (rows.length === 0) return
    const statement: Statement = {
      name: this.#name,
      text: this.#text,
      copy: this.#encode(rows, shared),
    }
    await tx.query(statement as never) // The driver's types do not know `copy`.
  }

  #encode(rows: readonly R[], shared: S): Buffer {
    const columns = this.#columns
    startBuffer(0)
    writeRaw(SIGNATURE)
    for (let index = 0; index < rows.length; index++) {
      writeInt16(columns.length)
      for (const column of columns) column(rows[index] as R, shared)
    }
    writeInt16(END)
    return copyOfBuffer()
  }
}

export const int8 = columnOf<bigint>(writeInt8)
export const text = columnOf<string>(writeText)
export const bytea = columnOf<Buffer>(writeBytes)
export const bool = columnOf<boolean>(writeBool)
export const timestamptz = columnOf<Date>(writeTime)
export const date = columnOf<string>(writeDate)
export const uuid = columnOf<string>(writeUuid)

// Makes a column of CopyTarget from a function that reads its value from a row.
function columnOf<T>(write: (value: T) => void) {
  return <R, S>(readValue: (row: R, shared: S) => T | null): Column<R, S> =>
    (row, shared) => {
      const value = readValue(row, shared)
      if (value === null) writeNull()
      else write(value)
    }
}

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
let at = 0

// Leaves room for a header with counts, which is written last.
function begin(headerBytes: number): void {
  at = headerBytes
}

function end(): Buffer {
  return Buffer.from(scratch.subarray(0, at))
}

function patchInt32(offset: number, value: number): void {
  view.setInt32(offset, value)
}

// Writes bytes without their length.
function writeRaw(bytes: Buffer): void {
  reserve(bytes.length)
  scratch.set(bytes, at)
  at += bytes.length
}

function writeInt16(value: number): void {
  reserve(2)
  view.setInt16(at, value)
  at += 2
}

function writeNull(): void {
  reserve(LENGTH_BYTES)
  view.setInt32(at, NULL_LENGTH)
  at += LENGTH_BYTES
}

// Refuses a value that does not fit: it would wrap round to another amount.
function writeInt8(value: bigint): void {
  if (value < INT8_MIN || value > INT8_MAX) throw new RangeError(`${value} is not a bigint`)
  reserve(LENGTH_BYTES + 8)
  view.setInt32(at, 8)
  view.setBigInt64(at + LENGTH_BYTES, value)
  at += LENGTH_BYTES + 8
}

function writeInt4(value: number): void {
  if ((value | 0) !== value) throw new RangeError(`${value} is not an int`)
  reserve(LENGTH_BYTES + 4)
  view.setInt32(at, 4)
  view.setInt32(at + LENGTH_BYTES, value)
  at += LENGTH_BYTES + 4
}

function writeBool(value: boolean): void {
  reserve(LENGTH_BYTES + 1)
  view.setInt32(at, 1)
  scratch[at + LENGTH_BYTES] = value ? 1 : 0
  at += LENGTH_BYTES + 1
}

function writeText(value: string): void {
  reserve(LENGTH_BYTES + value.length * 3) // A character takes at most three bytes in UTF-8.
  const start = at + LENGTH_BYTES
  const bytes = scratch.write(value, start, 'utf8')
  view.setInt32(at, bytes)
  at = start + bytes
}

function writeBytes(value: Buffer): void {
  reserve(LENGTH_BYTES + value.length)
  view.setInt32(at, value.length)
  scratch.set(value, at + LENGTH_BYTES)
  at += LENGTH_BYTES + value.length
}

function writeTime(value: Date): void {
  writeInt8(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1000n)
}

// Writes a day in ISO 8601, such as 2026-11-16.
function writeDate(value: string): void {
  const days = (Date.parse(`${value}T00:00:00Z`) - POSTGRES_EPOCH_MS) / 86_400_000
  writeInt4(days)
}

function writeUuid(value: string): void {
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

// Returns null for the value that nearly every row has. The statement fills that value in.
export function unless<T>(usual: NoInfer<T>, value: T): T | null {
  return value === usual ? null : value
}

function arrayOf<T>(oid: number, write: (value: T) => void) {
  return <R>(rows: readonly R[], of: (row: R, at: number) => T | null): ArrayParameter => {
    let nulls = 0
    begin(HEADER_BYTES)
    for (let index = 0; index < rows.length; index++) {
      const value = of(rows[index] as R, index)
      if (value !== null) write(value)
      else {
        nulls++
        writeNull()
      }
    }
    if (nulls === rows.length) return EMPTY
    patchInt32(0, 1) // The number of dimensions.
    patchInt32(4, nulls > 0 ? 1 : 0)
    patchInt32(8, oid)
    patchInt32(12, rows.length)
    patchInt32(16, 1) // The index of the first element.
    return end()
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
// `columns` are by name. Each must write the exact type of its column, because COPY converts nothing.
export class CopyTarget<R, S = undefined> {
  readonly #text: string
  readonly #name: string
  readonly #columns: readonly Column<R, S>[]

  constructor(table: string, columns: Record<string, Column<R, S>>) {
    this.#name = `copy-${table}`
    this.#text = `copy ${table} (${Object.keys(columns).join(', ')}) from stdin (format binary)`
    this.#columns = Object.values(columns)
  }

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
    begin(0)
    writeRaw(SIGNATURE)
    for (let index = 0; index < rows.length; index++) {
      writeInt16(columns.length)
      for (const column of columns) column(rows[index] as R, shared)
    }
    writeInt16(END)
    return end()
  }
}

export const int8 = columnOf<bigint>(writeInt8)
export const text = columnOf<string>(writeText)
export const bytea = columnOf<Buffer>(writeBytes)
export const bool = columnOf<boolean>(writeBool)
export const timestamptz = columnOf<Date>(writeTime)
export const date = columnOf<string>(writeDate)
export const uuid = columnOf<string>(writeUuid)

function columnOf<T>(write: (value: T) => void) {
  return <R, S>(of: (row: R, shared: S) => T | null): Column<R, S> =>
    (row, shared) => {
      const value = of(row, shared)
      if (value === null) writeNull()
      else write(value)
    }
}

// Array parameters in PostgreSQL's binary format, for the statements that every credit passes
// through. (The driver sends a Buffer as binary.) Elsewhere the literals of arrays.ts do, which fit
// columns of any type; here the type of the elements must be the one that the statement names:
// `int8s` for bigint[], `texts` for text[], …
//
// A column that is null in every row is sent as `{}`: next to one that never is, unnest() fills it up
// with nulls, and it costs nothing per row.

import * as binary from './binary-values.ts'

export type ArrayParameter = Buffer | string

const EMPTY = '{}'
const HEADER_BYTES = 20

export const int8s = arrayOf<bigint | number>(20, (value) =>
  binary.writeInt8(typeof value === 'bigint' ? value : BigInt(value)),
)
export const int4s = arrayOf<number>(23, binary.writeInt4)
export const texts = arrayOf<string>(25, binary.writeText)
export const jsons = arrayOf<string>(114, binary.writeText)
export const uuids = arrayOf<string>(2950, binary.writeUuid)

// Null for the value that nearly every row has, which the statement fills in.
export function unless<T>(usual: NoInfer<T>, value: T): T | null {
  return value === usual ? null : value
}

function arrayOf<T>(oid: number, write: (value: T) => void) {
  return <R>(rows: readonly R[], of: (row: R, at: number) => T | null): ArrayParameter => {
    let nulls = 0
    binary.begin(HEADER_BYTES)
    for (let index = 0; index < rows.length; index++) {
      const value = of(rows[index] as R, index)
      if (value !== null) write(value)
      else {
        nulls++
        binary.writeNull()
      }
    }
    if (nulls === rows.length) return EMPTY
    binary.patchInt32(0, 1) // Dimensions.
    binary.patchInt32(4, nulls > 0 ? 1 : 0)
    binary.patchInt32(8, oid)
    binary.patchInt32(12, rows.length)
    binary.patchInt32(16, 1) // The first index.
    return binary.end()
  }
}

// Inserts rows by COPY in binary format: for many rows at once PostgreSQL's cheapest way in, through
// the same constraints and triggers as an insert. The rows travel with the statement, ahead of the
// database's word that it is ready for them (statement-group.ts).

import * as binary from './binary-values.ts'
import type { Statement } from './statement-group.ts'
import type { Transaction } from './transaction.ts'

// Writes one value of a row, or null; `shared` is what all rows have in common.
type Column<R, S> = (row: R, shared: S) => void

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1') // And no flags.
const END = -1

// By the names of the columns. A column's type must be the one that is written: nothing is converted.
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
    await tx.query(statement as never) // The driver's types know of no rows.
  }

  #encode(rows: readonly R[], shared: S): Buffer {
    const columns = this.#columns
    binary.begin(0)
    binary.writeRaw(SIGNATURE)
    for (let index = 0; index < rows.length; index++) {
      binary.writeInt16(columns.length)
      for (const column of columns) column(rows[index] as R, shared)
    }
    binary.writeInt16(END)
    return binary.end()
  }
}

export const int8 = columnOf<bigint>(binary.writeInt8)
export const text = columnOf<string>(binary.writeText)
export const bytea = columnOf<Buffer>(binary.writeBytes)
export const bool = columnOf<boolean>(binary.writeBool)
export const timestamptz = columnOf<Date>(binary.writeTime)
export const date = columnOf<string>(binary.writeDate)
export const uuid = columnOf<string>(binary.writeUuid)

function columnOf<T>(write: (value: T) => void) {
  return <R, S>(of: (row: R, shared: S) => T | null): Column<R, S> =>
    (row, shared) => {
      const value = of(row, shared)
      if (value === null) binary.writeNull()
      else write(value)
    }
}

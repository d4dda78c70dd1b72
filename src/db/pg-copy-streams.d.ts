// The part of pg-copy-streams that we use: rows into a table, as text.

declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream'
  import type pg from 'pg'

  export function from(text: string): Writable & pg.Submittable
}

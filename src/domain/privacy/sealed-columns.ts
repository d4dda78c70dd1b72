// Finds every column with sealed values and reseals them page by page. Columns are found by name
// (migration 0014), so that a new table cannot be forgotten.

import type { Queryable } from '#db/pool.ts'
import type { Sealer } from '#seal.ts'

const PAGE_ROWS = 500

export type SealedColumn = { table: string; column: string; key: string; keyType: string }
export type Page = { rows: number; changed: number; last: string | undefined }

// Partitions are reached through their table. Throws for a table without a single-column key,
// because a rotation would silently skip it.
export async function findSealedColumns(db: Queryable): Promise<SealedColumn[]> {
  const { rows } = await db.query<SealedColumn>(
    `select c.relname as "table", a.attname as "column", k.attname as "key",
            format_type(k.atttypid, null) as "keyType"
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname like '%\\_sealed'
       left join pg_index i on i.indrelid = c.oid and i.indisprimary and i.indnkeyatts = 1
       left join pg_attribute k on k.attrelid = c.oid and k.attnum = i.indkey[0]
      where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
        and not a.attisdropped and c.relnamespace = 'public'::regnamespace
      order by 1, 2`,
  )
  const without = rows.find((row) => row.key === null)
  if (without) throw new Error(`${without.table} has sealed values and no key of one column`)
  return rows
}

type SealedPage = { sealer: Sealer; of: SealedColumn; after: string | undefined }

// Reseals the values of one page that use another key. Writes a value only if it has not changed
// since it was read, so that concurrent changes win. Locks nothing beyond the one statement. Keys
// are passed as text and compared in their own type.
export async function resealPage(
  db: Queryable,
  { sealer, of: { table, column, key, keyType }, after }: SealedPage,
): Promise<Page> {
  const { rows } = await db.query<{ key: string; sealed: Buffer }>(
    `select ${key}::text as key, ${column} as sealed from ${table}
      where ${column} is not null ${after === undefined ? '' : `and ${key} > $1::${keyType}`}
      order by ${table}.${key} limit ${PAGE_ROWS}`,
    after === undefined ? [] : [after],
  )
  const old = rows.filter(({ sealed }) => !sealer.isCurrent(sealed))
  if (old.length > 0) {
    await db.query(
      `update ${table} t set ${column} = n.resealed
         from unnest($1::${keyType}[], $2::bytea[], $3::bytea[]) as n (key, old, resealed)
        where t.${key} = n.key and t.${column} = n.old`,
      [
        old.map((row) => row.key),
        old.map((row) => row.sealed),
        old.map((row) => sealer.seal(sealer.open(row.sealed))),
      ],
    )
  }
  const last = rows.length < PAGE_ROWS ? undefined : rows.at(-1)?.key
  return { rows: rows.length, changed: old.length, last }
}

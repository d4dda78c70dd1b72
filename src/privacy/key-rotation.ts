// Rotates the data key while the service runs. The next run repeats an interrupted step:
//
//   1. offer the new key, and wait until every running process opens with it;
//   2. make it the sealing key, and wait until every running process seals with it;
//   3. wait for earlier transactions, which may hold values sealed with another key;
//   4. reseal every column page by page, until a whole pass finds nothing under another key; then
//      clear the other keys: they may be dropped.

import type { Clock } from '#clock.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import type { Sealer } from '#seal.ts'
import { activateKey, GONE_AFTER_MS, KeyProblem, readKeys } from './data-keys.ts'

const PAGE_ROWS = 500

export type SealedColumn = { table: string; column: string; key: string; keyType: string }

// Finds the columns with sealed values by their name (0021_privacy.sql), so that a new table is included.
// Lists tables but not their partitions, which are read through their table. Throws for a table without a
// single-column key, because a rotation would silently skip the table.
export async function findSealedColumns(db: Queryable): Promise<SealedColumn[]> {
  const { rows } = await db.query<SealedColumn>(
    `select c.relname as "table", a.attname as "column", k.attname as "key",
            format_type(k.atttypid, null) as key_type
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname like '%\\_sealed'
       left join pg_index i on i.indrelid = c.oid and i.indisprimary and i.indnkeyatts = 1
       left join pg_attribute k on k.attrelid = c.oid and k.attnum = i.indkey[0]
      where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
        and not a.attisdropped and c.relnamespace = 'public'::regnamespace
      order by 1, 2`,
  )
  const keyless = rows.find((row) => row.key === null)
  if (keyless) throw new Error(`${keyless.table} has sealed values and no key of one column`)
  return rows
}

type SealedPage = { sealer: Sealer; source: SealedColumn; after: string | undefined }

// Reseals the values of one page that use another key. Writes a value only if it has not changed since it was
// read, so a concurrent change wins. Holds no lock beyond one statement. Keys of rows are passed as text and
// compared in their own type. `last` is the key of the last row, or undefined if no page follows.
export async function resealPage(
  db: Queryable,
  { sealer, source: { table, column, key, keyType }, after }: SealedPage,
): Promise<{ rows: number; changed: number; last: string | undefined }> {
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

// Announces a key, so that processes report whether they hold it. A cleared key's id may be reused for
// another key.
async function offerKey(
  db: Queryable,
  now: Date,
  { sealer, id }: { sealer: Sealer; id: number },
): Promise<void> {
  const fingerprint = sealer.fingerprints().find((key) => key.id === id)?.fingerprint
  await db.query({
    name: 'offer-data-key',
    text: `insert into data_keys (id, fingerprint, added_at, cleared_at) values ($1, $2, $3, $3)
           on conflict (id) do update
              set fingerprint = excluded.fingerprint where data_keys.cleared_at is not null`,
    values: [id, fingerprint, now],
  })
  const stored = (await readKeys(db)).find((key) => key.id === id)
  if (!fingerprint || !stored?.fingerprint.equals(fingerprint)) {
    throw new KeyProblem(`Another key goes by the id ${id} already: give the new one its own.`)
  }
}

// Marks all keys but the sealing one as cleared: nothing is sealed with them any more. Returns their ids.
async function clearOtherKeys(db: Queryable, now: Date): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `update data_keys set cleared_at = coalesce(cleared_at, $1) where not is_sealing returning id`,
    [now],
  )
  return rows.map((row) => row.id).sort((one, other) => one - other)
}

// Counts running processes that cannot open with the key yet, or do not seal with it yet.
async function countLagging(
  db: Queryable,
  now: Date,
  { id, ability }: { id: number; ability: 'opens' | 'seals' },
): Promise<number> {
  const { rows } = await db.query<{ behind: number }>({
    name: `count-behind-${ability}`,
    text: `select count(*)::int as behind from key_holders
            where seen_at > $2 and not ${ability === 'opens' ? '$1 = any(opens)' : 'seals = $1'}`,
    values: [id, new Date(now.getTime() - GONE_AFTER_MS)],
  })
  return rows[0]?.behind ?? 0
}

const WAIT_MAX_MS = 120_000
const PASSES_MAX = 10

export type Progress =
  | { step: 'waiting'; processes: number; until: 'opens' | 'seals' }
  | { step: 'sealing'; table: string; column: string; seen: number; resealed: number }

type Rotation = {
  pool: Pool
  sealer: Sealer // Holds the new key and every key that may have sealed something.
  clock: Clock
  pause: () => Promise<void> // Waits between two polls.
  onProgress: (progress: Progress) => void
}

type RotationResult = { resealed: number; cleared: number[] }

// Seals everything with key `id`. Scans the columns even if that key already seals, because an earlier run
// may have been interrupted.
export async function rotateKeys(rotation: Rotation, id: number): Promise<RotationResult> {
  const { pool, sealer, clock } = rotation
  await offerKey(pool, clock(), { sealer, id })
  await waitForProcesses(rotation, id, 'opens')
  await activateKey(pool, id)
  sealer.sealWith(id)
  await waitForProcesses(rotation, id, 'seals')
  await waitForTransactions(rotation)
  const resealed = await resealEverything(rotation)
  return { resealed, cleared: await clearOtherKeys(pool, clock()) }
}

// Counts the sealed values by the id of their key, which is the first byte of each value.
export async function countByKey(db: Queryable): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const { table, column } of await findSealedColumns(db)) {
    const { rows } = await db.query<{ id: number; count: number }>(
      `select get_byte(${column}, 0) as id, count(*)::int as count from ${table}
        where ${column} is not null group by 1`,
    )
    for (const { id, count } of rows) counts.set(id, (counts.get(id) ?? 0) + count)
  }
  return counts
}

// Waits until every running process can open with the key, or seals with it. Gives up after two minutes.
async function waitForProcesses(
  { pool, clock, pause, onProgress }: Rotation,
  id: number,
  until: 'opens' | 'seals',
): Promise<void> {
  const endMs = clock().getTime() + WAIT_MAX_MS
  for (;;) {
    const processes = await countLagging(pool, clock(), { id, ability: until })
    if (processes === 0) return
    onProgress({ step: 'waiting', processes, until })
    if (clock().getTime() >= endMs) {
      throw new KeyProblem(
        until === 'opens'
          ? `${processes} of the running processes do not hold data key ${id}: restart them with ` +
              'it in MANILLA_DATA_KEYS, then run this again. Nothing was changed.'
          : `${processes} of the running processes do not seal with data key ${id} yet: run this ` +
              'again. Both keys are still needed.',
      )
    }
    await pause()
  }
}

// Waits for running transactions that have written something. Later transactions seal with the new key.
async function waitForTransactions({ pool, clock, pause }: Rotation): Promise<void> {
  const endMs = clock().getTime() + WAIT_MAX_MS
  // The ids of other sessions' transactions. PostgreSQL assigns an id when a transaction first writes.
  const listWritingTransactions = async () => {
    const { rows } = await pool.query<{ xid: string }>(
      `select backend_xid::text as xid from pg_stat_activity
        where datname = current_database() and backend_xid is not null
          and pid <> pg_backend_pid()`,
    )
    return rows.map(({ xid }) => xid)
  }
  const earlier = new Set(await listWritingTransactions())
  while ((await listWritingTransactions()).some((xid) => earlier.has(xid))) {
    if (clock().getTime() >= endMs) {
      throw new KeyProblem(
        'A transaction of the database does not end: end it, then run this again.',
      )
    }
    await pause()
  }
}

// Reseals all columns until a whole pass finds nothing under another key. Returns the number of resealed
// values.
async function resealEverything(rotation: Rotation): Promise<number> {
  const columns = await findSealedColumns(rotation.pool)
  let resealed = 0
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    let resealedInPass = 0
    for (const column of columns) resealedInPass += await resealColumn(rotation, column)
    if (resealedInPass === 0) return resealed
    resealed += resealedInPass
  }
  throw new KeyProblem('Something still seals with an old key: look for a process that is stuck.')
}

// Reseals one column, page by page. Returns the number of resealed values.
async function resealColumn(rotation: Rotation, sealedColumn: SealedColumn): Promise<number> {
  const { pool, sealer, onProgress } = rotation
  const { table, column } = sealedColumn
  let [seen, resealed] = [0, 0]
  let after: string | undefined
  do {
    const page = await resealPage(pool, { sealer, source: sealedColumn, after })
    seen += page.rows
    resealed += page.changed
    after = page.last
    onProgress({ step: 'sealing', table, column, seen, resealed })
  } while (after !== undefined)
  return resealed
}

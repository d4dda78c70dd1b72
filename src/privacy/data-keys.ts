// Data keys: which keys a database knows, which keys each running process holds, and the rotation to
// another key, which reseals every sealed value.

import type { Clock } from '#clock.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Sealer } from '#seal.ts'

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

type SealedPage = { sealer: Sealer; of: SealedColumn; after: string | undefined }

// Reseals the values of one page that use another key. Writes a value only if it has not changed since it was
// read, so a concurrent change wins. Holds no lock beyond one statement. Keys of rows are passed as text and
// compared in their own type.
export async function resealPage(
  db: Queryable,
  { sealer, of: { table, column, key, keyType }, after }: SealedPage,
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

// The data key that seals, and the keys that each process holds. Stored in the database, so that
// all processes agree:
//
//   cleared ──all processes open with it──▶ sealing ──another key seals──▶ being cleared ─┐
//   ▲ offered                                                                             │
//   └─────────────────────────────────────────────────────────────────────────────────────┘
//
// Every two seconds each process reads the keys. It reports the keys it can open with and the key it seals
// with when they change, and every ten seconds. A key seals only after every running process can open with
// it. A key is cleared, and may be dropped, when no process seals with it and no table holds a value sealed
// with it.

export const HEARTBEAT_MS = 2_000
export const REPORT_MS = 10_000
const GONE_AFTER_MS = 30_000 // A process without a report for this long is not running.
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

export class KeyProblem extends Error {}

type StoredKey = { id: number; fingerprint: Buffer; isSealing: boolean; isCleared: boolean }

export async function readKeys(db: Queryable): Promise<StoredKey[]> {
  const { rows } = await db.query<StoredKey>({
    name: 'read-data-keys',
    text: `select id, fingerprint, is_sealing,
                  cleared_at is not null as is_cleared
             from data_keys order by id`,
  })
  return rows
}

// Seals with the key that the database names, or with the first configured key if the database is new.
// Refuses to start without a key that may have sealed something, because a later read would fail.
export async function syncKeys(db: Queryable, now: Date, sealer: Sealer): Promise<void> {
  let keys = await readKeys(db)
  if (!keys.some((key) => key.isSealing)) {
    await addFirstKeys(db, now, sealer)
    keys = await readKeys(db)
  }
  followKeys(keys, sealer)
}

// Seals with the key that the database names. Throws if a key that may have sealed something is missing: a
// running process may have lost it.
export function followKeys(keys: readonly StoredKey[], sealer: Sealer): void {
  const ours = new Map(sealer.fingerprints().map((key) => [key.id, key.fingerprint]))
  for (const { id, fingerprint, isSealing } of keys.filter((key) => !key.isCleared)) {
    const heldFingerprint = ours.get(id)
    if (heldFingerprint && !heldFingerprint.equals(fingerprint)) {
      throw new KeyProblem(`Data key ${id} is not the one that this database knows by that id.`)
    }
    if (!heldFingerprint) {
      throw new KeyProblem(
        `Data key ${id} is missing, and data may be sealed with it: see MANILLA_DATA_KEYS.`,
      )
    }
    if (isSealing) sealer.sealWith(id)
  }
}

// Describes as text what a process would report now.
export function describeHolder(keys: readonly StoredKey[], sealer: Sealer): string {
  const isOurs = ({ id, fingerprint }: StoredKey) =>
    sealer.fingerprints().some((key) => key.id === id && key.fingerprint.equals(fingerprint))
  return `opens ${keys.filter(isOurs).map(({ id }) => id)}, seals ${sealer.sealingId}`
}

// Reports only keys whose fingerprint matches the database's.
export async function reportKeys(
  db: Queryable,
  now: Date,
  { process, sealer }: { process: string; sealer: Sealer },
): Promise<void> {
  const ours = sealer.fingerprints()
  await db.query({
    name: 'tell-keys',
    text: `with gone as (delete from key_holders where seen_at < $6)
           insert into key_holders (process, opens, seals, seen_at)
           select $1::uuid, array(select d.id from data_keys d
                                    join unnest($2::int[], $3::bytea[]) as o (id, fingerprint)
                                      on d.id = o.id and d.fingerprint = o.fingerprint
                                   order by d.id), $4::smallint, $5::timestamptz
           on conflict (process) do update
              set opens = excluded.opens, seals = excluded.seals, seen_at = excluded.seen_at`,
    values: [
      process,
      ours.map(({ id }) => id),
      ours.map(({ fingerprint }) => fingerprint),
      sealer.sealingId,
      now,
      new Date(now.getTime() - FORGOTTEN_AFTER_MS),
    ],
  })
}

// Counts the running processes that have reported.
export async function countProcesses(db: Queryable, now: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-processes',
    text: 'select count(*)::int as count from key_holders where seen_at > $1',
    values: [new Date(now.getTime() - GONE_AFTER_MS)],
  })
  return rows[0]?.count ?? 0
}

export async function removeKeyHolder(db: Queryable, process: string): Promise<void> {
  await db.query('delete from key_holders where process = $1', [process])
}

// Announces a key, so that processes report whether they hold it. A cleared key's id may be reused for
// another key.
async function offerKey(
  db: Queryable,
  now: Date,
  { sealer, id }: { sealer: Sealer; id: number },
): Promise<void> {
  const offered = sealer.fingerprints().find((key) => key.id === id)?.fingerprint
  await db.query({
    name: 'offer-data-key',
    text: `insert into data_keys (id, fingerprint, added_at, cleared_at) values ($1, $2, $3, $3)
           on conflict (id) do update
              set fingerprint = excluded.fingerprint where data_keys.cleared_at is not null`,
    values: [id, offered, now],
  })
  const stored = (await readKeys(db)).find((key) => key.id === id)
  if (!offered || !stored?.fingerprint.equals(offered)) {
    throw new KeyProblem(`Another key goes by the id ${id} already: give the new one its own.`)
  }
}

// Registers the configured keys in a database that knows none. Any of them may have sealed something. The
// first configured key becomes the sealing key.
async function addFirstKeys(db: Queryable, now: Date, sealer: Sealer): Promise<void> {
  const ours = sealer.fingerprints()
  await db.query({
    name: 'add-first-data-keys',
    text: `insert into data_keys (id, fingerprint, is_sealing, added_at)
           select k.id, k.fingerprint, k.id = $3, $4
             from unnest($1::int[], $2::bytea[]) as k (id, fingerprint)
           on conflict do nothing`,
    values: [
      ours.map(({ id }) => id),
      ours.map(({ fingerprint }) => fingerprint),
      sealer.sealingId,
      now,
    ],
  })
}

// Makes the key the sealing key. Processes follow at their next heartbeat.
export async function activateKey(pool: Pool, id: number): Promise<void> {
  await withTransaction(pool, async (tx) => {
    await tx.query('update data_keys set is_sealing = false where is_sealing and id <> $1', [id])
    await tx.query('update data_keys set is_sealing = true, cleared_at = null where id = $1', [id])
  })
}

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
  { id, what }: { id: number; what: 'opens' | 'seals' },
): Promise<number> {
  const { rows } = await db.query<{ behind: number }>({
    name: `count-behind-${what}`,
    text: `select count(*)::int as behind from key_holders
            where seen_at > $2 and not ${what === 'opens' ? '$1 = any(opens)' : 'seals = $1'}`,
    values: [id, new Date(now.getTime() - GONE_AFTER_MS)],
  })
  return rows[0]?.behind ?? 0
}

// Rotates the data key while the service runs. The next run repeats an interrupted step:
//
//   1. offer the new key, and wait until every running process opens with it;
//   2. make it the sealing key, and wait until every running process seals with it;
//   3. wait for earlier transactions, which may hold values sealed with another key;
//   4. reseal every column page by page, until a whole pass finds nothing under another key; then
//      clear the other keys: they may be dropped.

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

// Seals everything with key `id`. Scans the columns even if that key already seals.
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

async function waitForProcesses(
  { pool, clock, pause, onProgress }: Rotation,
  id: number,
  until: 'opens' | 'seals',
): Promise<void> {
  const endMs = clock().getTime() + WAIT_MAX_MS
  for (;;) {
    const processes = await countLagging(pool, clock(), { id, what: until })
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
  const writing = async () => {
    const { rows } = await pool.query<{ xid: string }>(
      `select backend_xid::text as xid from pg_stat_activity
        where datname = current_database() and backend_xid is not null
          and pid <> pg_backend_pid()`,
    )
    return rows.map(({ xid }) => xid)
  }
  const before = new Set(await writing())
  while ((await writing()).some((xid) => before.has(xid))) {
    if (clock().getTime() >= endMs) {
      throw new KeyProblem(
        'A transaction of the database does not end: end it, then run this again.',
      )
    }
    await pause()
  }
}

async function resealEverything(rotation: Rotation): Promise<number> {
  const columns = await findSealedColumns(rotation.pool)
  let resealed = 0
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    let found = 0
    for (const column of columns) found += await resealColumn(rotation, column)
    if (found === 0) return resealed
    resealed += found
  }
  throw new KeyProblem('Something still seals with an old key: look for a process that is stuck.')
}

async function resealColumn(rotation: Rotation, where: SealedColumn): Promise<number> {
  const { pool, sealer, onProgress } = rotation
  const { table, column } = where
  let [seen, resealed] = [0, 0]
  let after: string | undefined
  do {
    const page = await resealPage(pool, { sealer, of: where, after })
    seen += page.rows
    resealed += page.changed
    after = page.last
    onProgress({ step: 'sealing', table, column, seen, resealed })
  } while (after !== undefined)
  return resealed
}

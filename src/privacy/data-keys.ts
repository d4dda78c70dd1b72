// The data keys that a database knows, and those that each running process holds. Data keys seal personal
// data. key-rotation.ts changes the key.

import type { Pool, Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Sealer } from '#seal.ts'

// The states of a data key. The database stores them, so that all processes agree. A new key is offered in
// the state `cleared`, because it has sealed nothing yet:
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
export const GONE_AFTER_MS = 30_000 // A process without a report for this long is not running.
const FORGOTTEN_AFTER_MS = 24 * 3_600_000 // Then the row of the process is deleted.

export class KeyProblem extends Error {}

type StoredKey = { id: number; fingerprint: Buffer; isSealing: boolean; isCleared: boolean }

// Reads all data keys that the database knows.
export async function readKeys(db: Queryable): Promise<StoredKey[]> {
  const { rows } = await db.query<StoredKey>({
    name: 'read-data-keys',
    text: `select id, fingerprint, is_sealing,
                  cleared_at is not null as is_cleared
             from data_keys order by id`,
  })
  return rows
}

// Called when a process starts. Seals with the key that the database names, or with the first configured key
// if the database is new. Throws if a key that may have sealed something is missing: a later read would fail.
export async function syncKeys(db: Queryable, now: Date, sealer: Sealer): Promise<void> {
  let keys = await readKeys(db)
  if (!keys.some((key) => key.isSealing)) {
    await addFirstKeys(db, now, sealer)
    keys = await readKeys(db)
  }
  followKeys(keys, sealer)
}

// Seals with the key that the database names, which changes in a rotation. Throws if a key that may have
// sealed something is missing: the configuration of a running process may have lost it.
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

// Describes as text which keys this process holds. The worker reports them when the text changes.
export function describeHolder(keys: readonly StoredKey[], sealer: Sealer): string {
  const isOurs = ({ id, fingerprint }: StoredKey) =>
    sealer.fingerprints().some((key) => key.id === id && key.fingerprint.equals(fingerprint))
  return `opens ${keys.filter(isOurs).map(({ id }) => id)}, seals ${sealer.sealingId}`
}

// Stores which keys this process can open with, and which one it seals with. Leaves out keys whose
// fingerprint is not the database's.
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

// Removes a process that stops, so that a rotation does not wait for it.
export async function removeKeyHolder(db: Queryable, process: string): Promise<void> {
  await db.query('delete from key_holders where process = $1', [process])
}

// Registers the configured keys in a database that knows none. None is stored as cleared, because any of them
// may have sealed something. The first configured key becomes the sealing key.
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

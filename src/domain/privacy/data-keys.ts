// The data key that seals, and the keys that each process holds. Stored in the database, so that
// all processes agree:
//
//   cleared ──all processes open with it──▶ sealing ──another one seals──▶ being cleared ─┐
//   ▲ offered                                                                             │
//   └─────────────────────────────────────────────────────────────────────────────────────┘
//
// Every two seconds each process reports the keys it can open with and the key it seals with. A key
// seals only after every running process can open with it. A key is cleared, and may be dropped,
// when no process seals with it and no table holds a value sealed with it.

import type { Pool, Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Sealer } from '#seal.ts'

export const HEARTBEAT_MS = 2_000
const GONE_AFTER_MS = 30_000 // A process without a report for this long is not running.
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

export class KeyProblem extends Error {}

type StoredKey = { id: number; fingerprint: Buffer; isSealing: boolean; isCleared: boolean }

export async function readKeys(db: Queryable): Promise<StoredKey[]> {
  const { rows } = await db.query<StoredKey>({
    name: 'read-data-keys',
    text: `select id, fingerprint, is_sealing as "isSealing",
                  cleared_at is not null as "isCleared"
             from data_keys order by id`,
  })
  return rows
}

// Seals with the key that the database names; on a new database, with our first. Refuses to start
// without a key that may have sealed something, because a later read would fail.
export async function syncKeys(db: Queryable, now: Date, sealer: Sealer): Promise<void> {
  let keys = await readKeys(db)
  if (!keys.some((key) => key.isSealing)) {
    await addFirstKeys(db, now, sealer)
    keys = await readKeys(db)
  }
  const ours = new Map(sealer.fingerprints().map((key) => [key.id, key.fingerprint]))
  for (const { id, fingerprint, isSealing } of keys.filter((key) => !key.isCleared)) {
    const own = ours.get(id)
    if (own && !own.equals(fingerprint)) {
      throw new KeyProblem(`Data key ${id} is not the one that this database knows by that id.`)
    }
    if (!own) {
      throw new KeyProblem(
        `Data key ${id} is missing, and data may be sealed with it: see MANILLA_DATA_KEYS.`,
      )
    }
    if (isSealing) sealer.sealWith(id)
  }
}

// Counts only keys whose fingerprint matches the database's.
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

export async function removeKeyHolder(db: Queryable, process: string): Promise<void> {
  await db.query('delete from key_holders where process = $1', [process])
}

// Announces a key, so that processes report whether they hold it. The id of a cleared key may be
// reused for another key.
export async function offerKey(
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

// For a database without keys: any of ours may have sealed something, and the first one seals.
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

// Processes follow at their next heartbeat.
export async function activateKey(pool: Pool, id: number): Promise<void> {
  await withTransaction(pool, async (tx) => {
    await tx.query('update data_keys set is_sealing = false where is_sealing and id <> $1', [id])
    await tx.query('update data_keys set is_sealing = true, cleared_at = null where id = $1', [id])
  })
}

export async function clearOtherKeys(db: Queryable, now: Date): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `update data_keys set cleared_at = coalesce(cleared_at, $1) where not is_sealing returning id`,
    [now],
  )
  return rows.map((row) => row.id).sort((one, other) => one - other)
}

// Counts running processes that cannot open with the key yet, or do not seal with it yet.
export async function countLagging(
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

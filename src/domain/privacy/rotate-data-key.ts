// Rotates the data key while the service runs. The next run repeats an interrupted step:
//
//   1. offer the new key, and wait until every running process opens with it;
//   2. choose it, and wait until every running process seals with it;
//   3. wait for earlier transactions, which may hold values sealed before;
//   4. reseal every column page by page, until a whole pass finds nothing under another key; then
//      clear the other keys: they may be dropped.

import type { Clock } from '#clock.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import type { Sealer } from '#seal.ts'
import { activateKey, clearOtherKeys, countLagging, KeyProblem, offerKey } from './data-keys.ts'
import { findSealedColumns, resealPage, type SealedColumn } from './sealed-columns.ts'

const WAIT_MAX_MS = 120_000
const PASSES_MAX = 10

export type Progress =
  | { step: 'waiting'; processes: number; until: 'opens' | 'seals' }
  | { step: 'sealing'; table: string; column: string; seen: number; resealed: number }

type Rotation = {
  pool: Pool
  sealer: Sealer // Holds the new key and every key that may have sealed something.
  clock: Clock
  pause: () => Promise<void> // Between two polls.
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

// Waits for running transactions that have written. Later ones seal with the new key.
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

// For tests of concurrency: waits until a number of database sessions wait for a lock.

import type { Queryable } from '#db/pool.ts'
import { until } from './embedded-bench.ts'

const WAITING = `
  select count(distinct pid)::int as n from pg_locks
   where not granted
     and database = (select oid from pg_database where datname = current_database())`
const BLOCKED = `
  select count(*)::int as n from pg_stat_activity
   where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
const DECIDING = `
  select count(*)::int as n from pg_stat_activity
   where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
     and query like 'select decided_transfer_id()%'`

// Resolves when exactly `count` sessions wait for a lock.
export function untilWaiting(db: Queryable, count: number): Promise<void> {
  return until(`${count} wait for a lock`, async () => (await countOf(db, WAITING)) === count)
}

// Resolves when other sessions block exactly `count` sessions. For row locks: a session that waits for a row
// waits for the transaction that holds it.
export function untilBlocked(db: Queryable, count: number): Promise<void> {
  return until(`${count} wait for somebody`, async () => (await countOf(db, BLOCKED)) === count)
}

// Resolves when the closing of a day or of a settlement waits for transfers that are being posted.
export function untilDeciding(db: Queryable): Promise<void> {
  return until('a closing waits', async () => (await countOf(db, DECIDING)) > 0)
}

// Runs one of the queries above, which count sessions.
async function countOf(db: Queryable, text: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(text)
  return rows[0]?.n ?? 0
}

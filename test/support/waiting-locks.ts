// Waits until so many connections to the test database wait for a lock, or until a closing waits.

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

export function untilWaiting(db: Queryable, count: number): Promise<void> {
  return until(`${count} wait for a lock`, async () => (await countOf(db, WAITING)) === count)
}

// For row locks, which have no queue of their own: counts sessions that wait for a transaction.
export function untilBlocked(db: Queryable, count: number): Promise<void> {
  return until(`${count} wait for somebody`, async () => (await countOf(db, BLOCKED)) === count)
}

// Until the closing of a day or a settlement waits for postings.
export function untilDeciding(db: Queryable): Promise<void> {
  return until('a closing waits', async () => (await countOf(db, DECIDING)) > 0)
}

async function countOf(db: Queryable, text: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(text)
  return rows[0]?.n ?? 0
}

// Waits until so many connections to the database of the test stand in line for a lock.

import type { Queryable } from '#db/pool.ts'

const TRIES_MAX = 1_000

export async function untilWaiting(db: Queryable, count: number): Promise<void> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const { rows } = await db.query<{ waiting: number }>(
      `select count(distinct pid)::int as waiting from pg_locks, pg_sleep(0.01)
        where not granted
          and database = (select oid from pg_database where datname = current_database())`,
    )
    if (rows[0]?.waiting === count) return
  }
  throw new Error(`never were ${count} waiting for a lock`)
}

// As above for locks of rows, which stand in no line of their own: who waits for a transaction.
export async function untilBlocked(db: Queryable, count: number): Promise<void> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const { rows } = await db.query<{ blocked: number }>(
      `select count(*)::int as blocked from pg_stat_activity, pg_sleep(0.01)
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    )
    if (rows[0]?.blocked === count) return
  }
  throw new Error(`never were ${count} waiting for somebody`)
}

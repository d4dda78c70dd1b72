// Waits until connections to the database of the test wait for others: so many for a lock, or a closing.

import type { Queryable } from '#db/pool.ts'
import { until } from './embedded-bench.ts'

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

// Until a closing, of a day or of a settlement, waits for those who are posting.
export async function untilDeciding(db: Queryable): Promise<void> {
  await until('a closing waits', async () => {
    const { rowCount } = await db.query(
      `select from pg_stat_activity
        where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
          and query like 'select decided_transfer_id()%' limit 1`,
    )
    return rowCount === 1
  })
}

// Creates upcoming partitions of events, idempotency keys and the like, and drops expired ones.

import type { Queryable } from './pool.ts'

const EVENT_DAYS = 90
const IDEMPOTENCY_KEY_DAYS = 2 // At least 24 h are promised.

export async function maintainPartitions(db: Queryable, now: Date): Promise<string[]> {
  const { rows } = await db.query<{ did: string }>(
    'select maintain_partitions($1, $2, $3) as did',
    [now, EVENT_DAYS, IDEMPOTENCY_KEY_DAYS],
  )
  return rows.map((row) => row.did)
}

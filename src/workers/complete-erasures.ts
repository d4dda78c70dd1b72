// Completes erasures, one page per round and transaction.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { eraseNextPage } from '#domain/privacy/erase-payer-data.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from './loop.ts'

export function completeErasuresRound({
  db,
  clock,
  sealer,
}: {
  db: Pool
  clock: Clock
  sealer: Sealer
}): Round {
  return async () => ({
    more: await withTransaction(db, (tx) => eraseNextPage(tx, { sealer, now: clock() })),
  })
}

// Finishes erasures: each round is one page, in a transaction of its own.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { eraseNextPage } from '#domain/privacy/erase-payer-data.ts'
import type { Round } from './loop.ts'

export function eraseTracesRound({ db, clock }: { db: Pool; clock: Clock }): Round {
  return async () => ({ more: await withTransaction(db, (tx) => eraseNextPage(tx, clock())) })
}

// Raises alerts for money that has been in suspense for too long (escalation.ts).

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Round } from '#workers/loop.ts'
import { escalateSuspense } from './escalation.ts'

export function escalateSuspenseRound({ db, clock }: { db: Pool; clock: Clock }): Round {
  return async () => ({ more: await withTransaction(db, (tx) => escalateSuspense(tx, clock())) })
}

// Writes what this process counted of banks' notifications. Every process that takes notifications
// runs it, workers or not.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { type NotificationMeter, writeMeasures } from '#domain/requery/bank-measures.ts'
import type { Round } from './loop.ts'

type Deps = { db: Pool; clock: Clock; notificationMeter: NotificationMeter }

export function writeMeasuresRound({ db, clock, notificationMeter }: Deps): Round {
  return async () => {
    const taken = notificationMeter.take()
    if (taken.length > 0) await withTransaction(db, (tx) => writeMeasures(tx, clock(), taken))
    return { more: false }
  }
}

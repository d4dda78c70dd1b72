// Writes this process's counts of bank notifications. Every process that receives notifications
// runs it, with or without workers.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { type NotificationMeter, writeMeasures } from '#domain/requery/bank-measures.ts'
import type { Round } from './loop.ts'

type Deps = { db: Pool; clock: Clock; notificationMeter: NotificationMeter }

export function writeMeasuresRound({ db, clock, notificationMeter }: Deps): Round {
  return async () => {
    const measures = notificationMeter.take()
    if (measures.length > 0) await withTransaction(db, (tx) => writeMeasures(tx, clock(), measures))
    return { more: false }
  }
}

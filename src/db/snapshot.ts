// Consistent reads: several statements on one snapshot. Takes no lock that blocks a writer.

import type { Pool } from './pool.ts'
import { readOn } from './replica-reads.ts'
import { type Transaction, withTransaction } from './transaction.ts'

export function withSnapshot<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return readOn(pool, (on) =>
    withTransaction(on, async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only')
      return work(tx)
    }),
  )
}

// Several reads that must agree with one another: all of them see the same moment. Takes no lock
// that a writer waits for.

import type { Pool } from './pool.ts'
import { type Transaction, withTransaction } from './transaction.ts'

export function withSnapshot<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return withTransaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    return work(tx)
  })
}

// Creates partitions ahead of time and drops old ones.
//
// DDL needs an exclusive lock, and writers queue behind it. So it gives up quickly behind a slow
// reader, such as the integrity check, and retries later: partitions are created weeks ahead.

import { maintainPartitions } from '#db/partitions.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Deps } from './loop.ts'

const TABLE_WAIT_MAX = '500ms' // The longest delay of writers.
const LOCK_NOT_AVAILABLE = '55P03'

export function maintainPartitionsRound({ db, clock, log }: Deps) {
  return async () => {
    try {
      const changes = await withTransaction(db, async (tx) => {
        // Waiting for another process with the same work has no limit, because it blocks nobody.
        await tx.query(`select pg_advisory_xact_lock(hashtext('maintain_partitions'))`)
        await tx.query(`set local lock_timeout = '${TABLE_WAIT_MAX}'`)
        return maintainPartitions(tx, clock())
      })
      if (changes.length > 0) log.info({ did: changes }, 'partitions maintained')
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
      log.info('partition maintenance postponed: table locked')
    }
    return { more: false }
  }
}

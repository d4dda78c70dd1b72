// Keeps the partitioned tables supplied with partitions, and rid of old ones.
//
// Creation or dropping a partition needs its table for itself, and whoever comes after waits in the
// queue behind it. So we never queue long behind a slow reader, such as the audit: we give way,
// and come again. Nothing is lost by that, because partitions are made weeks ahead.

import { maintainPartitions } from '#db/partitions.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Deps } from './loop.ts'

const TABLE_WAIT_MAX = '500ms' // How long writers may be held up.
const LOCK_NOT_AVAILABLE = '55P03'

export function maintainPartitionsRound({ db, clock, log }: Deps) {
  return async () => {
    try {
      const did = await withTransaction(db, async (tx) => {
        // The wait for another process at the same work is not cut short; it holds up nobody.
        await tx.query(`select pg_advisory_xact_lock(hashtext('maintain_partitions'))`)
        await tx.query(`set local lock_timeout = '${TABLE_WAIT_MAX}'`)
        return maintainPartitions(tx, clock())
      })
      if (did.length > 0) log.info({ did }, 'partitions maintained')
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
      log.info('partition maintenance postponed: table locked')
    }
    return { more: false }
  }
}

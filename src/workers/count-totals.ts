// Counts new events into the totals of their hours. One client at a time, so that a long history
// being counted for the first time holds up nobody else's for more than a moment.

import { withTransaction } from '#db/transaction.ts'
import { countEvents, findUncounted } from '#domain/reports/hourly-totals.ts'
import type { Deps, Round } from './loop.ts'

export function countTotalsRound({ db }: Pick<Deps, 'db'>): Round {
  return async (signal) => {
    let more = false
    for (const clientId of await findUncounted(db)) {
      if (signal.aborted) break
      const isFull = await withTransaction(db, (tx) => countEvents(tx, clientId))
      more ||= isFull
    }
    return { more }
  }
}

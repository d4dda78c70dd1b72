// Counts new events into hourly totals, one client at a time, so that a long backlog does not delay
// others.

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

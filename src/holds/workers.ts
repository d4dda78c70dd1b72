// Fills holds that lack money as soon as money arrives, so that the available balance is right, and alerts
// operators to deadlines of holds.

import { withTransaction } from '#db/transaction.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { alertHoldDeadlines } from './deadlines.ts'
import { fillHolds, findFillable } from './hold.ts'

export function fillHoldsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>): Round {
  return async () => {
    const clientId = await findFillable(db)
    if (clientId === null) return { more: false }
    return { more: await withTransaction(db, (tx) => fillHolds(tx, clock(), clientId)) }
  }
}

export function alertHoldDeadlinesRound({ db, clock }: Pick<Deps, 'db' | 'clock'>): Round {
  return async () => ({
    more: await withTransaction(db, (tx) => alertHoldDeadlines(tx, clock())),
  })
}

// Finds reversals that a bank sent before their credit and has not sent again (kept-reversals.ts).

import { withTransaction } from '#db/transaction.ts'
import { watchKeptReversals } from '#domain/credits/kept-reversals.ts'
import type { Deps, Round } from './loop.ts'

export function watchReversalsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>): Round {
  return async () => {
    await withTransaction(db, (tx) => watchKeptReversals(tx, clock()))
    return { more: false }
  }
}

// The workers of cases: escalate deadlines (deadlines.ts), and erase cases that need no longer be kept
// (case.ts).

import { withTransaction } from '#db/transaction.ts'
import type { Sealer } from '#seal.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { eraseNextCase } from './case.ts'
import { escalateDeadlines } from './deadlines.ts'

// Raises alerts for deadlines that are near or missed, and clears alerts of met ones.
export function escalateCasesRound({ db, clock }: Pick<Deps, 'db' | 'clock'>): Round {
  return async () => ({ more: await withTransaction(db, (tx) => escalateDeadlines(tx, clock())) })
}

type Erasing = Pick<Deps, 'db' | 'clock'> & { sealer: Sealer }

// Erases one case per round that was closed five years ago.
export function eraseCasesRound({ db, clock, sealer }: Erasing): Round {
  return async () => ({
    more: await withTransaction(db, (tx) => eraseNextCase(tx, { sealer, now: clock() })),
  })
}

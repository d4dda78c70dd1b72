// The workers of credits: expire payments, watch stored reversals, and record the times of blocks of credit
// ids.

import type { Clock } from '#clock.ts'
import { writeCreditBlock } from '#db/bounds.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { closeExpired } from './close.ts'
import { watchKeptReversals } from './rail-items.ts'

type ExpireDeps = { batchPool: Pool; sharedAccounts: SharedAccounts; clock: Clock }

// Closes payments whose grace period is over, and moves their part payments to suspense. Reads do not depend
// on this worker: a payment shows as Expired from its expiry on.
export function expirePaymentsRound({ batchPool, sharedAccounts, clock }: ExpireDeps): Round {
  return async () => {
    const closed = await withTransaction(batchPool, (tx) =>
      closeExpired(tx, { sharedAccounts, now: clock() }),
    )
    return { more: closed > 0 }
  }
}

// Alerts operators to early reversals: the bank sent them before the credit that they reverse, so they were
// kept instead of booked, and the bank has not sent them again since (rail-items.ts).
export function watchReversalsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>): Round {
  return async () => {
    await withTransaction(db, (tx) => watchKeptReversals(tx, clock()))
    return { more: false }
  }
}

// The most blocks of ids that one round records. After an upgrade, a worker must record the blocks of all old
// credits while new ones arrive. With a round every ten seconds, this is enough for 50,000 credits a second.
const BLOCKS_MAX = 500

// Records when the credits of each finished block of ids were received, for receivedBounds() in db/bounds.ts.
export function writeCreditBlocksRound({ db }: Pick<Deps, 'db'>): Round {
  return async (signal) => {
    for (let count = 0; count < BLOCKS_MAX && !signal.aborted; count++) {
      if (!(await writeCreditBlock(db))) break
    }
    return { more: false }
  }
}

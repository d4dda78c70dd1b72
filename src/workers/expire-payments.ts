// Expires payments after their grace period and moves part payments to suspense. Reads do not
// depend on it: a payment shows as Expired from its expiry on.

import { dueNow } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { closeExpired } from '#domain/credits/close-payments.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Round } from './loop.ts'

type Deps = { batchPool: Pool; sharedAccounts: SharedAccounts; clock: Clock }

export function expirePaymentsRound({ batchPool, sharedAccounts, clock }: Deps): Round {
  return async () => {
    const closed = await withTransaction(batchPool, (tx) =>
      closeExpired(tx, { sharedAccounts, ...dueNow(clock) }),
    )
    return { more: closed > 0 }
  }
}

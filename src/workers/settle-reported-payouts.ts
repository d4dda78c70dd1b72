// Settles payouts of files by their banks' reports. Each has its own transaction, so that one that
// cannot be settled delays no other.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { settleAsTold } from '#domain/payouts/settle-as-told.ts'
import { findReported } from '#domain/payouts/settle-file-results.ts'
import type { OutcomeHooks } from '#domain/payouts/settle-payout.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Round } from './loop.ts'

const SETTLE_MAX = 100

export type SettleReportedDeps = {
  db: Pool
  batchPool: Pool
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  clock: Clock
}

export function settleReportedPayoutsRound(deps: SettleReportedDeps): Round {
  const { db, batchPool, sharedAccounts, payoutHooks: hooks, clock } = deps
  return async (signal) => {
    const failures: unknown[] = []
    let afterId = 0n
    while (!signal.aborted) {
      const reported = await findReported(db, { afterId, limit: SETTLE_MAX })
      for (const each of reported) {
        if (signal.aborted) break
        afterId = each.id
        try {
          await withTransaction(batchPool, (tx) =>
            settleAsTold(tx, { sharedAccounts, hooks, now: clock() }, each),
          )
        } catch (error) {
          failures.push(error)
        }
      }
      if (reported.length < SETTLE_MAX) break
    }
    if (failures.length > 0) throw failures[0]
    return { more: false }
  }
}

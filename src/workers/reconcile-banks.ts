// Matches statements again where something is open, because the explanation of a difference may
// arrive later. Then raises and clears the alerts of reconciliation.

import type { BankSettings } from '#config/bank-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#domain/reconciliation/match-statements.ts'
import { findOpenAccounts } from '#domain/reconciliation/reconciled-banks.ts'
import { watchStatements } from '#domain/reconciliation/watch-statements.ts'
import type { Deps, Round } from './loop.ts'

export type ReconcileDeps = Pick<Deps, 'db' | 'clock'> & { banks: readonly BankSettings[] }

export function reconcileBanksRound({ db, clock, banks }: ReconcileDeps): Round {
  return async (signal) => {
    for (const account of await findOpenAccounts(db, clock())) {
      if (signal.aborted) return { more: false }
      await withTransaction(db, (tx) => matchStatements(tx, { ...account, now: clock() }))
    }
    await withTransaction(db, (tx) => watchStatements(tx, clock(), banks))
    return { more: false }
  }
}

// Holds statements against the books again where something is open, because what explains a
// difference may come later; then raises and clears the alerts of reconciliation.

import type { BankSettings } from '#config/bank-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#domain/reconciliation/match-statements.ts'
import type { BankAccount } from '#domain/reconciliation/reconciled-banks.ts'
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

// With lines that were never tried, or differences that may be explained; and once an hour every one,
// because an item may be posted late (missed-items.ts).
async function findOpenAccounts(db: Queryable, now: Date): Promise<BankAccount[]> {
  const { rows } = await db.query<BankAccount>({
    name: 'find-open-accounts',
    text: `select bank_code as "bankCode", currency from statements where matched_at is null
           union
           select bank_code, currency from differences
            where state in ('open', 'asked') and statement_id is null
           union
           select bank_code, currency from reconciled_banks
            where date_trunc('hour', seen_until) <> date_trunc('hour', $1::timestamptz)
           order by 1, 2`,
    values: [now],
  })
  return rows
}

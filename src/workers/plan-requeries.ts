// Plans scheduled requeries of banks, and detects banks that fall silent. Any number of processes
// may run it at once.

import type { BankConnections } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { planDeadlines, planSweeps } from '#domain/requery/plan-questions.ts'
import { purgeRequeries } from '#domain/requery/purge-requeries.ts'
import { canListTransfers } from '#domain/requery/questions.ts'
import { findTurns, recordTurn } from '#domain/requery/watch-silence.ts'
import type { Round } from './loop.ts'

export type PlanDeps = {
  db: Pool
  clock: Clock
  bankConnections: BankConnections
  graceSeconds: number
}

export function planRequeriesRound({ db, clock, bankConnections, graceSeconds }: PlanDeps): Round {
  const all = [...bankConnections.keys()]
  const listing = all.filter((code) => canListTransfers(bankConnections.get(code) ?? { calls: {} }))
  return async () => {
    const now = clock()
    if (listing.length > 0) {
      await planDeadlines(db, now, { banks: listing, graceSeconds })
      await planSweeps(db, now, listing)
    }
    for (const turn of await findTurns(db, now, all)) {
      const canList = listing.includes(turn.bank.bankCode)
      await withTransaction(db, (tx) => recordTurn(tx, now, { ...turn, canList }))
    }
    return { more: false }
  }
}

export function purgeRequeriesRound({ db, clock }: Pick<PlanDeps, 'db' | 'clock'>): Round {
  return async () => ({ more: await purgeRequeries(db, clock()) })
}

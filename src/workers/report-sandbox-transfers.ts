// Reports what the sandbox bank was told to report later: each in one transaction with its booking,
// so that it is reported once, whatever dies and however many workers run. From there on it takes
// the regular path.

import { dueNow } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import { takeReversal } from '#domain/credits/reverse-credit.ts'
import { takeCredits } from '#domain/credits/take-credits.ts'
import {
  creditOf,
  type DueReport,
  findDueReports,
  lockReport,
  markReported,
} from '#domain/sandbox/scheduled-reports.ts'
import type { ReportId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Kobo } from '#money.ts'
import type { Notifier } from '#notifier.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from './loop.ts'

export type ReportDeps = {
  db: Pool
  batchPool: Pool
  sealer: Sealer
  sharedAccounts: SharedAccounts
  bankTimeMaxAgeMs: number
  suspiciousKobo: Kobo
  clock: Clock
  dispatcher: Notifier
}

export function reportSandboxTransfersRound(deps: ReportDeps): Round {
  return async () => {
    const due = await findDueReports(deps.db, dueNow(deps.clock))
    const failures: unknown[] = []
    let reported = 0
    // In order: of two that are due, the earlier is reported first.
    for (const id of due) {
      try {
        if (await report(deps, id)) reported++
      } catch (error) {
        failures.push(error)
      }
    }
    if (reported > 0) deps.dispatcher.call()
    if (failures.length > 0) throw failures[0] // They stay due, and delay no other.
    return { more: reported > 0 }
  }
}

// False: somebody else does, or has.
function report(deps: ReportDeps, id: ReportId): Promise<boolean> {
  return withTransaction<boolean>(deps.batchPool, async (tx) => {
    const found = await lockReport(tx, id)
    if (!found) return false
    const { now } = dueNow(deps.clock)
    const { outcome, statements } = await take(tx, { ...deps, now }, found)
    const marked = markReported(tx, now, { id, outcome })
    return new PipelinedCommit(true, [...statements, marked])
  })
}

type Taken = { outcome: string; statements: readonly Promise<unknown>[] }

async function take(
  tx: Transaction,
  deps: ReportDeps & { now: Date },
  found: DueReport,
): Promise<Taken> {
  const { originalSessionId, bankCode, sessionId, amountKobo } = found
  if (originalSessionId === null) {
    const { answer, statements } = await takeCredits(tx, deps, [creditOf(found)])
    const [taken] = answer
    return {
      outcome: taken?.status === 'taken' ? taken.outcome : String(taken?.status),
      statements,
    }
  }
  const reversal = { bankCode, sessionId, originalSessionId, amountKobo }
  return { outcome: await takeReversal(tx, deps, reversal), statements: [] }
}

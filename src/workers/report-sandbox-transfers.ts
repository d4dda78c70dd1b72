// Reports scheduled transfers of the sandbox bank. Each report and its booking are one transaction,
// so that it is reported once despite crashes and concurrent workers. From there on it takes the
// regular path.

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
    // Earliest due first.
    for (const id of due) {
      try {
        if (await report(deps, id)) reported++
      } catch (error) {
        failures.push(error)
      }
    }
    if (reported > 0) deps.dispatcher.call()
    if (failures.length > 0) throw failures[0] // They stay due and delay no other.
    return { more: reported > 0 }
  }
}

// False if another worker reports it or has reported it.
function report(deps: ReportDeps, id: ReportId): Promise<boolean> {
  return withTransaction<boolean>(deps.batchPool, async (tx) => {
    const dueReport = await lockReport(tx, id)
    if (!dueReport) return false
    const { now } = dueNow(deps.clock)
    const { outcome, statements } = await take(tx, { ...deps, now }, dueReport)
    const marked = markReported(tx, now, { id, outcome })
    return new PipelinedCommit(true, [...statements, marked])
  })
}

type Booking = { outcome: string; statements: readonly Promise<unknown>[] }

async function take(
  tx: Transaction,
  deps: ReportDeps & { now: Date },
  dueReport: DueReport,
): Promise<Booking> {
  const { originalSessionId, bankCode, sessionId, amountKobo } = dueReport
  if (originalSessionId === null) {
    const { answer, statements } = await takeCredits(tx, deps, [creditOf(dueReport)])
    const [result] = answer
    return {
      outcome: result?.status === 'taken' ? result.outcome : String(result?.status),
      statements,
    }
  }
  const reversal = { bankCode, sessionId, originalSessionId, amountKobo }
  return { outcome: await takeReversal(tx, deps, reversal), statements: [] }
}

// Workers of the sandbox: one reports the scheduled transfers of the sandbox bank, another writes seeds.

import type { Clock } from '#clock.ts'
import { takeReversal } from '#credits/reverse.ts'
import { takeCredits } from '#credits/take.ts'
import type { Pool } from '#db/pool.ts'
import { PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, ReportId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Logger } from '#log.ts'
import type { Kobo } from '#money.ts'
import type { Notifier } from '#notifier.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from '#workers/loop.ts'
import { failSeed, findSeed } from './seeds.ts'
import { creditOf, type DueReport, findDueReports, lockReport, markReported } from './transfers.ts'
import { type SeedDeps, writeNextStep } from './write-seed.ts'

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

// Reports scheduled transfers of the sandbox bank, the earliest due transfer first. A report and its booking
// are one transaction, so that each transfer is reported once despite crashes and concurrent workers. The
// booking takes the regular path.
export function reportSandboxTransfersRound(deps: ReportDeps): Round {
  return async () => {
    const due = await findDueReports(deps.db, deps.clock())
    const failures: unknown[] = []
    let reported = 0
    for (const id of due) {
      try {
        if (await bookDueReport(deps, id)) reported++
      } catch (error) {
        failures.push(error)
      }
    }
    if (reported > 0) deps.dispatcher.call()
    if (failures.length > 0) throw failures[0] // Failed reports stay due, and delay no other report.
    return { more: reported > 0 }
  }
}

// Reports and books one transfer. Returns false if another worker is reporting it or has reported it.
function bookDueReport(deps: ReportDeps, id: ReportId): Promise<boolean> {
  return withTransaction<boolean>(deps.batchPool, async (tx) => {
    const dueReport = await lockReport(tx, id)
    if (!dueReport) return false
    const now = deps.clock()
    const { outcome, statements } = await bookReport(tx, { ...deps, now }, dueReport)
    const marked = markReported(tx, now, { id, outcome })
    // Sends the last statements together with the commit, and returns true.
    return new PipelinedCommit(true, [...statements, marked])
  })
}

// Books the credit of a report, or the reversal if the report names an original. Returns the outcome to
// store, and the statements that are sent but not awaited yet.
async function bookReport(
  tx: Transaction,
  deps: ReportDeps & { now: Date },
  dueReport: DueReport,
): Promise<{ outcome: string; statements: readonly Promise<unknown>[] }> {
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

export type SeedSandboxDeps = SeedDeps & { db: Pool; batchPool: Pool; clock: Clock; log: Logger }

// Writes seeds step by step. Any number of processes may run this worker: each step is done once. If a step
// is refused, the seed ends with the reason.
export function seedSandboxRound(deps: SeedSandboxDeps, clientId: ClientId | null = null): Round {
  const { batchPool, clock } = deps
  return async (signal) => {
    while (!signal.aborted) {
      let seedOwner = clientId // The client whose seed is written, so that a refusal ends this seed.
      try {
        // Writes one step in a transaction of its own; `seed` is undefined if no seed is waiting.
        const seed = await withTransaction(batchPool, async (tx) => {
          const writtenSeed = await writeNextStep(tx, deps, { at: clock(), clientId })
          seedOwner = writtenSeed?.clientId ?? seedOwner
          return writtenSeed
        })
        if (!seed) return { more: false }
      } catch (error) {
        if (!(error instanceof Refusal) || seedOwner === null) throw error
        const running = await findSeed(deps.db, seedOwner)
        if (running) await failSeed(deps.db, clock(), { id: running.id, problem: error.message })
      }
    }
    return { more: true }
  }
}

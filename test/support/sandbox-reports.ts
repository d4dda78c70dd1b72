// Runs the worker that sends the scheduled reports of the sandbox's bank, on demand. It has its own
// connections and memory, as a new process would.

import { SharedAccounts } from '#ledger/accounts.ts'
import { Notifier } from '#notifier.ts'
import { reportSandboxTransfersRound } from '#sandbox/workers.ts'
import { Sealer } from '#seal.ts'
import { patientBatchPool } from './database.ts'
import type { Bench } from './running-service.ts'

const NEVER = new AbortController().signal

// Returns the worker's round: each call sends the reports that are due.
export function reportRounds({ config, db, clock, database }: Bench) {
  const { connectionString } = database
  const batchPool = patientBatchPool(connectionString, 2)
  const round = reportSandboxTransfersRound({
    db,
    batchPool,
    sealer: new Sealer(config.secrets.data, config.secrets.hash),
    sharedAccounts: new SharedAccounts(db),
    suspiciousKobo: config.policy.suspiciousKobo,
    bankTimeMaxAgeMs: config.policy.bankTimeMaxAgeHours * 3_600_000,
    clock,
    dispatcher: new Notifier(),
  })
  return {
    round: () => round(NEVER),
    [Symbol.asyncDispose]: () => batchPool.end(),
  }
}

// How each scheduled report ended, oldest first; null while it is pending.
export async function outcomesOfReports({ db }: Pick<Bench, 'db'>): Promise<(string | null)[]> {
  const { rows } = await db.query('select outcome from sandbox_reports order by id')
  return rows.map(({ outcome }) => outcome)
}

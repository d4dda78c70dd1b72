// The audit: proves on live data that the books add up, the ledger's own truth first and then the
// business's (audit-checks.ts) on top of it.
//
// All checks see one moment, and take no lock that a writer waits for: it may run at any time,
// however long it takes.

import type { Pool, Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Finding, LEDGER_CHECKS, runCheck } from '#ledger/ledger-checks.ts'
import { BUSINESS_CHECKS } from './business-checks.ts'

export type { Finding } from '#ledger/ledger-checks.ts'

// A check reads whole tables: the pool's limit is for requests. The memory is for adding up a
// million accounts without writing them to disk in between.
const SETTINGS = [`set local statement_timeout = '15min'`, `set local work_mem = '64MB'`]

export const INTEGRITY_INTERVAL_MS = 15 * 60_000

const CHECKS = [...LEDGER_CHECKS, ...BUSINESS_CHECKS]

// What is checked, in order.
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name)

export type IntegrityResult = {
  startedAt: Date
  finishedAt: Date
  isOk: boolean
  findings: Finding[]
}

// Undefined: none was finished yet.
export async function findLastIntegrityCheck(db: Queryable): Promise<IntegrityResult | undefined> {
  const { rows } = await db.query<IntegrityResult>({
    name: 'find-last-audit',
    text: `select started_at as "startedAt", finished_at as "finishedAt", ok as "isOk", findings
             from audits where finished_at is not null order by id desc limit 1`,
  })
  return rows[0]
}

// No findings: every kobo is where it should be. Rejects when the signal ends it early.
export async function checkIntegrity(db: Pool, signal?: AbortSignal): Promise<Finding[]> {
  return withSnapshot(db, async (tx) => {
    for (const setting of SETTINGS) await tx.query(setting)
    const cancel = await canceller(tx, db)
    signal?.addEventListener('abort', cancel)
    try {
      const findings: Finding[] = []
      for (const check of CHECKS) {
        signal?.throwIfAborted()
        findings.push(...(await runCheck(tx, check)))
      }
      return findings
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  })
}

// A check of a large database takes longer than a process is given to stop.
async function canceller(tx: Transaction, db: Pool): Promise<() => void> {
  const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
  return () => {
    db.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {})
  }
}

// The audit: proves on live data that the books add up, the ledger's own truth first and then the
// business's (audit-checks.ts) on top of it.
//
// All checks see one moment, and take no lock that a writer waits for: it may run at any time,
// however long it takes.

import type { Pool } from '#db/pool.ts'
import { readTogether } from '#db/snapshot.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Finding, LEDGER_CHECKS, runCheck } from '#ledger/audit.ts'
import { BUSINESS_CHECKS } from './audit-checks.ts'

export type { Finding } from '#ledger/audit.ts'

// A check reads whole tables: the pool's limit is for requests. The memory is for adding up a
// million accounts without writing them to disk in between.
const SETTINGS = `set local statement_timeout = '15min'; set local work_mem = '64MB'`

// No findings: every kobo is where it should be. Rejects when the signal ends it early.
export async function auditBooks(db: Pool, signal?: AbortSignal): Promise<Finding[]> {
  return readTogether(db, async (tx) => {
    await tx.query(SETTINGS)
    const cancel = await canceller(tx, db)
    signal?.addEventListener('abort', cancel)
    try {
      const findings: Finding[] = []
      for (const check of [...LEDGER_CHECKS, ...BUSINESS_CHECKS]) {
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

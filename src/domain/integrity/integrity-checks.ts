// Integrity checks: prove on live data that the books add up, first the ledger, then the business
// rules (business-checks.ts).
//
// All checks read one snapshot and take no lock that blocks a writer, so they may run at any time.

import { columns } from '#db/columns.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Finding, LEDGER_CHECKS, runCheck } from '#ledger/ledger-checks.ts'
import { BUSINESS_CHECKS } from './business-checks.ts'

export type { Finding } from '#ledger/ledger-checks.ts'

// A check reads whole tables, and the pool's timeout is meant for requests. The memory lets
// PostgreSQL add up a million accounts without temporary files.
const SETTINGS = [`set local statement_timeout = '15min'`, `set local work_mem = '64MB'`]

export const INTEGRITY_INTERVAL_MS = 15 * 60_000

const CHECKS = [...LEDGER_CHECKS, ...BUSINESS_CHECKS]

export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name)

export type IntegrityResult = {
  startedAt: Date
  finishedAt: Date
  isOk: boolean
  findings: Finding[]
}

export async function findLastIntegrityCheck(db: Queryable): Promise<IntegrityResult | undefined> {
  const { rows } = await db.query<IntegrityResult>({
    name: 'find-last-audit',
    text: `select ${columns('started_at, finished_at, ok as is_ok, findings')}
             from audits where finished_at is not null order by id desc limit 1`,
  })
  return rows[0]
}

// An empty list means that the books balance. Rejects when the signal aborts.
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

// Checking a large database takes longer than a process has to stop.
async function canceller(tx: Transaction, db: Pool): Promise<() => void> {
  const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
  return () => {
    db.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {})
  }
}

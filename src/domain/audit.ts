// The audit: proves on live data that the books add up, the ledger's own truth first and then the
// business's (audit-checks.ts) on top of it.
//
// All checks see one moment: they share a repeatable-read, read-only transaction. It takes no lock
// that a writer waits for, so it may run at any time, however long it takes.

import type pg from 'pg'
import type { Pool } from '#db/pool.ts'
import { type Finding, LEDGER_CHECKS, runCheck } from '#ledger/audit.ts'
import { BUSINESS_CHECKS } from './audit-checks.ts'

export type { Finding } from '#ledger/audit.ts'

// A check reads whole tables: the pool's limit is for requests. The memory is for adding up a
// million accounts without writing them to disk in between.
const SETTINGS = `set local statement_timeout = '15min'; set local work_mem = '64MB'`

// No findings: every kobo is where it should be. Rejects when the signal ends it early.
export async function auditBooks(db: Pool, signal?: AbortSignal): Promise<Finding[]> {
  const client = await db.connect()
  let cancel: (() => void) | undefined
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(SETTINGS)
    cancel = await cancelOn(signal, client, db)
    const findings: Finding[] = []
    for (const check of [...LEDGER_CHECKS, ...BUSINESS_CHECKS]) {
      signal?.throwIfAborted()
      findings.push(...(await runCheck(client, check)))
    }
    await client.query('commit')
    client.release()
    return findings
  } catch (error) {
    client.release(true) // Closing the connection ends the transaction, whatever state it is in.
    throw error
  } finally {
    if (cancel) signal?.removeEventListener('abort', cancel)
  }
}

// A check on a large database takes longer than a process is given to stop.
async function cancelOn(signal: AbortSignal | undefined, client: pg.PoolClient, db: Pool) {
  if (!signal) return undefined
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const cancel = () => {
    db.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {})
  }
  signal.addEventListener('abort', cancel)
  return cancel
}

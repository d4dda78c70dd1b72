// Checks the integrity of the books every 15 minutes, in one process at a time:
//
//   claim (a row in `audits`) ─▶ check ─▶ record ─▶ raise or clear an alert
//
// No lock is held during the check. A killed run leaves its claim, which expires after
// CLAIM_MAX_MS; a stopped one releases it.

import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import {
  checkIntegrity,
  type Finding,
  INTEGRITY_INTERVAL_MS,
} from '#domain/integrity/integrity-checks.ts'
import { clearAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { Deps, Round } from './loop.ts'

export const INTERVAL_MS = INTEGRITY_INTERVAL_MS
const CLAIM_MAX_MS = 60 * 60_000 // An audit takes minutes on tens of millions of transfers.
const KEPT_MS = 90 * 86_400_000
const FINDINGS_IN_ALERT_MAX = 10

export function checkIntegrityRound({ db, clock, log }: Deps): Round {
  return async (signal) => {
    const auditId = await claim(db, clock())
    if (auditId === undefined) return { more: false }
    let findings: Finding[]
    try {
      findings = await checkIntegrity(db, signal)
    } catch (error) {
      await db.query('delete from audits where id = $1', [auditId]).catch(() => {})
      if (signal.aborted) return { more: false }
      throw error
    }
    await withTransaction(db, (tx) => record(tx, clock(), { auditId, findings }))
    if (findings.length > 0) log.error({ auditId, findings }, 'integrity check failed')
    else log.info({ auditId }, 'integrity check passed')
    return { more: false }
  }
}

// Undefined if no check is due or one is running. Ignores a claim from the future, which a wrong
// clock may have left.
function claim(db: Pool, now: Date): Promise<bigint | undefined> {
  return withTransaction(db, async (tx) => {
    await takeTurns(tx)
    const { rows } = await tx.query<{ id: bigint }>(
      `insert into audits (started_at)
       select $1::timestamptz
        where not exists (select from audits
                           where started_at > case when finished_at is null then $3::timestamptz
                                                   else $2::timestamptz end
                             and started_at < $4::timestamptz)
       returning id`,
      [now, before(now, INTERVAL_MS), before(now, CLAIM_MAX_MS), before(now, -INTERVAL_MS)],
    )
    return rows[0]?.id
  })
}

async function record(
  tx: Transaction,
  now: Date,
  { auditId, findings }: { auditId: bigint; findings: readonly Finding[] },
): Promise<void> {
  await takeTurns(tx)
  const isOk = findings.length === 0
  await tx.query('update audits set finished_at = $2, findings = $3, ok = $4 where id = $1', [
    auditId,
    now,
    JSON.stringify(findings),
    isOk,
  ])
  await tx.query('delete from audits where started_at < $1', [before(now, KEPT_MS)])
  if (isOk) {
    await clearAlert(tx, now, { kind: 'audit_failed', subject: 'books' })
    return
  }
  const detail = {
    auditId: auditId.toString(),
    count: findings.length,
    findings: findings.slice(0, FINDINGS_IN_ALERT_MAX),
  }
  const alert = { kind: 'audit_failed', subject: 'books', detail } as const
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

async function takeTurns(tx: Transaction): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('audit_books'))`)
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}

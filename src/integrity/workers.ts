// Checks the integrity of the books every 15 minutes, in one process at a time:
//
//   claim (a row in `integrity_checks`) ─▶ check ─▶ record ─▶ raise or clear an alert
//
// No lock is held during the check. If a run is killed, its claim expires after CLAIM_MAX_MS. A run that is
// stopped releases its claim.

import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { checkIntegrity, type Finding, INTEGRITY_INTERVAL_MS } from './checks.ts'

export const INTERVAL_MS = INTEGRITY_INTERVAL_MS
const CLAIM_MAX_MS = 60 * 60_000 // A run takes minutes on tens of millions of transfers.
const KEPT_MS = 90 * 86_400_000
const FINDINGS_IN_ALERT_MAX = 10

export function checkIntegrityRound({ db, clock, log }: Deps): Round {
  return async (signal) => {
    const checkId = await claim(db, clock())
    if (checkId === undefined) return { more: false }
    let findings: Finding[]
    try {
      findings = await checkIntegrity(db, signal)
    } catch (error) {
      await db.query('delete from integrity_checks where id = $1', [checkId]).catch(() => {})
      if (signal.aborted) return { more: false }
      throw error
    }
    await withTransaction(db, (tx) => record(tx, clock(), { checkId, findings }))
    if (findings.length > 0) log.error({ checkId, findings }, 'integrity check failed')
    else log.info({ checkId }, 'integrity check passed')
    return { more: false }
  }
}

// Returns undefined if no check is due or a check is running. Ignores a claim from the future, which a wrong
// clock may have left.
function claim(db: Pool, now: Date): Promise<bigint | undefined> {
  return withTransaction(db, async (tx) => {
    await takeTurns(tx)
    const { rows } = await tx.query<{ id: bigint }>(
      `insert into integrity_checks (started_at)
       select $1::timestamptz
        where not exists (select from integrity_checks
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
  { checkId, findings }: { checkId: bigint; findings: readonly Finding[] },
): Promise<void> {
  await takeTurns(tx)
  const isOk = findings.length === 0
  await tx.query(
    'update integrity_checks set finished_at = $2, findings = $3, ok = $4 where id = $1',
    [checkId, now, JSON.stringify(findings), isOk],
  )
  await tx.query('delete from integrity_checks where started_at < $1', [before(now, KEPT_MS)])
  if (isOk) {
    await clearAlert(tx, now, { kind: 'audit_failed', subject: 'books' })
    return
  }
  const detail = {
    checkId: checkId.toString(),
    count: findings.length,
    findings: findings.slice(0, FINDINGS_IN_ALERT_MAX),
  }
  const alert = { kind: 'audit_failed', subject: 'books', detail } as const
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

async function takeTurns(tx: Transaction): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('check_integrity'))`)
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}

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

// Runs the checks if they are due. Releases its claim if the run fails or is stopped.
export function checkIntegrityRound({ db, clock, log }: Deps): Round {
  return async (signal) => {
    const checkId = await claimCheck(db, clock())
    if (checkId === undefined) return { more: false }
    let findings: Finding[]
    try {
      findings = await checkIntegrity(db, signal)
    } catch (error) {
      await db.query('delete from integrity_checks where id = $1', [checkId]).catch(() => {})
      if (signal.aborted) return { more: false }
      throw error
    }
    await withTransaction(db, (tx) => recordResult(tx, clock(), { checkId, findings }))
    if (findings.length > 0) log.error({ checkId, findings }, 'integrity check failed')
    else log.info({ checkId }, 'integrity check passed')
    return { more: false }
  }
}

// Claims the next run of the checks for this process. Returns undefined if no run is due, or another process
// is running it. A completed run blocks the next one for INTERVAL_MS, a run that was killed for CLAIM_MAX_MS.
// Ignores a claim from the future, which a wrong clock may have left.
function claimCheck(db: Pool, now: Date): Promise<bigint | undefined> {
  return withTransaction(db, async (tx) => {
    await lockChecks(tx)
    const { rows } = await tx.query<{ id: bigint }>(
      `insert into integrity_checks (started_at)
       select $1::timestamptz
        where not exists (select from integrity_checks
                           where started_at > case when finished_at is null then $3::timestamptz
                                                   else $2::timestamptz end
                             and started_at < $4::timestamptz)
       returning id`,
      [
        now,
        earlierBy(now, INTERVAL_MS),
        earlierBy(now, CLAIM_MAX_MS),
        earlierBy(now, -INTERVAL_MS),
      ],
    )
    return rows[0]?.id
  })
}

// Stores the findings of a run, deletes old runs, and raises or clears the alert.
async function recordResult(
  tx: Transaction,
  now: Date,
  { checkId, findings }: { checkId: bigint; findings: readonly Finding[] },
): Promise<void> {
  await lockChecks(tx)
  const isOk = findings.length === 0
  await tx.query(
    'update integrity_checks set finished_at = $2, findings = $3, ok = $4 where id = $1',
    [checkId, now, JSON.stringify(findings), isOk],
  )
  await tx.query('delete from integrity_checks where started_at < $1', [earlierBy(now, KEPT_MS)])
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

// Lets one process at a time claim or record a run.
async function lockChecks(tx: Transaction): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('check_integrity'))`)
}

// Returns the time that is `ms` before now.
function earlierBy(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}

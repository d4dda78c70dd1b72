// The worker that writes every alert to the log once, after its commit, whichever process raised it. Log
// collectors can page the operator by these lines. The code that books money writes no logs itself.
//
// A crash between commit and log loses the log line, never the alert.

import { withTransaction } from '#db/transaction.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { ALERT_KINDS, claimUnlogged } from './alerts.ts'

const LINES_MAX = 100

// Claims alerts that are not in the log yet, and logs them after the claim is committed.
export function logAlertsRound({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>): Round {
  return async () => {
    const alerts = await withTransaction(db, (tx) => claimUnlogged(tx, clock(), LINES_MAX))
    for (const { id, kind, subject, raisedAt } of alerts) {
      const alert = { id: Number(id), kind, subject, raisedAt: raisedAt.toISOString() }
      log.warn({ alert }, `alert raised: ${ALERT_KINDS[kind].title}`)
    }
    return { more: alerts.length === LINES_MAX }
  }
}

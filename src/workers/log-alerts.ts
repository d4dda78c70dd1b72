// Writes a line of log for every alert: once, whichever process raised it, and after its commit. So a
// log collector can page whoever is on duty, and the path of money writes no logs.
//
// Dying between the commit here and the line loses the line, never the alert.

import { withTransaction } from '#db/transaction.ts'
import { ALERT_KINDS } from '#domain/records/alert-kinds.ts'
import { claimUnlogged } from '#domain/records/alerts.ts'
import type { Deps, Round } from './loop.ts'

const LINES_MAX = 100

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

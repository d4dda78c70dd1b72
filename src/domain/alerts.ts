// What an operator must look at. Raised in the transaction that met it; the same thing is not
// raised twice while it stands.

import type { Transaction } from '#db/transaction.ts'

export type AlertKind =
  | 'numbers_exhausted' // a bank's range has no free number left
  | 'session_reused' // a bank sent a known session id on other terms
  | 'wrong_bank' // a bank reported a credit to a number of another bank
  | 'rail_item_rejected' // a bank signed for an amount that could not be booked
  | 'reversal_shortfall' // a bank took back money that had left us already
  | 'endpoint_disabled' // a receiver has failed for days and is not called any more
  | 'audit_failed' // the books do not add up

export type NewAlert = { kind: AlertKind; subject: string; detail: object }

export async function raiseAlerts(
  tx: Transaction,
  now: Date,
  alerts: readonly NewAlert[],
): Promise<void> {
  if (alerts.length === 0) return
  await tx.query({
    name: 'raise-alerts',
    text: `insert into alerts (kind, subject, detail, raised_at)
           select distinct on (n.kind, n.subject) n.kind, n.subject, n.detail, $4
             from unnest($1::text[], $2::text[], $3::jsonb[]) as n (kind, subject, detail)
            order by n.kind, n.subject
           on conflict (kind, subject) where cleared_at is null do nothing`,
    values: [
      alerts.map((alert) => alert.kind),
      alerts.map((alert) => alert.subject),
      alerts.map((alert) => JSON.stringify(alert.detail)),
      now,
    ],
  })
}

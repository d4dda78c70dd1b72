// Alerts operators a day before the deadline of an active hold, and when it has passed. A deadline releases
// nothing: two people decide on held money (end.ts).

import type { Transaction } from '#db/transaction.ts'
import { alertDeadlines } from '#records/alerts.ts'

const PENDING = `
  select case when h.deadline_at <= $1 then 'hold_deadline_missed'
              else 'hold_deadline_near' end as kind,
         h.reference as subject,
         jsonb_build_object('hold', h.reference, 'client', k.client_id) as detail,
         h.deadline_at as due_at
    from holds h join clients k on k.id = h.client_id
   where h.state = 'active' and h.deadline_at <= $1::timestamptz + interval '1 day'`

// Returns whether more deadlines may be due.
export async function alertHoldDeadlines(tx: Transaction, now: Date): Promise<boolean> {
  const kinds = ['hold_deadline_near', 'hold_deadline_missed'] as const
  return alertDeadlines(tx, now, { name: 'hold-deadlines', kinds, pending: PENDING })
}

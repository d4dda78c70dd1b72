// Alerts operators of payouts whose final state a statement contradicts: a payout that failed or was
// cancelled in the books, and that the bank paid; and a confirmed payout whose money came back.

import type { Transaction } from '#db/transaction.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'

// Raises the alerts, once for each difference. Called by the transaction that opens a difference (I262), and
// by a worker each minute, because a payout can also fail after the statement showed it as paid. Nothing
// clears these alerts. Without the check on `alerts`, the next round would raise an alert again after a user
// has acknowledged it.
export async function alertContradictedPayouts(tx: Transaction, now: Date): Promise<void> {
  const { rows } = await tx.query<{
    subject: string
    kind: 'payout_paid' | 'payout_returned'
    status: string
    bankCode: string
  }>({
    name: 'find-contradicted-payouts',
    text: `select 'payout/' || p.reference as subject, d.kind, p.status, d.bank_code
             from differences d join payouts p on p.id = d.payout_id
            where d.state in ('open', 'asked')
              and (d.kind = 'payout_paid' and p.status in ('failed', 'cancelled')
                   or d.kind = 'payout_returned' and p.status = 'confirmed')
              and not exists (select from alerts a
                               where a.kind = 'payout_contradicted'
                                 and a.subject = 'payout/' || p.reference
                                 and a.raised_at >= d.opened_at)
            order by d.id`,
  })
  const alerts = rows.map(({ subject, kind, status, bankCode }): NewAlert => {
    const onStatement = kind === 'payout_paid' ? 'confirmed' : 'reversed'
    const detail = { status: onStatement, problem: 'on_statement', inBooks: status, bankCode }
    return { kind: 'payout_contradicted', subject, detail }
  })
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
}

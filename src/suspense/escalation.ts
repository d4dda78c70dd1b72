// Escalation: raises an alert for each credit with money in suspense for longer than the operator's setting.
// Clears the alert when the money has left suspense, or when a new setting allows its age.

import { timestamp } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'
import { ageDays } from '#records/shared-sql.ts'

export type Escalation = { days: number | null } // null means that money in suspense raises no alert.

// Returns after how many days money in suspense raises an alert; null if these alerts are off.
export async function readEscalation(db: Queryable): Promise<Escalation> {
  const { rows } = await db.query<{ days: number }>({
    name: 'read-suspense-escalation',
    text: 'select days from suspense_escalation',
  })
  return { days: rows[0]?.days ?? null }
}

// Stores after how many days money in suspense raises an alert; null switches the alerts off.
export async function setEscalation(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  { days }: Escalation,
): Promise<Escalation> {
  await tx.query(
    days === null
      ? 'delete from suspense_escalation'
      : {
          name: 'set-suspense-escalation',
          text: `insert into suspense_escalation (days) values ($1)
                 on conflict (is_only) do update set days = $1`,
          values: [days],
        },
  )
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'suspense.escalation',
    subject: 'suspense',
    detail: { days },
  })
  return { days }
}

type Aged = {
  subject: string
  clientCode: string | null
  kobo: Kobo
  currency: string
  openedAt: Date
}

// SQL query: credits with money in suspense for more than $2 days, at the time $1. Finds none if $2 is null,
// which clears all alerts after they were switched off.
const AGED = `
  select c.session_id || '@' || c.bank_code as subject, k.client_id as client_code, c.currency,
         sum(i.amount_kobo)::bigint as kobo, min(i.opened_at) as opened_at
    from suspense_items i
    join credits c on c.id = i.credit_id
    left join clients k on k.id = i.client_id
   where i.state = 'open' and ${ageDays('i.opened_at', '$1::timestamptz')} > $2
   group by 1, 2, 3`

const RAISED_MAX = 500 // The most alerts that one round raises.

// One round of the worker: clears the alerts of money that has left suspense, and raises new ones. Returns
// true if more alerts may follow.
export async function escalateSuspense(tx: Transaction, now: Date): Promise<boolean> {
  const { days } = await readEscalation(tx)
  await tx.query({
    name: 'clear-aged-suspense',
    text: `update alerts set cleared_at = $1
            where kind = 'suspense_aged' and cleared_at is null
              and not exists (select from (${AGED}) as aged where aged.subject = alerts.subject)`,
    values: [now, days],
  })
  const { rows } = await tx.query<Aged>({
    name: 'find-aged-suspense',
    text: `select * from (${AGED}) as aged
            where not exists (select from alerts a
                               where a.kind = 'suspense_aged' and a.subject = aged.subject
                                 and a.cleared_at is null)
            order by opened_at limit ${RAISED_MAX}`,
    values: [now, days],
  })
  const alerts = rows.map(
    ({ subject, clientCode, kobo, currency, openedAt }): NewAlert => ({
      kind: 'suspense_aged',
      subject,
      detail: {
        clientId: clientCode,
        amount: formatKobo(kobo),
        currency,
        since: timestamp(openedAt),
        olderThanDays: days,
      },
    }),
  )
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  return rows.length === RAISED_MAX
}

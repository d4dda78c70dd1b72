// Due times of each kind of work for one client. Null or undefined if none is due.

import type { Pool, Queryable } from '#db/pool.ts'
import { findSendingBanks } from '#domain/payouts/claim-payouts.ts'
import { STALE_MS } from '#domain/payouts/unknown-payouts.ts'
import { planDeadlines } from '#domain/requery/plan-questions.ts'
import { canListTransfers } from '#domain/requery/questions.ts'
import { nextSlot } from '#domain/settlement/schedule.ts'
import { listScheduled, readHolidays } from '#domain/settlement/settlement-settings.ts'
import type { ClientId } from '#ids.ts'
import type { PlanDeps } from './plan-requeries.ts'

type DueAt = Promise<Date | null | undefined>

type Query = { name: string; text: string; values: unknown[] }

async function first(db: Queryable, query: Query): DueAt {
  const { rows } = await db.query<{ at: Date | null }>(query)
  return rows[0]?.at
}

export function findClosing(db: Queryable, clientId: ClientId): DueAt {
  return first(db, {
    name: 'next-closing-of-client',
    text: `select min(closes_at) as at from payments
      where client_id = $1 and status in ('Processing', 'PartPayment')`,
    values: [clientId],
  })
}

export function findReport(db: Queryable, clientId: ClientId): DueAt {
  return first(db, {
    name: 'next-report-of-client',
    text: `select min(due_at) as at from sandbox_reports
            where client_id = $1 and reported_at is null`,
    values: [clientId],
  })
}

export async function findSettlement(db: Queryable, clientId: ClientId): DueAt {
  const [client] = await listScheduled(db, clientId)
  if (!client) return null
  return nextSlot(client.schedule, client.handledTo, await readHolidays(db))?.at
}

// Unknown payouts are queried, and so are settled ones that the bank has reported about. Payouts whose
// sender died become unknown first.
export function findPayoutQuery(db: Queryable, clientId: ClientId): DueAt {
  return first(db, {
    name: 'next-payout-query-of-client',
    text: `select min(case status when 'unknown' then p.next_query_at
                     when 'sending' then sending_at + interval '${STALE_MS + 1} ms'
                     else r.next_query_at end) as at
       from payouts p left join payout_reviews r on r.payout_id = p.id
      where client_id = $1
        and (status = 'unknown' or status = 'sending' and batch_id is null
             or r.next_query_at is not null)`,
    values: [clientId],
  })
}

// Now, or the time at which an unsent payout is tried again.
export async function findSending(
  db: Pool,
  bankCodes: readonly string[],
  { clientId, now }: { clientId: ClientId; now: Date },
): DueAt {
  const due = await findSendingBanks(db, bankCodes, { now, only: clientId })
  if (due.length > 0) return now
  return first(db, {
    name: 'next-payout-to-send-again-of-client',
    text: `select min(send_after) as at from payouts
            where client_id = $1 and status = 'queued' and send_after > $2`,
    values: [clientId, now],
  })
}

type PlanPeriod = { clientId: ClientId; now: Date; to: Date }

// Plans the questions about deadlines before `to` in advance.
export async function planQuestions(
  { db, bankConnections, graceSeconds }: PlanDeps,
  { clientId, now, to }: PlanPeriod,
): Promise<void> {
  const banks = [...bankConnections].flatMap(([code, connection]) =>
    canListTransfers(connection) ? [code] : [],
  )
  if (banks.length === 0) return
  await planDeadlines(db, now, { banks, graceSeconds, by: to, only: clientId })
}

export function findQuestion(
  db: Queryable,
  clientId: ClientId,
  bankCodes: readonly string[],
): DueAt {
  return first(db, {
    name: 'next-requery-of-client',
    text: `select min(greatest(due_at, leased_until)) as at from requeries
      where client_id = $1 and state = 'open' and bank_code = any($2::text[])`,
    values: [clientId, bankCodes],
  })
}

export async function findEvent(db: Queryable, clientId: ClientId): Promise<boolean> {
  const { rows } = await db.query<{ waits: boolean }>({
    name: 'has-new-events',
    text: `select k.sequence > coalesce(c.sequence, 0) as waits
             from event_counters k left join dispatch_cursors c on c.client_id = k.client_id
            where k.client_id = $1`,
    values: [clientId],
  })
  return rows[0]?.waits ?? false
}

export function findDelivery(db: Queryable, clientId: ClientId): DueAt {
  return first(db, {
    name: 'next-delivery-of-client',
    text: `select min(greatest(due_at, paused_until)) as at from destinations
      where client_id = $1 and due_at is not null and disabled_at is null`,
    values: [clientId],
  })
}

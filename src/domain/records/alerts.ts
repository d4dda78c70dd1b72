// Operator alerts. An alert is raised in the transaction that detects the condition, with an event
// for every operator. An open alert is not raised again.

import { columns } from '#db/columns.ts'
import { listQuery } from '#db/list-query.ts'
import type { Queryable } from '#db/pool.ts'
import type { Window } from '#db/time-bounds.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { timestamp } from '#wat-time.ts'
import { ALERT_KINDS, type AlertKind } from './alert-kinds.ts'
import { writeAuditLog } from './audit-log.ts'
import type { NewEventOf } from './event-types.ts'

export type { AlertKind } from './alert-kinds.ts'

export type NewAlert = { kind: AlertKind; subject: string; detail: object }

export type Alert = {
  id: bigint
  kind: AlertKind
  subject: string
  detail: Record<string, unknown>
  raisedAt: Date
  acknowledgedAt: Date | null
  acknowledgedBy: string | null
  clearedAt: Date | null
}

// Returns the events for operators. The caller appends them together with its own, because event
// counters are locked once per transaction, last, and in id order. Takes its locks after those of
// collection accounts and before shared ledger accounts.
export async function raiseAlerts(
  tx: Transaction,
  now: Date,
  alerts: readonly NewAlert[],
): Promise<NewEventOf<'alert.raised'>[]> {
  if (alerts.length === 0) return []
  const { rows } = await tx.query<Pick<Alert, 'id' | 'kind' | 'subject' | 'detail'>>({
    name: 'raise-alerts',
    text: `insert into alerts (kind, subject, detail, raised_at)
           select distinct on (n.kind, n.subject) n.kind, n.subject, n.detail, $4
             from unnest($1::text[], $2::text[], $3::jsonb[]) as n (kind, subject, detail)
            order by n.kind, n.subject
           on conflict (kind, subject) where cleared_at is null do nothing
           returning id, kind, subject, detail`,
    values: [
      alerts.map((alert) => alert.kind),
      alerts.map((alert) => alert.subject),
      alerts.map((alert) => JSON.stringify(alert.detail)),
      now,
    ],
  })
  if (rows.length === 0) return []
  const operators = await tx.query<{ id: ClientId }>({
    name: 'active-operators',
    text: 'select id from clients where is_operator and is_active order by id',
  })
  return operators.rows.flatMap(({ id: clientId }) =>
    rows.map(({ id, kind, subject, detail }) => {
      const { title, remedy } = ALERT_KINDS[kind]
      const what = { id: Number(id), kind, title, remedy, subject, detail }
      const facts = { ...what, raisedAt: timestamp(now) }
      return { clientId, type: 'alert.raised' as const, facts }
    }),
  )
}

export async function clearAlert(
  tx: Transaction,
  now: Date,
  { kind, subject }: Pick<NewAlert, 'kind' | 'subject'>,
): Promise<void> {
  await tx.query({
    name: 'clear-alert',
    text: `update alerts set cleared_at = $3
            where kind = $1 and subject = $2 and cleared_at is null`,
    values: [kind, subject, now],
  })
}

const ALERT_COLUMNS = columns(
  'id, kind, subject, detail, raised_at, acknowledged_at, acknowledged_by, cleared_at',
)

const IS_OPEN = 'acknowledged_at is null and cleared_at is null'

type AlertFilter = Window & {
  kind?: AlertKind | undefined
  isOpen?: boolean | undefined
  beforeId: bigint | null
  limit: number
}

// Newest first. An open alert is neither acknowledged nor cleared.
export async function listAlerts(
  db: Queryable,
  { kind, isOpen, from, to, beforeId, limit }: AlertFilter,
): Promise<Alert[]> {
  const { rows } = await db.query<Alert>(
    listQuery({
      select: `select ${ALERT_COLUMNS} from alerts`,
      where: [
        isOpen === true && IS_OPEN,
        isOpen === false && `not (${IS_OPEN})`,
        ['kind = $', kind],
        ['raised_at >= $', from],
        ['raised_at < $', to],
      ],
      id: 'id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

export async function getAlert(db: Queryable, id: bigint): Promise<Alert> {
  const { rows } = await db.query<Alert>({
    name: 'get-alert',
    text: `select ${ALERT_COLUMNS} from alerts where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('alert_not_found')
  return rows[0]
}

// Idempotent: keeps the first acknowledgement.
export async function acknowledgeAlert(
  tx: Transaction,
  { now, clientId, actor }: { now: Date; clientId: ClientId; actor: string },
  id: bigint,
): Promise<Alert> {
  const { kind } = await getAlert(tx, id)
  const { rowCount } = await tx.query({
    name: 'acknowledge-alert',
    text: `update alerts
              set acknowledged_at = $2, acknowledged_by = $3,
                  cleared_at = coalesce(cleared_at,
                                        case when not $4::boolean then $2::timestamptz end)
            where id = $1 and acknowledged_at is null`,
    values: [id, now, actor, ALERT_KINDS[kind].isClearedByItself === true],
  })
  if (rowCount === 1) {
    const action = 'alert.acknowledge'
    const subject = `alert/${id}`
    await writeAuditLog(tx, now, { clientId, actor, action, subject, detail: { kind } })
  }
  return getAlert(tx, id)
}

// The caller logs the alerts after the commit.
export async function claimUnlogged(tx: Transaction, now: Date, limit: number): Promise<Alert[]> {
  const { rows } = await tx.query<Alert>({
    name: 'take-unlogged-alerts',
    text: `with unlogged as (
             select id from alerts where logged_at is null order by id limit $2
                for no key update skip locked)
           update alerts set logged_at = $1 where id in (select id from unlogged)
           returning ${ALERT_COLUMNS}`,
    values: [now, limit],
  })
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1))
}

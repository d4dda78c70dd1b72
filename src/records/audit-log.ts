// The audit log: who did what, when and why. Entries are written in the transaction of the action, and are
// never changed or removed.

import type { Window } from '#db/bounds.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'

export type Action = {
  clientId: ClientId // The client whose log holds the entry.
  actor: string // `client:MAN0000001`, `user:<email>`, …
  action: `${string}.${string}` // Noun and verb.
  subject: string // Noun/id.
  detail: object
}

export function writeAuditLog(tx: Transaction, now: Date, action: Action): Promise<void> {
  return recordActions(tx, now, [action])
}

// Writes several entries in one statement.
export async function recordActions(
  tx: Transaction,
  now: Date,
  actions: readonly Action[],
): Promise<void> {
  if (actions.length === 0) return
  await tx.query({
    name: 'write-audit-log',
    text: `insert into audit_log (client_id, actor, action, subject, detail, taken_at)
           select a.*, $6
             from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::jsonb[]) as a`,
    values: [
      numberArray(actions.map(({ clientId }) => clientId)),
      actions.map(({ actor }) => actor),
      actions.map(({ action }) => action),
      actions.map(({ subject }) => subject),
      actions.map(({ detail }) => JSON.stringify(detail)),
      now,
    ],
  })
}

export type AuditLogEntry = Omit<Action, 'clientId'> & { id: bigint; takenAt: Date }

type AuditLogFilters = Window & {
  actor?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  withoutOperators?: boolean | undefined
  withAdjustments?: boolean | undefined // Shows adjustments even if withoutOperators is set.
}

type AuditLogPage = { filters: AuditLogFilters; beforeId: bigint | null; limit: number }

// SQL condition on an audit log entry: an operator did it. Only operators act on clients, or run commands
// (`cli:`). Views show `operator` as its actor to other clients, and never an operator's name.
const isByOperator = (a: string) => `(${a}.actor like 'cli:%' or ${a}.action like 'client.%')`

// Lists entries, newest first. An entry that is older than the actor column has the client itself as its
// actor. `withoutOperators` hides operators' work on alerts and on other clients' users and debts from the
// other users of the operator's client. `withAdjustments` shows debts to users with accounting access.
export async function listAuditLog(
  db: Queryable,
  client: { id: bigint; isOperator: boolean },
  { filters, beforeId, limit }: AuditLogPage,
): Promise<AuditLogEntry[]> {
  const { actor, action, subject, from, to, withoutOperators, withAdjustments } = filters
  const actorOrClient = `coalesce(a.actor, 'client:' || k.client_id)`
  const visibleActor = client.isOperator
    ? actorOrClient
    : `case when ${isByOperator('a')} then 'operator' else ${actorOrClient} end`
  const orAdjustment = withAdjustments ? `or a.action like 'adjustment.%'` : ''
  const { rows } = await db.query<AuditLogEntry>(
    listQuery({
      select: `
        select a.id, visible.actor, a.action, a.subject, a.detail, a.taken_at
          from audit_log a
          join clients k on k.id = a.client_id
         cross join lateral (select ${visibleActor} as actor) as visible`,
      where: [
        ['a.client_id = $', client.id],
        ['visible.actor = $', actor],
        ['a.action = $', action],
        ['a.subject = $', subject],
        ['a.taken_at >= $', from],
        ['a.taken_at < $', to],
        withoutOperators === true && `a.action not like 'alert.%'`,
        withoutOperators === true &&
          `(coalesce(a.detail ->> 'clientId' = k.client_id, true) ${orAdjustment})`,
      ],
      id: 'a.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

export type AuditedAction = Pick<Action, 'actor' | 'action' | 'subject'> & {
  detail: Record<string, unknown>
  takenAt: Date
}

const ACTION_COLUMNS = `
  case when not c.is_operator and ${isByOperator('a')} then 'operator'
       else coalesce(a.actor, 'client:' || c.client_id) end as actor,
  a.action, a.subject, a.detail, a.taken_at`

// Reads all entries of a client about these subjects, oldest first, for the timeline of a payment or credit.
export async function auditLogFor(
  db: Queryable,
  clientId: ClientId,
  subjects: readonly string[],
): Promise<AuditedAction[]> {
  const { rows } = await db.query<AuditedAction>({
    name: 'audit-log-for',
    text: `select ${ACTION_COLUMNS}
             from audit_log a join clients c on c.id = a.client_id
            where a.subject = any($1::text[]) and a.client_id = $2 order by a.id`,
    values: [subjects, clientId],
  })
  return rows
}

// Reads the latest entries about one subject within a window, oldest first, for one page of an account's
// timeline. May exceed the limit to include all entries of the same moment.
export async function latestAuditLogFor(
  db: Queryable,
  clientId: ClientId,
  { subject, from, to, limit }: Window & { subject: string; limit: number },
): Promise<AuditedAction[]> {
  const { rows } = await db.query<AuditedAction>({
    name: 'latest-audit-log-for',
    text: `select actor, action, subject, detail, taken_at from (
             select a.id, ${ACTION_COLUMNS}
               from audit_log a join clients c on c.id = a.client_id
              where a.subject = $1 and a.client_id = $2 and a.taken_at >= $3 and a.taken_at < $4
              order by a.taken_at desc fetch first ($5) rows with ties) as latest
            order by id`,
    values: [subject, clientId, from ?? '-infinity', to ?? 'infinity', limit],
  })
  return rows
}

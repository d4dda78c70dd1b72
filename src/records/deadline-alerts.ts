// Alerts about deadlines: one kind before a deadline, another once it has passed. They clear when nothing
// waits for the deadline any more.

import { timestamp } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { type AlertKind, type NewAlert, raiseAlerts } from './alerts.ts'
import { appendEvents } from './events.ts'

const RAISED_MAX = 500 // The most alerts of one round.

// `pending`: SQL that returns `kind`, `subject`, `detail` and `due_at` of each deadline that is near or
// missed at $1.
type Deadlines = { name: string; kinds: readonly AlertKind[]; pending: string }

type Pending = NewAlert & { dueAt: Date }

// Raises and clears alerts, so that they equal what is pending. Returns whether more alerts may be due.
export async function alertDeadlines(
  tx: Transaction,
  now: Date,
  { name, kinds, pending }: Deadlines,
): Promise<boolean> {
  await tx.query({
    name: `clear-${name}`,
    text: `update alerts a set cleared_at = $1
            where kind in ('${kinds.join("', '")}') and cleared_at is null
              and not exists (select from (${pending}) as p
                               where p.kind = a.kind and p.subject = a.subject)`,
    values: [now],
  })
  const { rows } = await tx.query<Pending>({
    name: `find-${name}`,
    text: `select * from (${pending}) as p
            where not exists (select from alerts a
                               where a.kind = p.kind and a.subject = p.subject
                                 and a.cleared_at is null)
            order by due_at limit ${RAISED_MAX}`,
    values: [now],
  })
  const alerts = rows.map(({ kind, subject, detail, dueAt }): NewAlert => {
    return { kind, subject, detail: { ...detail, dueAt: timestamp(dueAt) } }
  })
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  return rows.length === RAISED_MAX
}

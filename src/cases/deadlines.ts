// Deadlines of a case, computed from the rules when the case is opened. Two alerts escalate each deadline:
// one some time before it (warnMinutes), and one when it has passed. The alerts clear when the deadline is
// met or the case is closed.

import { businessDayFrom, DAY_MS, type Holidays, MINUTE_MS, watDay } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { CaseId, ClientId } from '#ids.ts'
import { alertDeadlines } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { readHolidays } from '#settlement/holidays.ts'

export const DEADLINES = ['acknowledge', 'respond', 'resolve'] as const
export type DeadlineName = (typeof DEADLINES)[number]
export const UNITS = ['minutes', 'business_days'] as const

export type DeadlineRule = {
  name: DeadlineName
  kinds: string[]
  unit: (typeof UNITS)[number]
  length: number
  warnMinutes: number
  source: string
  updatedBy: string | null // Null if the rule is still as supplied with the service.
  updatedAt: Date
}

export type Deadline = {
  name: DeadlineName
  dueAt: Date
  source: string
  metAt: Date | null
  metBy: string | null
}

const RULE_COLUMNS = 'name, kinds, unit, length, warn_minutes, source, updated_by, updated_at'

// Lists the rules of all deadlines, in the order in which the deadlines pass.
export async function listDeadlineRules(db: Queryable): Promise<DeadlineRule[]> {
  const { rows } = await db.query<DeadlineRule>({
    name: 'list-case-deadline-rules',
    text: `select ${RULE_COLUMNS} from case_deadline_rules
            order by array_position(array['${DEADLINES.join("','")}'], name)`,
  })
  return rows
}

// Changes the rule of a deadline. It applies to cases that are opened from now on. Open cases keep their
// deadlines.
export async function setDeadlineRule(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  rule: Pick<DeadlineRule, 'name' | 'unit' | 'length' | 'warnMinutes' | 'source'>,
): Promise<DeadlineRule> {
  const { name, unit, length, warnMinutes, source } = rule
  const { rows } = await tx.query<DeadlineRule>({
    name: 'set-case-deadline-rule',
    text: `update case_deadline_rules
              set unit = $2, length = $3, warn_minutes = $4, source = $5, updated_by = $6,
                  updated_at = $7
            where name = $1 returning ${RULE_COLUMNS}`,
    values: [name, unit, length, warnMinutes, source, actor, now],
  })
  const detail = { unit, length, warnMinutes, source }
  const subject = `case-deadline/${name}`
  await writeAuditLog(tx, now, { clientId, actor, action: 'case.deadline_rule', subject, detail })
  return rows[0] as DeadlineRule // Every deadline name has a rule, supplied with the service.
}

type DueRule = Pick<DeadlineRule, 'unit' | 'length'>

// Returns the time of a deadline. A deadline in business days is at the same time of day, that many business
// days later.
export function dueAfter(start: Date, { unit, length }: DueRule, holidays: Holidays): Date {
  if (unit === 'minutes') return new Date(start.getTime() + length * MINUTE_MS)
  const first = watDay(start)
  let day = first
  for (let days = 0; days < length; days++) day = businessDayFrom(dayAfter(day), holidays)
  return new Date(start.getTime() + Date.parse(day) - Date.parse(first))
}

const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)

// Gives a new case the deadlines of its kind, counted from the time of the report.
export async function addDeadlines(
  tx: Transaction,
  { id, kind, reportedAt }: { id: CaseId; kind: string; reportedAt: Date },
): Promise<void> {
  const holidays = await readHolidays(tx)
  for (const rule of await listDeadlineRules(tx)) {
    if (!rule.kinds.includes(kind)) continue
    const dueAt = dueAfter(reportedAt, rule, holidays)
    const warnAt = new Date(dueAt.getTime() - rule.warnMinutes * MINUTE_MS)
    await tx.query({
      name: 'add-case-deadline',
      text: `insert into case_deadlines (case_id, name, due_at, warn_at, source)
             values ($1, $2, $3, $4, $5)`,
      values: [id, rule.name, dueAt, warnAt, rule.source],
    })
  }
}

// Marks the deadline as met. Returns whether it was open before. The caller has locked the case.
export async function meetDeadline(
  tx: Transaction,
  { id, name, actor, now }: { id: CaseId; name: DeadlineName; actor: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'meet-case-deadline',
    text: `update case_deadlines set met_at = $3, met_by = $4
            where case_id = $1 and name = $2 and met_at is null`,
    values: [id, name, now, actor],
  })
  return rowCount === 1
}

// SQL query: the alert that each unmet deadline should have now.
const PENDING = `
  select case when d.due_at <= $1 then 'case_deadline_missed' else 'case_deadline_near' end as kind,
         c.reference || ' ' || d.name as subject,
         jsonb_build_object('case', c.reference, 'deadline', d.name) as detail, d.due_at
    from case_deadlines d join cases c on c.id = d.case_id
   where d.met_at is null and c.state <> 'closed' and d.warn_at <= $1`

// Raises and clears the alerts of deadlines. Returns whether more deadlines may be due.
export async function escalateDeadlines(tx: Transaction, now: Date): Promise<boolean> {
  const kinds = ['case_deadline_near', 'case_deadline_missed'] as const
  return alertDeadlines(tx, now, { name: 'case-deadlines', kinds, pending: PENDING })
}

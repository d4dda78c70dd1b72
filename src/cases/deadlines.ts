// Deadlines of a case, computed from the times in force on the day of its report. Two alerts escalate each
// deadline: one some time before it (warnMinutes), and one when it has passed. The alerts clear when the
// deadline is met or the case is closed.
//
//   payment ──▶ report        the customer reports in time; known from the credits of the case, nobody's task
//   report  ──▶ notify, respond, resolve or resolve_joint, acknowledge
//   end of the investigation ──▶ reimburse
//
// The investigation ends when `resolve` is met, or else when the case is closed. A case that is closed as
// confirmed is still to be reimbursed: that clock runs on.

import { businessDayFrom, DAY_MS, type Holidays, MINUTE_MS, watDay } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { CaseId, ClientId } from '#ids.ts'
import { alertDeadlines } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { readHolidays } from '#settlement/holidays.ts'

// In the order in which they pass. `acknowledge` is of former rules: no time is supplied for it.
export const DEADLINES = [
  'report',
  'notify',
  'acknowledge',
  'respond',
  'resolve',
  'resolve_joint',
  'reimburse',
] as const
export type DeadlineName = (typeof DEADLINES)[number]
export const UNITS = ['minutes', 'business_days'] as const

// The events that the clocks of deadlines start with.
export const STARTS = ['payment', 'report', 'investigation_end'] as const
export type Start = (typeof STARTS)[number]

export function startOf(name: DeadlineName): Start {
  if (name === 'report') return 'payment'
  return name === 'reimburse' ? 'investigation_end' : 'report'
}

export type DeadlineRule = {
  name: DeadlineName
  validFrom: string // A day. For cases that were reported then or later.
  kinds: string[]
  unit: (typeof UNITS)[number]
  length: number
  warnMinutes: number
  source: string
  sourceDate: string | null // The day of the source.
  updatedBy: string | null // Null if the rule is still as supplied with the service.
  updatedAt: Date
}

// `waiting`: its clock has not started. `ended`: the case was closed before it was met.
export const DEADLINE_STATES = ['waiting', 'running', 'met', 'missed', 'ended'] as const

export type Deadline = {
  name: DeadlineName
  startedAt: Date | null
  dueAt: Date | null
  source: string
  sourceDate: string | null
  metAt: Date | null
  metBy: string | null
  state: (typeof DEADLINE_STATES)[number]
}

const RULE_COLUMNS = `name, valid_from::text as valid_from, kinds, unit, length, warn_minutes, source,
  source_date::text as source_date, updated_by, updated_at`
const IN_ORDER = `array_position(array['${DEADLINES.join("','")}'], name)`

// Lists the times of all deadlines, former and future ones too, in the order in which the deadlines pass.
export async function listDeadlineRules(db: Queryable): Promise<DeadlineRule[]> {
  const { rows } = await db.query<DeadlineRule>({
    name: 'list-case-deadline-rules',
    text: `select ${RULE_COLUMNS} from case_deadline_terms order by ${IN_ORDER}, valid_from`,
  })
  return rows
}

// Returns the times in force for a case that was reported at `reportedAt`. A joint case has the time for
// joint cases instead of the usual one.
async function rulesOf(
  db: Queryable,
  { kind, isJoint, reportedAt }: Terms,
): Promise<DeadlineRule[]> {
  const { rows } = await db.query<DeadlineRule>({
    name: 'rules-of-case',
    text: `select distinct on (${IN_ORDER}) ${RULE_COLUMNS} from case_deadline_terms
            where valid_from <= $1 order by ${IN_ORDER}, case_deadline_terms.valid_from desc`,
    values: [watDay(reportedAt)],
  })
  const other = isJoint ? 'resolve' : 'resolve_joint'
  return rows.filter(({ name, kinds }) => kinds.includes(kind) && name !== other)
}

export type Terms = { kind: string; isJoint: boolean; reportedAt: Date }

// Sets the time of a deadline from a day on. It applies to cases that are opened from now on and were
// reported on that day or later. Open cases keep their deadlines.
export async function setDeadlineRule(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  rule: Omit<DeadlineRule, 'kinds' | 'updatedBy' | 'updatedAt'>,
): Promise<DeadlineRule> {
  const { name, validFrom, unit, length, warnMinutes, source, sourceDate } = rule
  const { rows } = await tx.query<DeadlineRule>({
    name: 'set-case-deadline-rule',
    text: `insert into case_deadline_terms
             (name, valid_from, kinds, unit, length, warn_minutes, source, source_date, updated_by,
              updated_at)
           values ($1, $2,
                   coalesce((select kinds from case_deadline_terms
                              where name = $1 order by valid_from desc limit 1),
                            '{bank_report,payer_report}'),
                   $3, $4, $5, $6, $7, $8, $9)
           on conflict (name, valid_from) do update
             set unit = $3, length = $4, warn_minutes = $5, source = $6, source_date = $7,
                 updated_by = $8, updated_at = $9
           returning ${RULE_COLUMNS}`,
    values: [name, validFrom, unit, length, warnMinutes, source, sourceDate, actor, now],
  })
  const detail = { validFrom, unit, length, warnMinutes, source, sourceDate }
  const subject = `case-deadline/${name}`
  await writeAuditLog(tx, now, { clientId, actor, action: 'case.deadline_rule', subject, detail })
  return rows[0] as DeadlineRule
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

// Gives a new case the deadlines of its kind whose clock starts with the report.
export async function addDeadlines(
  tx: Transaction,
  { id, ...terms }: { id: CaseId } & Terms,
): Promise<void> {
  await startClocks(tx, { id, start: 'report', at: terms.reportedAt, ...terms })
}

type Starting = { id: CaseId; start: Start; at: Date } & Terms

async function startClocks(tx: Transaction, { id, start, at, ...terms }: Starting): Promise<void> {
  const holidays = await readHolidays(tx)
  for (const rule of await rulesOf(tx, terms)) {
    if (startOf(rule.name) !== start) continue
    const dueAt = dueAfter(at, rule, holidays)
    const warnAt = new Date(dueAt.getTime() - rule.warnMinutes * MINUTE_MS)
    await tx.query({
      name: 'add-case-deadline',
      text: `insert into case_deadlines
               (case_id, name, started_at, due_at, warn_at, source, source_date)
             values ($1, $2, $3, $4, $5, $6, $7) on conflict (case_id, name) do nothing`,
      values: [id, rule.name, at, dueAt, warnAt, rule.source, rule.sourceDate],
    })
  }
}

// Starts the clock of what follows the investigation, once: it ends when `resolve` is met or the case is
// closed. The caller has locked the case.
export async function endInvestigation(tx: Transaction, id: CaseId, now: Date): Promise<void> {
  await startClocks(tx, { id, start: 'investigation_end', at: now, ...(await termsOf(tx, id)) })
}

// Stops the clock of what follows the investigation, because the case is investigated again.
export async function resumeInvestigation(tx: Transaction, id: CaseId): Promise<void> {
  await tx.query({
    name: 'stop-clock-of-reimbursement',
    text: `delete from case_deadlines where case_id = $1 and name = 'reimburse' and met_at is null`,
    values: [id],
  })
}

async function termsOf(db: Queryable, id: CaseId): Promise<Terms> {
  const { rows } = await db.query<Terms>({
    name: 'terms-of-case',
    text: 'select kind, is_joint, reported_at from cases where id = $1',
    values: [id],
  })
  return rows[0] as Terms // The caller has the case.
}

type Stored = Omit<Deadline, 'state'> & { warnAt: Date }

// Reads the deadlines of a case, with those whose clock has not started, and whether the customer reported in
// time: the clock of `report` starts with the first credit of the case.
export async function listDeadlines(
  db: Queryable,
  {
    id,
    isClosed,
    isConfirmed,
    now,
  }: { id: CaseId; isClosed: boolean; isConfirmed: boolean; now: Date },
): Promise<Deadline[]> {
  const terms = await termsOf(db, id)
  const { rows } = await db.query<Stored>({
    name: 'deadlines-of-case',
    text: `select name, coalesce(started_at, $2) as started_at, due_at, source,
                  source_date::text as source_date, met_at, met_by
             from case_deadlines where case_id = $1`,
    values: [id, terms.reportedAt],
  })
  const paid = await db.query<{ at: Date | null }>({
    name: 'first-credit-of-case',
    text: `select min(coalesce(c.transacted_at, c.received_at)) as at
             from case_credits l join credits c on c.id = l.credit_id where l.case_id = $1`,
    values: [id],
  })
  const paidAt = paid.rows[0]?.at ?? null
  const unstarted = (await rulesOf(db, terms)).filter(
    (rule) => !rows.some(({ name }) => name === rule.name) && startOf(rule.name) !== 'report',
  )
  const holidays = await readHolidays(db)
  const virtual = unstarted.map((rule): Omit<Deadline, 'state'> => {
    const { name, source, sourceDate } = rule
    if (name !== 'report' || paidAt === null) {
      return { name, startedAt: null, dueAt: null, source, sourceDate, metAt: null, metBy: null }
    }
    const dueAt = dueAfter(paidAt, rule, holidays)
    const metAt = terms.reportedAt
    return { name, startedAt: paidAt, dueAt, source, sourceDate, metAt, metBy: null }
  })
  const stateOf = ({ name, dueAt, metAt }: Omit<Deadline, 'state'>): Deadline['state'] => {
    const hasEnded = isClosed && !(name === 'reimburse' && isConfirmed)
    if (dueAt === null) return hasEnded ? 'ended' : 'waiting'
    if (metAt !== null) return metAt > dueAt ? 'missed' : 'met'
    if (hasEnded) return 'ended'
    return now >= dueAt ? 'missed' : 'running'
  }
  return [...rows, ...virtual]
    .map((deadline): Deadline => ({ ...deadline, state: stateOf(deadline) }))
    .sort((one, other) => DEADLINES.indexOf(one.name) - DEADLINES.indexOf(other.name))
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

// SQL condition: the clock of the deadline runs. That of a reimbursement runs on when the case is closed as
// confirmed.
export const isRunning = (ofCase: string, deadline: string) => `
  (${ofCase}.state <> 'closed' or ${deadline}.name = 'reimburse' and ${ofCase}.outcome = 'confirmed')`

// SQL query: the alert that each unmet deadline should have now.
const PENDING = `
  select case when d.due_at <= $1 then 'case_deadline_missed' else 'case_deadline_near' end as kind,
         c.reference || ' ' || d.name as subject,
         jsonb_build_object('case', c.reference, 'deadline', d.name) as detail, d.due_at
    from case_deadlines d join cases c on c.id = d.case_id
   where d.met_at is null and ${isRunning('c', 'd')} and d.warn_at <= $1`

// Raises and clears the alerts of deadlines. Returns whether more deadlines may be due.
export async function escalateDeadlines(tx: Transaction, now: Date): Promise<boolean> {
  const kinds = ['case_deadline_near', 'case_deadline_missed'] as const
  return alertDeadlines(tx, now, { name: 'case-deadlines', kinds, pending: PENDING })
}

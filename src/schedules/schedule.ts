// Scheduled reports. A schedule names an export, its filters and the users who get a link to it for each
// period. A schedule never changes, so a link always means what it meant when it was sent. No file is kept,
// and the link itself grants no access: the user who opens it must sign in and have the right to the export
// at that moment (I181).

import type { Role } from '#access/permissions.ts'
import { watDay } from '#clock.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { type ClientId, newReference, type UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'

export const FORMATS = ['csv', 'xlsx'] as const
export type Format = (typeof FORMATS)[number]

export const RECIPIENTS_MAX = 20
export const SCHEDULES_MAX = 50 // For each client.
export const LINK_DAYS = 7

export type Filters = Readonly<Record<string, string>>

export type Schedule = {
  id: bigint
  reference: string
  name: string
  operation: string
  filters: Filters
  frequency: Frequency
  hour: number
  format: Format
  recipients: readonly string[]
  createdBy: string
  createdAt: Date
  nextDueAt: Date
  lastRunAt: Date | null
}

type NewSchedule = Pick<
  Schedule,
  'name' | 'operation' | 'filters' | 'frequency' | 'hour' | 'format' | 'recipients'
>

// A user sees and deletes their own schedules; an owner or operator sees and deletes those of every user of
// the client.
export type Viewer = { clientId: ClientId; userId: UserId; role: Role }

type Deps = { sealer: Sealer }

const SELECT = `
  select s.id, s.reference, s.name, s.operation, s.filters_sealed, s.frequency, s.hour, s.format,
         s.created_by, s.created_at, s.next_due_at,
         (select max(r.created_at) from report_runs r where r.schedule_id = s.id) as last_run_at,
         array(select u.email from report_recipients p join users u on u.id = p.user_id
                where p.schedule_id = s.id order by u.email) as recipients
    from report_schedules s`

// Whether the user may see the schedules of all users of the client.
const seesAll = ({ role }: Viewer) => role === 'owner' || role === 'operator'

type Row = Omit<Schedule, 'filters'> & { filtersSealed: Buffer }

const openRow = ({ filtersSealed, ...row }: Row, { sealer }: Deps): Schedule => ({
  ...row,
  filters: JSON.parse(sealer.open(filtersSealed)),
})

// Lists the schedules that the viewer may see, newest first.
export async function listSchedules(
  db: Queryable,
  viewer: Viewer,
  { after, limit, ...deps }: Deps & { after: bigint | null; limit: number },
): Promise<Schedule[]> {
  const { rows } = await db.query<Row>(
    listQuery({
      select: SELECT,
      where: [
        ['s.client_id = $', viewer.clientId],
        ['s.user_id = $', seesAll(viewer) ? undefined : viewer.userId],
      ],
      id: 's.id',
      after,
      limit,
    }),
  )
  return rows.map((row) => openRow(row, deps))
}

// Returns a schedule. To a viewer who may not see it, it does not exist.
export async function getSchedule(
  db: Queryable,
  viewer: Viewer,
  { reference, sealer }: Deps & { reference: string },
): Promise<Schedule> {
  const { rows } = await db.query<Row>({
    name: 'get-report-schedule',
    text: `${SELECT} where s.client_id = $1 and ($3 or s.user_id = $2) and s.reference = $4`,
    values: [viewer.clientId, viewer.userId, seesAll(viewer), reference],
  })
  if (!rows[0]) throw new Refusal('report_schedule_not_found')
  return openRow(rows[0], { sealer })
}

// The user who acts, and what the action needs.
type By = Viewer & Deps & { now: Date; actor: string }

// Creates a schedule. Its first run is for the current period, and so is due after that period ends.
export async function createSchedule(
  tx: Transaction,
  by: By,
  schedule: NewSchedule,
): Promise<Schedule> {
  const { clientId, userId, now, actor, sealer } = by
  const { name, operation, filters, frequency, hour, format, recipients } = schedule
  await refuseTooMany(tx, clientId)
  const userIds = await findRecipients(tx, clientId, recipients)
  const reference = newReference('RSC')
  const period: Period = periodOf(frequency, watDay(now))
  await tx.query({
    name: 'insert-report-schedule',
    text: `with schedule as (
             insert into report_schedules (reference, client_id, user_id, created_by, name, operation,
                                           filters_sealed, frequency, hour, format, next_from,
                                           next_due_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning id)
           insert into report_recipients (schedule_id, client_id, user_id)
           select schedule.id, $2, u from schedule, unnest($14::uuid[]) as u`,
    values: [
      reference,
      clientId,
      userId,
      actor,
      name,
      operation,
      sealer.seal(JSON.stringify(filters)),
      frequency,
      hour,
      format,
      period.from,
      dueAt(period, hour),
      now,
      userIds,
    ],
  })
  const detail = { name, operation, frequency, hour, format, recipients }
  const subject = `report-schedule/${reference}`
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'report_schedule.create',
    subject,
    detail,
  })
  return getSchedule(tx, by, { reference, sealer })
}

// Refuses if the client has SCHEDULES_MAX schedules. The lock keeps concurrent requests from exceeding the
// limit.
async function refuseTooMany(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`report_schedules/${clientId}`])
  const { rows } = await tx.query<{ isFull: boolean }>({
    name: 'count-report-schedules',
    text: `select count(*) >= ${SCHEDULES_MAX} as is_full from report_schedules where client_id = $1`,
    values: [clientId],
  })
  if (rows[0]?.isFull) throw new Refusal('too_many_report_schedules')
}

// Returns the ids of the recipients. Refuses an address that is not of an active user of the client.
async function findRecipients(
  tx: Transaction,
  clientId: ClientId,
  emails: readonly string[],
): Promise<UserId[]> {
  const addresses = [...new Set(emails.map((email) => email.toLowerCase()))]
  const { rows } = await tx.query<{ id: UserId }>({
    name: 'recipients-of-reports',
    text: 'select id from users where client_id = $1 and is_active and email = any($2::text[])',
    values: [clientId, addresses],
  })
  if (rows.length < addresses.length) {
    throw invalidField('recipients', 'Must be active users of your client.')
  }
  return rows.map(({ id }) => id)
}

// Deletes a schedule and its runs, so links that were already sent stop working.
export async function removeSchedule(
  tx: Transaction,
  by: By,
  reference: string,
): Promise<Schedule> {
  const schedule = await getSchedule(tx, by, { reference, sealer: by.sealer })
  const { clientId, actor, now } = by
  await tx.query({
    name: 'delete-report-schedule',
    text: 'delete from report_schedules where id = $1',
    values: [schedule.id],
  })
  const subject = `report-schedule/${reference}`
  const detail = { name: schedule.name }
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'report_schedule.delete',
    subject,
    detail,
  })
  return schedule
}

// Returns the addresses of up to 200 users who may be recipients; the viewer's own address comes first.
export async function listColleagues(
  db: Queryable,
  { clientId, userId }: Viewer,
): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>({
    name: 'colleagues-for-reports',
    text: `select email from users where client_id = $1 and is_active
            order by id = $2 desc, email limit 200`,
    values: [clientId, userId],
  })
  return rows.map(({ email }) => email)
}

export type Run = Pick<
  Schedule,
  'reference' | 'name' | 'operation' | 'filters' | 'frequency' | 'format' | 'createdAt'
> & {
  from: string
  to: string // The day after the last day of the period.
  expiresAt: Date
}

// Returns the report that a link leads to. Refuses if the link has expired, or belongs to another client.
export async function getRun(
  db: Queryable,
  { clientId, now, sealer }: { clientId: ClientId; now: Date; sealer: Sealer },
  reference: string,
): Promise<Run> {
  const { rows } = await db.query<Omit<Run, 'filters'> & { filtersSealed: Buffer }>({
    name: 'get-report-run',
    text: `select r.reference, s.name, s.operation, s.filters_sealed, s.frequency, s.format,
                  r.from_day::text as "from", r.to_day::text as "to", r.expires_at, r.created_at
             from report_runs r join report_schedules s on s.id = r.schedule_id
            where r.client_id = $1 and r.reference = $2`,
    values: [clientId, reference],
  })
  const [row] = rows
  if (!row) throw new Refusal('report_not_found')
  if (row.expiresAt <= now) throw new Refusal('report_expired')
  const { filtersSealed, ...run } = row
  return { ...run, filters: JSON.parse(sealer.open(filtersSealed)) }
}

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

// Days are yyyy-MM-dd in Lagos, which has no summer time, so every day has 24 hours. `to` is exclusive.
export type Period = { from: string; to: string }

// After a longer outage, only this many of the latest periods get a run.
const MISSED_MAX = 7

// Returns the period that contains the day.
export function periodOf(frequency: Frequency, day: string): Period {
  const from = firstDay(frequency, day)
  return { from, to: nextFirstDay(frequency, from) }
}

// Returns the first day of the period that contains the day.
function firstDay(frequency: Frequency, day: string): string {
  if (frequency === 'daily') return day
  if (frequency === 'monthly') return `${day.slice(0, 8)}01`
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return addDays(day, -((weekday + 6) % 7)) // Weeks begin on Monday.
}

// Returns the first day of the period after the one that begins on `from`.
function nextFirstDay(frequency: Frequency, from: string): string {
  // 31 days after the first of a month is always in the next month.
  if (frequency === 'monthly') return firstDay('monthly', addDays(from, 31))
  return addDays(from, frequency === 'daily' ? 1 : 7)
}

// Returns the day that many days later, or earlier if `days` is negative.
export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`)
  return new Date(at.setUTCDate(at.getUTCDate() + days)).toISOString().slice(0, 10)
}

// Returns the time at which the report of a period is due: `hour` o'clock on the day after its last day.
export function dueAt({ to }: Period, hour: number): Date {
  return new Date(`${to}T${String(hour).padStart(2, '0')}:00:00+01:00`)
}

type Timing = { frequency: Frequency; hour: number }

// Returns the period that the next run is for: the one that contains `from` or, after a long outage, the
// oldest of the last MISSED_MAX periods that are due. If a clock ran ahead, the period of `from` may not be
// due; then the last period that is due is returned.
export function nextPeriod({ frequency, hour }: Timing, from: string, now: Date): Period {
  const period = periodOf(frequency, from)
  let oldestPeriod = periodOf(frequency, watDay(now))
  while (dueAt(oldestPeriod, hour) > now)
    oldestPeriod = periodOf(frequency, addDays(oldestPeriod.from, -1))
  if (dueAt(period, hour) > now) return oldestPeriod
  for (let index = 1; index < MISSED_MAX; index++)
    oldestPeriod = periodOf(frequency, addDays(oldestPeriod.from, -1))
  return oldestPeriod.from > period.from ? oldestPeriod : period
}

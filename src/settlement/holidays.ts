// The calendar of holidays: reads it, changes it, and warns when a year has none yet.

import type { Client } from '#access/permissions.ts'
import { type Holidays, watDay } from '#clock.ts'
import { composed, joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'

// A holiday: a day other than a Saturday or Sunday on which banks do not work. Settlements, payout files and
// overdue alerts all use this calendar. A holiday that the government has yet to announce is expected
// (isConfirmed is false): the calendar shows it, but the day is treated as a business day until an operator
// confirms it (I115).
export type Holiday = {
  day: string
  name: string
  isConfirmed: boolean
  source: string
  updatedBy: string | null // null for a holiday that was supplied with the service.
  updatedAt: Date
}

// The search for a business day stops after 400 days (src/clock.ts), so a year must not be all holidays.
const PER_YEAR_MAX = 100

const COLUMNS = 'day::text as day, name, is_confirmed, source, updated_by, updated_at'

// Lists the holidays of a year, or all of them; the expected ones too.
export async function listHolidays(db: Queryable, year?: string): Promise<Holiday[]> {
  const { sql, values } = joinConditions([['extract(year from day) = $::int', year]])
  const text = `select ${COLUMNS} from holidays where ${sql} order by holidays.day`
  const { rows } = await db.query<Holiday>(composed(text, values))
  return rows
}

// Returns the days on which banks do not work, without weekends. Expected holidays are left out until an
// operator confirms them (I115).
export async function readHolidays(db: Queryable): Promise<Holidays> {
  const { rows } = await db.query<{ day: string }>({
    name: 'read-holidays',
    text: 'select day::text as day from holidays where is_confirmed',
  })
  return new Set(rows.map(({ day }) => day))
}

type By = { client: Client; actor: string; now: Date }

// Adds a holiday or replaces it. The lock keeps concurrent requests from exceeding the yearly limit.
export async function setHoliday(
  tx: Transaction,
  { client, actor, now }: By,
  holiday: Pick<Holiday, 'day' | 'name' | 'isConfirmed' | 'source'>,
): Promise<Holiday> {
  const { day, name, isConfirmed, source } = holiday
  await tx.query(`select pg_advisory_xact_lock(hashtext('holidays'))`)
  const otherHolidays = (await listHolidays(tx, day.slice(0, 4))).filter(
    (other) => other.day !== day,
  )
  if (otherHolidays.length >= PER_YEAR_MAX) {
    throw invalidField('date', `A year has at most ${PER_YEAR_MAX} holidays.`)
  }
  const { rows } = await tx.query<Holiday>({
    name: 'set-holiday',
    text: `insert into holidays (day, name, is_confirmed, source, updated_by, updated_at)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (day) do update
             set name = $2, is_confirmed = $3, source = $4, updated_by = $5, updated_at = $6
           returning ${COLUMNS}`,
    values: [day, name, isConfirmed, source, actor, now],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'holiday.set',
    subject: `holiday/${day}`,
    detail: { name, isConfirmed, source },
  })
  return rows[0] as Holiday
}

// Removes a holiday, so that its day is a business day again.
export async function removeHoliday(
  tx: Transaction,
  { client, actor, now }: By,
  day: string,
): Promise<void> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'remove-holiday',
    text: 'delete from holidays where day = $1 returning name',
    values: [day],
  })
  if (!rows[0]) throw new Refusal('holiday_not_found')
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'holiday.remove',
    subject: `holiday/${day}`,
    detail: { name: rows[0].name },
  })
}

const WARNING_MS = 90 * 86_400_000

// Alerts operators 90 days before the calendar runs out, because after its last holiday every weekday would
// be treated as a business day. Expected holidays are included.
export async function watchHolidays(tx: Transaction, now: Date): Promise<void> {
  const { rows } = await tx.query<{ lastDay: string | null }>({
    name: 'last-holiday',
    text: 'select max(day)::text as last_day from holidays',
  })
  const lastDay = rows[0]?.lastDay ?? null
  const alert = { kind: 'holidays_run_out', subject: 'holidays', detail: { lastDay } } as const
  const soon = watDay(new Date(now.getTime() + WARNING_MS))
  if (lastDay !== null && lastDay > soon) await clearAlert(tx, now, alert)
  else await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

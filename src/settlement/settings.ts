// Settlement settings: each client's terms (schedule, minimum amount, reserve), the slots of a schedule, and
// the calendar of holidays. The operator may set a floor for the reserve, which the client cannot go below.

import type { Client } from '#access/permissions.ts'
import { type Holidays, isBusinessDay, watDay } from '#clock.ts'
import { composed, fits } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'

type SettlementTerms = {
  schedule: string
  minimumKobo: Kobo // The schedule skips smaller settlements.
  reserveBps: number
  reserveDays: number
}

// The reserve in force is the greater of the client's own and the operator's floor.
export type SettlementSettings = SettlementTerms & {
  handledTo: Date | null // Slots up to this time were closed or skipped; null without a schedule.
  reserveFloorBps: number
  reserveFloorDays: number
}

export async function readSettings(db: Queryable, clientId: ClientId): Promise<SettlementSettings> {
  const { rows } = await db.query<SettlementSettings>({
    name: 'read-settlement-settings',
    text: `select coalesce(s.schedule, 'manual') as schedule,
                  coalesce(s.minimum_kobo, 0) as minimum_kobo,
                  greatest(s.reserve_bps, f.reserve_floor_bps, 0) as reserve_bps,
                  greatest(s.reserve_days, f.reserve_floor_days, 0) as reserve_days, s.handled_to,
                  coalesce(f.reserve_floor_bps, 0) as reserve_floor_bps,
                  coalesce(f.reserve_floor_days, 0) as reserve_floor_days
             from (values ($1::bigint)) as c (id)
             left join settlement_settings s on s.client_id = c.id
             left join payout_settings f on f.client_id = c.id`,
    values: [clientId],
  })
  return rows[0] as SettlementSettings
}

// A schedule starts when it is set, and closes no settlement for earlier slots. If the client asks for no
// reserve, the operator's floor applies.
export async function writeSettings(
  tx: Transaction,
  { client, actor, now }: { client: Client; actor: string; now: Date },
  { schedule, minimumKobo, reserveBps, reserveDays }: SettlementTerms,
): Promise<SettlementSettings> {
  const { reserveFloorBps, reserveFloorDays } = await readSettings(tx, client.id)
  const isBelow = reserveBps < reserveFloorBps || reserveDays < reserveFloorDays
  if (reserveBps > 0 && isBelow) throw new Refusal('reserve_below_floor')
  await tx.query({
    name: 'write-settlement-settings',
    text: `insert into settlement_settings as s
             (client_id, schedule, minimum_kobo, reserve_bps, reserve_days, handled_to, updated_by,
              updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $6)
           on conflict (client_id) do update
             set schedule = $2, minimum_kobo = $3, reserve_bps = $4, reserve_days = $5,
                 handled_to = case when s.schedule = $2 then s.handled_to else $6 end,
                 updated_by = $7, updated_at = $6`,
    values: [client.id, schedule, minimumKobo, reserveBps, reserveDays, now, actor],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'settlement.settings',
    subject: `client/${client.clientId}`,
    detail: { schedule, minimumKobo: minimumKobo.toString(), reserveBps, reserveDays },
  })
  return readSettings(tx, client.id)
}

export type ScheduledClient = Pick<SettlementTerms, 'schedule' | 'minimumKobo'> & {
  clientId: ClientId
  handledTo: Date
}

// SQL condition: whether any client has a settlement schedule.
export const HAS_SETTLEMENT_SCHEDULES = `exists (select from settlement_settings where schedule <> 'manual')`

// Lists the clients with a schedule, without suspended ones. When a suspended client is resumed, the worker
// closes the missed slots.
export async function listScheduled(db: Queryable): Promise<ScheduledClient[]> {
  const { rows } = await db.query<ScheduledClient>({
    name: 'list-scheduled-settlements',
    text: `select client_id, schedule, minimum_kobo, handled_to
             from settlement_settings
            where schedule <> 'manual'
              and exists (select from clients
                           where clients.id = settlement_settings.client_id and clients.is_active)
            order by client_id`,
  })
  return rows
}

// Returns true to only one caller, which then closes or skips the slot (I54). The row stays locked until the
// transaction ends.
export async function claimSlot(
  tx: Transaction,
  { clientId, handledTo, schedule }: ScheduledClient,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'claim-settlement-slot',
    text: `update settlement_settings set handled_to = $4
            where client_id = $1 and handled_to = $2 and schedule = $3`,
    values: [clientId, handledTo, schedule, at],
  })
  return rowCount === 1
}

// Schedules of settlements, in West Africa Time and on business days only:
//
//   manual            never automatically
//   daily@HH:MM       each business day, with the cut-off at that time
//   T+1@HH:MM         each business day, with the cut-off at the start of the day: covers the days before
//   weekly@Mon@HH:MM  once a week, or on the next business day if that day is a holiday
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const DAY_MS = 86_400_000
const PATTERN = /^(?:(daily|T\+1)|weekly@(Mon|Tue|Wed|Thu|Fri))@([01][0-9]|2[0-3]):([0-5][0-9])$/
export const SCHEDULE_PATTERN =
  '^(manual|weekly|(daily|T\\+1|weekly@(Mon|Tue|Wed|Thu|Fri))@([01][0-9]|2[0-3]):[0-5][0-9])$'
const WEEKLY = 'weekly@Mon@09:00'

// Longer than any series of holidays.
const LOOK_AHEAD_DAYS = 400

export type Slot = { at: Date; cutOff: Date }

// `weekly` without a day means Monday.
export function normalSchedule(schedule: string): string {
  return schedule === 'weekly' ? WEEKLY : schedule
}

// Returns the first slot after this moment, or undefined for a manual schedule. Pure.
export function nextSlot(schedule: string, after: Date, holidays: Holidays): Slot | undefined {
  const match = PATTERN.exec(schedule)
  if (!match) return undefined
  const [, daily, weekday, hour, minute] = match
  const clockMs = (Number(hour) * 60 + Number(minute)) * 60_000
  const isInSchedule = (day: string) => weekday === undefined || isWeekly(day, weekday, holidays)
  const first = dayStart(watDay(after))
  for (let days = 0; days <= LOOK_AHEAD_DAYS; days++) {
    const midnight = new Date(first.getTime() + days * DAY_MS)
    const day = watDay(midnight)
    const at = new Date(midnight.getTime() + clockMs)
    if (at <= after || !isBusinessDay(day, holidays) || !isInSchedule(day)) continue
    return { at, cutOff: daily === 'T+1' ? midnight : at }
  }
  return undefined
}

// Whether a weekly settlement closes on this business day: the day is the chosen weekday, or neither the
// chosen weekday nor any day since then was a business day.
function isWeekly(day: string, weekday: string, holidays: Holidays): boolean {
  if (dayName(day) === weekday) return true
  const before = dayBefore(day)
  return !isBusinessDay(before, holidays) && isWeekly(before, weekday, holidays)
}

function dayName(day: string): string {
  return DAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] as string
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10)
}

function dayStart(day: string): Date {
  return new Date(`${day}T00:00:00+01:00`)
}

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

export async function listHolidays(db: Queryable, year?: string): Promise<Holiday[]> {
  const { sql, values } = fits([['extract(year from day) = $::int', year]])
  const text = `select ${COLUMNS} from holidays where ${sql} order by holidays.day`
  const { rows } = await db.query<Holiday>(composed(text, values))
  return rows
}

// Returns only the confirmed holidays.
export async function readHolidays(db: Queryable): Promise<Holidays> {
  const { rows } = await db.query<{ day: string }>({
    name: 'read-holidays',
    text: 'select day::text as day from holidays where is_confirmed',
  })
  return new Set(rows.map(({ day }) => day))
}

type By = { client: Client; actor: string; now: Date }

export async function setHoliday(
  tx: Transaction,
  { client, actor, now }: By,
  holiday: Pick<Holiday, 'day' | 'name' | 'isConfirmed' | 'source'>,
): Promise<Holiday> {
  const { day, name, isConfirmed, source } = holiday
  await tx.query(`select pg_advisory_xact_lock(hashtext('holidays'))`)
  const others = (await listHolidays(tx, day.slice(0, 4))).filter((other) => other.day !== day)
  if (others.length >= PER_YEAR_MAX) {
    const message = `A year has at most ${PER_YEAR_MAX} holidays.`
    throw new Refusal('invalid_request', [{ field: 'date', message }])
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

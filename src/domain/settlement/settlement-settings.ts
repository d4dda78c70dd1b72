// A client's settlement terms: schedule, minimum amount and reserve. The operator may set a floor for the
// reserve, which the client cannot go below. The operator's holidays apply to all clients.

import type { Holidays } from '#business-days.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'

type SettlementTerms = {
  schedule: string
  minimumKobo: Kobo // The schedule skips smaller settlements.
  reserveBps: number
  reserveDays: number
}

// The reserve in force is the greater of the client's own and the operator's floor.
export type SettlementSettings = SettlementTerms & {
  handledTo: Date | null
  reserveFloorBps: number
  reserveFloorDays: number
}

export async function readSettings(db: Queryable, clientId: ClientId): Promise<SettlementSettings> {
  const { rows } = await db.query<SettlementSettings>({
    name: 'read-settlement-settings',
    text: `select coalesce(s.schedule, 'manual') as schedule,
                  coalesce(s.minimum_kobo, 0) as "minimumKobo",
                  greatest(s.reserve_bps, f.reserve_floor_bps, 0) as "reserveBps",
                  greatest(s.reserve_days, f.reserve_floor_days, 0) as "reserveDays",
                  s.handled_to as "handledTo",
                  coalesce(f.reserve_floor_bps, 0) as "reserveFloorBps",
                  coalesce(f.reserve_floor_days, 0) as "reserveFloorDays"
             from (values ($1::bigint)) as c (id)
             left join settlement_settings s on s.client_id = c.id
             left join payout_settings f on f.client_id = c.id`,
    values: [clientId],
  })
  return rows[0] as SettlementSettings
}

// A schedule starts when it is set and does not make up for earlier slots. A client without a reserve of
// its own has the operator's floor.
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

// Leaves out suspended clients. When such a client is resumed, its schedule makes up for the slots it
// missed.
export async function listScheduled(db: Queryable, only?: ClientId): Promise<ScheduledClient[]> {
  const { rows } = await db.query<ScheduledClient>({
    name: 'list-scheduled-settlements',
    text: `select client_id as "clientId", schedule, minimum_kobo as "minimumKobo",
                  handled_to as "handledTo"
             from settlement_settings
            where schedule <> 'manual' and ${livesIn('client_id', '$1')}
              and exists (select from clients
                           where clients.id = settlement_settings.client_id and clients.is_active)
            order by client_id`,
    values: [only ?? null],
  })
  return rows
}

// True for one caller only, who closes or skips the slot (I54). Keeps the row locked.
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

export type Holiday = { day: string; name: string }

export async function listHolidays(db: Queryable): Promise<Holiday[]> {
  const { rows } = await db.query<Holiday>({
    name: 'list-settlement-holidays',
    text: 'select day::text as day, name from settlement_holidays order by day',
  })
  return rows
}

export async function readHolidays(db: Queryable): Promise<Holidays> {
  return new Set((await listHolidays(db)).map(({ day }) => day))
}

export async function replaceHolidays(
  tx: Transaction,
  { client, actor, now }: { client: Client; actor: string; now: Date },
  holidays: readonly Holiday[],
): Promise<void> {
  await tx.query({ name: 'clear-settlement-holidays', text: 'delete from settlement_holidays' })
  await tx.query({
    name: 'write-settlement-holidays',
    text: `insert into settlement_holidays (day, name)
           select * from unnest($1::date[], $2::text[])`,
    values: [holidays.map(({ day }) => day), holidays.map(({ name }) => name)],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'settlement.holidays',
    subject: 'holidays',
    detail: { days: holidays.map(({ day }) => day) },
  })
}

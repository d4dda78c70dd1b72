// How a client is settled: when, from which amount on, and what is held back for how long. Holidays
// are the operator's, and everybody's.

import type { Holidays } from '#business-days.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { ClientId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'

export type SettlementTerms = {
  schedule: string
  minimumKobo: Kobo // A schedule skips less than this.
  reserveBps: number
  reserveDays: number
}

export type SettlementSettings = SettlementTerms & { handledTo: Date | null }

const DEFAULTS: SettlementSettings = {
  schedule: 'manual',
  minimumKobo: kobo(0n),
  reserveBps: 0,
  reserveDays: 0,
  handledTo: null,
}

const COLUMNS = `
  schedule, minimum_kobo as "minimumKobo", reserve_bps as "reserveBps",
  reserve_days as "reserveDays", handled_to as "handledTo"`

export async function readSettings(db: Queryable, clientId: ClientId): Promise<SettlementSettings> {
  const { rows } = await db.query<SettlementSettings>({
    name: 'read-settlement-settings',
    text: `select ${COLUMNS} from settlement_settings where client_id = $1`,
    values: [clientId],
  })
  return rows[0] ?? DEFAULTS
}

// A schedule begins when it is set: what it would have closed before is not made up for.
export async function writeSettings(
  tx: Transaction,
  { client, actor, now }: { client: Client; actor: string; now: Date },
  { schedule, minimumKobo, reserveBps, reserveDays }: SettlementTerms,
): Promise<SettlementSettings> {
  const { rows } = await tx.query<SettlementSettings>({
    name: 'write-settlement-settings',
    text: `insert into settlement_settings as s
             (client_id, schedule, minimum_kobo, reserve_bps, reserve_days, handled_to, updated_by,
              updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $6)
           on conflict (client_id) do update
             set schedule = $2, minimum_kobo = $3, reserve_bps = $4, reserve_days = $5,
                 handled_to = case when s.schedule = $2 then s.handled_to else $6 end,
                 updated_by = $7, updated_at = $6
           returning ${COLUMNS}`,
    values: [client.id, schedule, minimumKobo, reserveBps, reserveDays, now, actor],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'settlement.settings',
    subject: `client/${client.clientId}`,
    detail: { schedule, minimumKobo: minimumKobo.toString(), reserveBps, reserveDays },
  })
  return rows[0] as SettlementSettings
}

export type ScheduledClient = SettlementTerms & { clientId: ClientId; handledTo: Date }

// A suspended client is settled when it is resumed: its schedule then makes up for what it missed.
export async function listScheduled(db: Queryable, only?: ClientId): Promise<ScheduledClient[]> {
  const { rows } = await db.query<ScheduledClient>({
    name: 'list-scheduled-settlements',
    text: `select client_id as "clientId", ${COLUMNS}
             from settlement_settings
            where schedule <> 'manual' and ${livesIn('client_id', '$1')}
              and exists (select from clients
                           where clients.id = settlement_settings.client_id and clients.is_active)
            order by client_id`,
    values: [only ?? null],
  })
  return rows
}

// Whoever gets true closed it or skips it; nobody else will (I54). Keeps the row locked.
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

// Settlement settings: each client's terms (schedule, minimum amount, reserve), and the slots that were
// handled. The operator may set a floor for the reserve, which the client cannot go below.

import type { Client } from '#access/permissions.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'

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

// Returns the client's terms. A client without its own settles by hand, without a minimum. The reserve in
// force is at least the operator's floor.
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

// Replaces the client's terms. A schedule starts when it is set, and closes no settlement for earlier slots.
// If the client asks for no reserve, the operator's floor applies. Refuses a reserve below that floor.
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

// Marks a slot of the client's schedule as handled. Returns true to only one caller, which then closes or
// skips the slot (I54). The row stays locked until the transaction ends.
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

// How a client pays out: which payouts need a second person's approval, and the operator's limits.
//
// A client's owner can have more payouts approved, by themselves; fewer only the operator can allow,
// or else one person would be enough after all. Limits, and the least reserve of settlements, are the
// operator's to set.
// Settings are read in the transaction that they govern, and locked: once a change is answered, nothing
// is paid out by the old ones.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'

export type PayoutSettings = {
  approvalAboveKobo: Kobo | null // More than this needs approval. Null: nothing does; 0: all.
  twoApproversAboveKobo: Kobo | null // Of client credentials: more than this takes two approvers.
  perPayoutKobo: Kobo | null // Null: no limit.
  perDayKobo: Kobo | null
  reserveFloorBps: number
  reserveFloorDays: number
}

const NONE: PayoutSettings = {
  approvalAboveKobo: null,
  twoApproversAboveKobo: null,
  perPayoutKobo: null,
  perDayKobo: null,
  reserveFloorBps: 0,
  reserveFloorDays: 0,
}

const SELECT_SETTINGS = `
  select approval_above_kobo as "approvalAboveKobo", per_payout_kobo as "perPayoutKobo",
         per_day_kobo as "perDayKobo", two_approvers_above_kobo as "twoApproversAboveKobo",
         reserve_floor_bps as "reserveFloorBps", reserve_floor_days as "reserveFloorDays"
    from payout_settings where client_id = $1`

export async function readPayoutSettings(
  db: Queryable,
  clientId: ClientId,
): Promise<PayoutSettings> {
  const { rows } = await db.query<PayoutSettings>({
    name: 'read-payout-settings',
    text: SELECT_SETTINGS,
    values: [clientId],
  })
  return rows[0] ?? NONE
}

// Until nobody changes what needs approval, which is held so until the transaction ends. Of a client that
// has no settings yet, there is no other row to wait for.
export async function holdApprovalRules(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'hold-approval-rules',
    text: 'select from clients where id = $1 for share',
    values: [clientId],
  })
}

export type ApproverCount = 0 | 1 | 2

type Asked = { clientId: ClientId; actor: string; amountKobo: Kobo }

export const isCredential = (actor: string) => actor.startsWith('client:')

// As payout-limits.ts locks them afterwards: a weaker lock would have two payouts wait for each other.
export async function countApprovers(
  tx: Transaction,
  { clientId, actor, amountKobo }: Asked,
): Promise<ApproverCount> {
  await holdApprovalRules(tx, clientId)
  const { rows } = await tx.query<PayoutSettings>({
    name: 'lock-payout-settings',
    text: `${SELECT_SETTINGS} for no key update`,
    values: [clientId],
  })
  const { approvalAboveKobo, twoApproversAboveKobo } = rows[0] ?? NONE
  const isAbove = (limitKobo: Kobo | null) => limitKobo !== null && amountKobo > limitKobo
  if (isCredential(actor) && isAbove(twoApproversAboveKobo)) return 2
  return isAbove(approvalAboveKobo) ? 1 : 0
}

// Undefined: as it was.
type Tightening = {
  approvalAboveKobo: Kobo | null
  twoApproversAboveKobo?: Kobo | null | undefined
}

// Null is the highest.
function isHigher(newKobo: Kobo | null | undefined, oldKobo: Kobo | null): boolean {
  if (newKobo === undefined || oldKobo === null) return false
  return newKobo === null || newKobo > oldKobo
}

// By one person of the client: stricter only.
export async function tightenApproval(
  tx: Transaction,
  { client, actor, now }: { client: Client; actor: string; now: Date },
  { approvalAboveKobo, twoApproversAboveKobo }: Tightening,
): Promise<void> {
  const old = await lockSettings(tx, client.id)
  const isLooser =
    isHigher(approvalAboveKobo, old.approvalAboveKobo) ||
    isHigher(twoApproversAboveKobo, old.twoApproversAboveKobo)
  if (isLooser) throw new Refusal('payout_approval_kept')
  const by = { clientId: client.id, actor, now }
  const changes = {
    approvalAboveKobo,
    ...(twoApproversAboveKobo === undefined ? {} : { twoApproversAboveKobo }),
  }
  await writeSettings(tx, by, { client, changes })
}

// By an operator, in whose audit log it stands.
export async function changePayoutSettings(
  tx: Transaction,
  by: { clientId: ClientId; actor: string; now: Date },
  change: { client: Pick<Client, 'id' | 'clientId'>; changes: Partial<PayoutSettings> },
): Promise<PayoutSettings> {
  await lockSettings(tx, change.client.id)
  await writeSettings(tx, by, change)
  return readPayoutSettings(tx, change.client.id)
}

// There is a row to lock from here on. Settlements that are being closed lock the client: see needsApproval
// of approve-settlement.ts.
async function lockSettings(tx: Transaction, clientId: ClientId): Promise<PayoutSettings> {
  await tx.query('select from clients where id = $1 for no key update', [clientId])
  await tx.query({
    name: 'open-payout-settings',
    text: 'insert into payout_settings (client_id) values ($1) on conflict do nothing',
    values: [clientId],
  })
  const { rows } = await tx.query<PayoutSettings>({
    name: 'change-payout-settings',
    text: `${SELECT_SETTINGS} for update`,
    values: [clientId],
  })
  return rows[0] as PayoutSettings
}

async function writeSettings(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  {
    client,
    changes,
  }: { client: Pick<Client, 'id' | 'clientId'>; changes: Partial<PayoutSettings> },
): Promise<void> {
  const old = await readPayoutSettings(tx, client.id)
  const settings = { ...old, ...changes }
  const { approvalAboveKobo, twoApproversAboveKobo, perPayoutKobo, perDayKobo } = settings
  const { reserveFloorBps, reserveFloorDays } = settings
  await tx.query({
    name: 'write-payout-settings',
    text: `update payout_settings
              set approval_above_kobo = $2, per_payout_kobo = $3, per_day_kobo = $4,
                  two_approvers_above_kobo = $5, reserve_floor_bps = $6, reserve_floor_days = $7
            where client_id = $1`,
    values: [
      client.id,
      approvalAboveKobo,
      perPayoutKobo,
      perDayKobo,
      twoApproversAboveKobo,
      reserveFloorBps,
      reserveFloorDays,
    ],
  })
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'payout.settings',
    subject: `client/${client.clientId}`,
    detail: {
      approvalAbove: shown(approvalAboveKobo),
      twoApproversAbove: shown(twoApproversAboveKobo),
      ...limitsShown(settings),
      reserveFloorBps,
      reserveFloorDays,
    },
  })
}

function limitsShown({ perPayoutKobo, perDayKobo }: PayoutSettings) {
  return { perPayoutLimit: shown(perPayoutKobo), dailyLimit: shown(perDayKobo) }
}

function shown(amountKobo: Kobo | null): string | null {
  return amountKobo === null ? null : formatKobo(amountKobo)
}

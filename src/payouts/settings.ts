// A client's payout settings: which payouts need a second person's approval, and the operator's limits.
//
// The client can extend approval to more payouts. Only the operator can relax it; otherwise one person of the
// client could switch it off. Only the operator sets limits and the reserve floor. Transactions lock the
// settings that they depend on, so once a change is acknowledged, no payout follows the old settings.

import type { Client } from '#access/permissions.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, PayoutId } from '#ids.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'

export type PayoutSettings = {
  approvalAboveKobo: Kobo | null // Larger payouts need approval: all if 0, none if null.
  twoApproversAboveKobo: Kobo | null // Larger payouts by client credentials need two approvers.
  perPayoutKobo: Kobo | null // Null means no limit.
  perDayKobo: Kobo | null
  reserveFloorBps: number
  reserveFloorDays: number
  strictApprovers: boolean // Nobody approves requests of users to whom they gave access (approver_unfitness).
}

const DEFAULTS: PayoutSettings = {
  approvalAboveKobo: null,
  twoApproversAboveKobo: null,
  perPayoutKobo: null,
  perDayKobo: null,
  reserveFloorBps: 0,
  reserveFloorDays: 0,
  strictApprovers: false,
}

const SELECT_SETTINGS = `
  select approval_above_kobo, per_payout_kobo, per_day_kobo, two_approvers_above_kobo,
         reserve_floor_bps, reserve_floor_days, strict_approvers
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
  return rows[0] ?? DEFAULTS
}

// The reserve floor: the share of a client's money that the operator keeps back for some days, in case banks
// reverse credits. I96: payouts and settlements together keep back as much as a single settlement of all the
// money would:
//
//   a payout      leaves that share in the available balance
//   a settlement  holds that share back (settlement/reserves.ts)
export type Floor = {
  bps: number
  paidKobo: Kobo // The client's own payouts within the floor's days that no settlement has included yet.
  payoutsToId: PayoutId | null // The client's last payout; the next settlement stores it as included.
}

export const WHOLE_BPS = 10_000n

// Reads the client's reserve floor, and the sum of its payouts within the floor's days that no settlement has
// included yet. Finds the payouts after the last settlement by id where it can, because `requested_at` is
// read before a payout waits for its locks. A client's payouts get their ids in the order of their commits,
// because countApprovers() locks the client's settings before each payout is inserted.
export async function readReserveFloor(
  db: Queryable,
  { clientId, currency, now }: { clientId: ClientId; currency: string; now: Date },
): Promise<Floor> {
  const { rows } = await db.query<Floor>({
    name: 'read-reserve-floor',
    text: `select coalesce(f.reserve_floor_bps, 0) as bps,
                  (select coalesce(sum(p.amount_kobo), 0)::bigint from payouts p
                    where p.client_id = c.id and p.currency = $2 and p.purpose = 'payout'
                      and p.status not in ('failed', 'cancelled')
                      and p.requested_at >= $3::timestamptz - make_interval(days => f.reserve_floor_days)
                      and p.id > coalesce(s.payouts_to_id, 0)
                      and (s.payouts_to_id is not null or s.cut_off is null
                           or p.requested_at >= s.cut_off)) as paid_kobo,
                  (select max(id) from payouts where client_id = c.id) as payouts_to_id
             from clients c
             left join payout_settings f on f.client_id = c.id
             left join lateral (select payouts_to_id, cut_off from settlements
                                 where client_id = c.id and currency = $2 and status <> 'cancelled'
                                 order by cut_off desc limit 1) s on true
            where c.id = $1`,
    values: [clientId, currency, now],
  })
  return rows[0] as Floor // A client always has a row in `clients`.
}

// Returns the amount that must stay in the available balance: the floor's share of all the money, both paid
// and remaining, rounded up. If the floor is 20%, payouts of 80 must leave 20: 80 × 20% / (100% − 20%).
// Returns null if the floor is 100%, so that nothing may be paid.
export function amountToKeepBack({ bps, paidKobo }: Floor): Kobo | null {
  const payableBps = WHOLE_BPS - BigInt(bps)
  if (payableBps === 0n) return null
  return kobo((paidKobo * BigInt(bps) + payableBps - 1n) / payableBps)
}

// Waits for changes of the approval rules, and prevents further changes until the transaction ends. Locks the
// client, because a client without payout settings has no settings row.
export async function lockApprovalRules(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-approval-rules',
    text: 'select from clients where id = $1 for share',
    values: [clientId],
  })
}

export type ApproverCount = 0 | 1 | 2

// A threshold or limit of null is never exceeded.
export const isAbove = (amountKobo: Kobo, limitKobo: Kobo | null) =>
  limitKobo !== null && amountKobo > limitKobo

// The actor of API credentials is `client:…`, that of a person is `user:…`.
export const isCredential = (actor: string) => actor.startsWith('client:')

// Returns how many people must approve a payout of this amount, by the client's settings, and locks the
// settings until the transaction ends. The threshold for two approvers applies only to payouts that API
// credentials request.
//
// Takes the same lock as createPayouts(). With a weaker lock here, two concurrent payouts would deadlock when
// each of them strengthens its lock there.
export async function countApprovers(
  tx: Transaction,
  { clientId, actor, amountKobo }: { clientId: ClientId; actor: string; amountKobo: Kobo },
): Promise<ApproverCount> {
  await lockApprovalRules(tx, clientId)
  const { rows } = await tx.query<PayoutSettings>({
    name: 'lock-payout-settings',
    text: `${SELECT_SETTINGS} for no key update`,
    values: [clientId],
  })
  const { approvalAboveKobo, twoApproversAboveKobo } = rows[0] ?? DEFAULTS
  if (isCredential(actor) && isAbove(amountKobo, twoApproversAboveKobo)) return 2
  return isAbove(amountKobo, approvalAboveKobo) ? 1 : 0
}

// A field that is undefined stays as it is.
type Tightening = {
  approvalAboveKobo: Kobo | null
  twoApproversAboveKobo?: Kobo | null | undefined
  strictApprovers?: boolean | undefined
}

// Returns whether a change raises an approval threshold, so that fewer payouts need approval. Null (no
// approval) is higher than any threshold; undefined keeps the old one.
function isHigher(newKobo: Kobo | null | undefined, oldKobo: Kobo | null): boolean {
  if (newKobo === undefined || oldKobo === null) return false
  return newKobo === null || newKobo > oldKobo
}

// Changes the approval settings for a user or API credential of the client. Refuses to relax approval: only
// the operator may do that (changePayoutSettings).
export async function tightenApproval(
  tx: Transaction,
  { client, actor, now }: { client: Client; actor: string; now: Date },
  { approvalAboveKobo, twoApproversAboveKobo, strictApprovers }: Tightening,
): Promise<void> {
  const old = await lockSettings(tx, client.id)
  const isLooser =
    isHigher(approvalAboveKobo, old.approvalAboveKobo) ||
    isHigher(twoApproversAboveKobo, old.twoApproversAboveKobo) ||
    (old.strictApprovers && strictApprovers === false)
  if (isLooser) throw new Refusal('payout_approval_kept')
  const by = { clientId: client.id, actor, now }
  const changes = {
    approvalAboveKobo,
    ...(twoApproversAboveKobo === undefined ? {} : { twoApproversAboveKobo }),
    ...(strictApprovers === undefined ? {} : { strictApprovers }),
  }
  await writeSettings(tx, by, { client, changes })
}

// An operator changes the settings. The change is recorded in the operator's audit log.
export async function changePayoutSettings(
  tx: Transaction,
  by: { clientId: ClientId; actor: string; now: Date },
  change: { client: Pick<Client, 'id' | 'clientId'>; changes: Partial<PayoutSettings> },
): Promise<PayoutSettings> {
  await lockSettings(tx, change.client.id)
  await writeSettings(tx, by, change)
  return readPayoutSettings(tx, change.client.id)
}

// Creates the settings row if there is none, and locks it. Locks the client first, because closing a
// settlement locks the client (needsApproval of settlement/approve.ts).
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
  return rows[0] as PayoutSettings // The row was created above, if there was none.
}

// Stores the settings with the changes. The change is recorded in the audit log of `clientId`, the client of
// the actor: an operator's own client, or `client` itself.
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
  const { reserveFloorBps, reserveFloorDays, strictApprovers } = settings
  await tx.query({
    name: 'write-payout-settings',
    text: `update payout_settings
              set approval_above_kobo = $2, per_payout_kobo = $3, per_day_kobo = $4,
                  two_approvers_above_kobo = $5, reserve_floor_bps = $6, reserve_floor_days = $7,
                  strict_approvers = $8
            where client_id = $1`,
    values: [
      client.id,
      approvalAboveKobo,
      perPayoutKobo,
      perDayKobo,
      twoApproversAboveKobo,
      reserveFloorBps,
      reserveFloorDays,
      strictApprovers,
    ],
  })
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'payout.settings',
    subject: `client/${client.clientId}`,
    detail: {
      approvalAbove: formatOrNull(approvalAboveKobo),
      twoApproversAbove: formatOrNull(twoApproversAboveKobo),
      perPayoutLimit: formatOrNull(perPayoutKobo),
      dailyLimit: formatOrNull(perDayKobo),
      reserveFloorBps,
      reserveFloorDays,
      strictApprovers,
    },
  })
}

function formatOrNull(amountKobo: Kobo | null): string | null {
  return amountKobo === null ? null : formatKobo(amountKobo)
}

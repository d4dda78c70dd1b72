// Settlements. Closing writes their content (close-settlement.ts), which never changes; only the status
// does.
//
//   open ──▶ closed ──▶ approved ──▶ sending ──▶ paid | part_failed | failed
//              └──────▶ cancelled
//
// The open settlement has no row (upcoming-settlement.ts). An approved settlement is shown as sending
// once a payout of it has left the queue.

import type { Queryable } from '#db/pool.ts'
import { pastPrefix } from '#db/prefixes.ts'
import type { Transaction } from '#db/transaction.ts'
import { APPROVER_COLUMNS, type FirstApprover } from '#domain/access/approvers.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, SettlementId, UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { newReference } from '#references.ts'
import type { Previous } from './cover-transfers.ts'

export const SETTLEMENT_STATUSES = [
  'closed',
  'approved',
  'sending',
  'paid',
  'part_failed',
  'failed',
  'cancelled',
] as const
type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number]

export const AMOUNTS = [
  'gross',
  'fees',
  'vat',
  'reversed',
  'refunds',
  'paidOut',
  'recovered',
  'reserved',
  'released',
  'carried',
  'net',
] as const
export type AmountName = (typeof AMOUNTS)[number]
export type SettlementAmounts = { [Name in AmountName as `${Name}Kobo`]: Kobo }

export type SettlementPayout = {
  reference: string
  status: string
  amountKobo: string
  subaccountCode: string | null
}

export type Settlement = SettlementAmounts & {
  id: SettlementId
  clientId: ClientId
  reference: string
  currency: string
  status: SettlementStatus
  periodFrom: Date | null
  cutOff: Date
  lines: bigint
  needsApproval: boolean
  heldReason: string | null
  closedBy: string
  closedByUser: UserId | null
  makerPeople: readonly UserId[] | null // The people behind the closer.
  approversNeeded: number
  firstApprover: FirstApprover | null
  closedAt: Date
  approvedBy: string | null
  approvedAt: Date | null
  cancelledBy: string | null
  cancelledAt: Date | null
  finishedAt: Date | null
  payouts: SettlementPayout[]
}

export const REFERENCE_PATTERN = '^STL[0-9]{15}$'

export function newSettlementReference(): string {
  return newReference('STL')
}

const STATUS = `case when s.status = 'approved' and exists (
    select from payouts p where p.settlement_id = s.id and p.status <> 'queued')
  then 'sending' else s.status end`

const SELECT_SETTLEMENT = `
  select s.id, s.client_id as "clientId", s.reference, s.currency, ${STATUS} as status,
         s.period_from as "periodFrom", s.cut_off as "cutOff", s.lines,
         s.gross_kobo as "grossKobo", s.fees_kobo as "feesKobo", s.vat_kobo as "vatKobo",
         s.reversed_kobo as "reversedKobo", s.refunds_kobo as "refundsKobo",
         s.paid_out_kobo as "paidOutKobo", s.recovered_kobo as "recoveredKobo",
         s.reserved_kobo as "reservedKobo", s.released_kobo as "releasedKobo",
         s.carried_kobo as "carriedKobo", s.net_kobo as "netKobo",
         s.needs_approval as "needsApproval", s.held_reason as "heldReason",
         s.closed_by as "closedBy", s.closed_by_user as "closedByUser", s.closed_at as "closedAt",
         ${APPROVER_COLUMNS},
         s.approved_by as "approvedBy", s.approved_at as "approvedAt",
         s.cancelled_by as "cancelledBy", s.cancelled_at as "cancelledAt",
         s.finished_at as "finishedAt",
         (select coalesce(json_agg(json_build_object(
                   'reference', p.reference, 'status', p.status,
                   'amountKobo', p.amount_kobo::text, 'subaccountCode', y.subaccount_code)
                   order by p.id), '[]')
            from payouts p left join settlement_payees y on y.subaccount_id = p.subaccount_id
           where p.settlement_id = s.id) as payouts
    from settlements s`

export async function getSettlement(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<Settlement> {
  const { rows } = await db.query<Settlement>({
    name: 'get-settlement',
    text: `${SELECT_SETTLEMENT} where s.client_id = $1 and s.reference = $2`,
    values: [clientId, reference],
  })
  if (!rows[0]) throw new Refusal('settlement_not_found')
  return rows[0]
}

export async function lockSettlement(
  tx: Transaction,
  clientId: ClientId,
  reference: string,
): Promise<Settlement> {
  await tx.query({
    name: 'lock-settlement',
    text: `select from settlements where client_id = $1 and reference = $2 for no key update`,
    values: [clientId, reference],
  })
  return getSettlement(tx, clientId, reference)
}

export async function readSettlement(db: Queryable, id: SettlementId): Promise<Settlement> {
  const { rows } = await db.query<Settlement>({
    name: 'read-settlement',
    text: `${SELECT_SETTLEMENT} where s.id = $1`,
    values: [id],
  })
  return rows[0] as Settlement
}

type SettlementPage = {
  status: SettlementStatus | null
  beforeId: bigint | null
  limit: number
}

// Newest first.
export async function listSettlements(
  db: Queryable,
  clientId: ClientId,
  { status, beforeId, limit }: SettlementPage,
): Promise<Settlement[]> {
  const { rows } = await db.query<Settlement>({
    name: 'list-settlements',
    text: `${SELECT_SETTLEMENT}
            where s.client_id = $1 and ($2::text is null or ${STATUS} = $2)
              and ($3::bigint is null or s.id < $3)
            order by s.id desc limit $4`,
    values: [clientId, status, beforeId, limit],
  })
  return rows
}

// The latest that was not cancelled. The next settlement starts where it ends.
export async function findPrevious(
  db: Queryable,
  clientId: ClientId,
  currency: string,
): Promise<Previous | undefined> {
  const { rows } = await db.query<Previous>({
    name: 'find-previous-settlement',
    text: `select id, to_id as "toId", next_from_id as "nextFromId", cut_off as "cutOff"
             from settlements
            where client_id = $1 and currency = $2 and status <> 'cancelled'
            order by id desc limit 1`,
    values: [clientId, currency],
  })
  return rows[0]
}

// Settlements whose reference starts with the prefix, newest first.
export async function findSettlementsLike(
  db: Queryable,
  clientId: ClientId,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<Settlement[]> {
  const { rows } = await db.query<Settlement>({
    name: 'find-settlements-like',
    text: `${SELECT_SETTLEMENT}
            where s.client_id = $1 and s.reference >= upper($2) and s.reference < upper($3)
            order by s.id desc limit $4`,
    values: [clientId, prefix, pastPrefix(prefix), limit],
  })
  return rows
}

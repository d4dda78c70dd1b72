// Settlements: reads and lists them, and records changes in the audit log and events. Closing a settlement
// writes its content (close.ts); later only its status changes, and who approved or cancelled it.
//
// The open settlement has no row; readUpcoming() computes it. An approved settlement is shown as sending once
// one of its payouts has left the queue.

import { APPROVER_COLUMNS, type FirstApprover } from '#approvals/approvers.ts'
import { timestamp } from '#clock.ts'
import { listQuery, pastPrefix } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, newReference, type SettlementId, type UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { SettlementFacts } from '#records/event-types.ts'
import { appendEvents } from '#records/events.ts'
import type { Previous } from './cover.ts'
import type { SettlementStatus } from './states.ts'

const AMOUNTS = [
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
export type SettlementAmounts = { [Name in (typeof AMOUNTS)[number] as `${Name}Kobo`]: Kobo }

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
  payouts: {
    reference: string
    status: string
    amountKobo: string
    subaccountCode: string | null
  }[]
}

export const REFERENCE_PATTERN = '^STL[0-9]{15}$'

export function newSettlementReference(): string {
  return newReference('STL')
}

// SQL scalar: the status that users see. An approved settlement is sending once one of its payouts has left
// the queue.
const STATUS = `case when s.status = 'approved' and exists (
    select from payouts p where p.settlement_id = s.id and p.status <> 'queued')
  then 'sending' else s.status end`

const SELECT_SETTLEMENT = `
  select s.id, s.client_id, s.reference, s.currency, ${STATUS} as status, s.period_from, s.cut_off,
         s.lines, s.gross_kobo, s.fees_kobo, s.vat_kobo, s.reversed_kobo, s.refunds_kobo,
         s.paid_out_kobo, s.recovered_kobo, s.reserved_kobo, s.released_kobo, s.carried_kobo,
         s.net_kobo, s.needs_approval, s.held_reason, s.closed_by, s.closed_by_user, s.closed_at,
         ${APPROVER_COLUMNS},
         s.approved_by, s.approved_at, s.cancelled_by, s.cancelled_at, s.finished_at,
         (select coalesce(json_agg(json_build_object(
                   'reference', p.reference, 'status', p.status,
                   'amountKobo', p.amount_kobo::text, 'subaccountCode', y.subaccount_code)
                   order by p.id), '[]')
            from payouts p left join settlement_payees y on y.subaccount_id = p.subaccount_id
           where p.settlement_id = s.id) as payouts
    from settlements s`

// Returns a client's settlement by its reference.
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

// Locks a settlement until the transaction ends, so that it cannot be approved and cancelled at the same
// time.
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

// Returns a settlement by its id, which the caller knows to exist.
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

// Lists a client's settlements, newest first.
export async function listSettlements(
  db: Queryable,
  clientId: ClientId,
  { status, beforeId, limit }: SettlementPage,
): Promise<Settlement[]> {
  const { rows } = await db.query<Settlement>(
    listQuery({
      select: SELECT_SETTLEMENT,
      where: [
        ['s.client_id = $', clientId],
        [`${STATUS} = $`, status],
      ],
      id: 's.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

// Finds the client's latest settlement that was not cancelled. The next settlement starts where it ends.
export async function findPrevious(
  db: Queryable,
  clientId: ClientId,
  currency: string,
): Promise<Previous | undefined> {
  const { rows } = await db.query<Previous>({
    name: 'find-previous-settlement',
    text: `select id, to_id, next_from_id, cut_off
             from settlements
            where client_id = $1 and currency = $2 and status <> 'cancelled'
            order by id desc limit 1`,
    values: [clientId, currency],
  })
  return rows[0]
}

// Returns settlements whose reference starts with the prefix, newest first.
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

type SettlementAction = {
  id: SettlementId
  verb: 'close' | 'approve_first' | 'approve' | 'cancel'
  actor: string
  extraDetail?: object
}

// Records a change of a settlement in the audit log, and a closing also in the client's events.
export async function recordSettlement(
  tx: Transaction,
  now: Date,
  { id, verb, actor, extraDetail }: SettlementAction,
): Promise<void> {
  const settlement = await readSettlement(tx, id)
  const { clientId, reference, cutOff, lines, grossKobo, netKobo } = settlement
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: `settlement.${verb}`,
    subject: `settlement/${reference}`,
    detail: {
      cutOff: cutOff.toISOString(),
      lines: lines.toString(),
      grossKobo: grossKobo.toString(),
      netKobo: netKobo.toString(),
      ...extraDetail,
    },
  })
  if (verb === 'close') await emitEvent(tx, now, { settlement, type: 'settlement.closed' })
}

type SettlementEvent = {
  settlement: Settlement
  type: 'settlement.closed' | 'settlement.paid' | 'settlement.failed'
}

// Sends a settlement's event to the client.
export async function emitEvent(
  tx: Transaction,
  now: Date,
  { settlement, type }: SettlementEvent,
): Promise<void> {
  const { clientId } = settlement
  await appendEvents(tx, now, [{ clientId, type, facts: factsOf(settlement) }])
}

// Returns a settlement as its events contain it.
function factsOf(settlement: Settlement): SettlementFacts {
  return {
    reference: settlement.reference,
    status: settlement.status,
    currency: settlement.currency,
    periodFrom: settlement.periodFrom && timestamp(settlement.periodFrom),
    cutOff: timestamp(settlement.cutOff),
    lines: Number(settlement.lines),
    grossKobo: settlement.grossKobo,
    feesKobo: settlement.feesKobo,
    vatKobo: settlement.vatKobo,
    reversedKobo: settlement.reversedKobo,
    refundsKobo: settlement.refundsKobo,
    paidOutKobo: settlement.paidOutKobo,
    recoveredKobo: settlement.recoveredKobo,
    reservedKobo: settlement.reservedKobo,
    releasedKobo: settlement.releasedKobo,
    carriedKobo: settlement.carriedKobo,
    netKobo: settlement.netKobo,
    closedAt: timestamp(settlement.closedAt),
  }
}

// Adjustments recover or write off the debt of a client or a bank. An operator's user sees each with the
// reason why this user may not approve it, if any (approvers.ts).

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { unfitnessOf } from '#domain/access/approvers.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { AdjustmentId, ClientId, UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { newReference } from '#references.ts'

export const ADJUSTMENT_KINDS = ['recovery', 'write_off'] as const
export const OWED = ['receivable', 'shortfall'] as const
export const ADJUSTMENT_STATES = ['open', 'approved', 'rejected', 'withdrawn'] as const
export type AdjustmentState = (typeof ADJUSTMENT_STATES)[number]

export type Debt =
  | { of: 'receivable'; clientId: ClientId; bankCode: null }
  | { of: 'shortfall'; clientId: null; bankCode: string }

export type Adjustment = Debt & {
  id: AdjustmentId
  reference: string
  kind: (typeof ADJUSTMENT_KINDS)[number]
  clientName: string | null // The client's login name.
  amountKobo: Kobo
  currency: string
  reason: string
  state: AdjustmentState
  requestedBy: string
  requestedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
  obstacle: RefusalCode | null // To an approval by the viewer.
}

// `newSince`: users whose access changed later cannot approve yet.
export type Viewer = { userId: UserId | null; newSince: Date }

export function newAdjustmentReference(): string {
  return newReference('ADJ')
}

const UNFITNESS = unfitnessOf({
  maker: 'a.requested_by_user',
  people: 'a.maker_people',
  viewer: '$1::uuid',
  newSince: '$2',
})

const SELECT_ADJUSTMENT = `
  select a.id, a.reference, a.kind, a.subject as "of", a.client_id as "clientId",
         c.client_id as "clientName", a.bank_code as "bankCode", a.amount_kobo as "amountKobo",
         a.currency, a.reason, a.state, a.requested_by as "requestedBy",
         a.requested_at as "requestedAt", a.decided_by as "decidedBy",
         a.decided_at as "decidedAt", a.decision_reason as "decisionReason",
         case when a.state <> 'open' then null
              else ${UNFITNESS} end as obstacle
    from adjustments a
    left join clients c on c.id = a.client_id`

const REFERENCE = /^ADJ[0-9]{15}$/

export async function getAdjustment(
  db: Queryable,
  { userId, newSince }: Viewer,
  reference: string,
): Promise<Adjustment> {
  return read(db, { userId, newSince }, { reference, lock: '' })
}

export async function lockAdjustment(
  tx: Transaction,
  viewer: Viewer,
  reference: string,
): Promise<Adjustment> {
  return read(tx, viewer, { reference, lock: 'for no key update of a' })
}

async function read(
  db: Queryable,
  { userId, newSince }: Viewer,
  { reference, lock }: { reference: string; lock: '' | 'for no key update of a' },
): Promise<Adjustment> {
  if (!REFERENCE.test(reference)) throw new Refusal('adjustment_not_found')
  const { rows } = await db.query<Adjustment>({
    name: lock === '' ? 'get-adjustment' : 'lock-adjustment',
    text: `${SELECT_ADJUSTMENT} where a.reference = $3 ${lock}`,
    values: [userId, newSince, reference],
  })
  if (!rows[0]) throw new Refusal('adjustment_not_found')
  return rows[0]
}

type AdjustmentFilter = { state: AdjustmentState | null; beforeId: bigint | null; limit: number }

// Newest first.
export async function listAdjustments(
  db: Queryable,
  { userId, newSince }: Viewer,
  { state, beforeId, limit }: AdjustmentFilter,
): Promise<Adjustment[]> {
  const { rows } = await db.query<Adjustment>({
    name: 'list-adjustments',
    text: `${SELECT_ADJUSTMENT}
            where ($3::text is null or a.state = $3) and ($4::bigint is null or a.id < $4)
            order by a.id desc limit $5`,
    values: [userId, newSince, state, beforeId, limit],
  })
  return rows
}

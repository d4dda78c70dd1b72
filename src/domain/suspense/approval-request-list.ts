// Approval requests as a user sees them, each with the reason why this user may not approve it, if any.
// In the order of the checks:
//   other_person_needed  the user made the request
//   role_not_allowed     only owners and operators decide on maker-checker itself
//   …                    the obstacles of approvers.ts

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { unfitnessOf } from '#domain/access/approvers.ts'
import type { Client } from '#domain/access/clients.ts'
import { inMerchantScope } from '#domain/access/merchant-scope.ts'
import type { ItemState } from '#domain/credits/suspense-history.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { PaymentId, SuspenseItemId, UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { SETTERS } from './maker-checker.ts'

export const REQUEST_STATES = ['open', 'approved', 'rejected', 'withdrawn', 'void'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

export type AmountChange = {
  fromKobo: string
  toKobo: string
  changedBy: string
  changedAt: string
}

// The fields of the item are null in a request to turn off maker-checker.
export type ApprovalRequest = {
  id: bigint
  itemId: SuspenseItemId | null
  itemState: ItemState | null
  itemReason: string | null
  requestedKobo: Kobo | null
  amountKobo: Kobo | null // After the changes.
  changes: AmountChange[]
  currency: string | null
  sourceAccountName: string | null
  action: 'assign' | 'return' | 'disable_maker_checker'
  toAccount: string | null
  toPaymentId: PaymentId | null
  reason: string
  state: RequestState
  requestedBy: string
  requestedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
  obstacle: RefusalCode | null // To an approval by the viewer.
}

// `newSince`: users whose access changed later cannot approve yet.
export type Viewer = { client: Client; actor: string; userId: UserId | null; newSince: Date }

const UNFITNESS = unfitnessOf({
  maker: 'r.requested_by_user',
  people: 'r.maker_people',
  viewer: '$3::uuid',
  newSince: '$5',
})

// Requests of the client's own users, about items that the client may see.
const SELECT_REQUEST = `
  select r.id, r.item_id as "itemId", i.state as "itemState", i.reason as "itemReason",
         coalesce(r.requested_kobo, i.amount_kobo) as "requestedKobo",
         coalesce((select h.to_kobo from suspense_request_changes h
                    where h.request_id = r.id order by h.id desc limit 1),
                  r.requested_kobo, i.amount_kobo) as "amountKobo",
         (select coalesce(json_agg(json_build_object(
                   'fromKobo', h.from_kobo::text, 'toKobo', h.to_kobo::text,
                   'changedBy', h.changed_by, 'changedAt', h.changed_at) order by h.id), '[]')
            from suspense_request_changes h where h.request_id = r.id) as changes,
         c.currency, c.source_account_name as "sourceAccountName",
         r.action, r.to_account as "toAccount", r.to_payment_id as "toPaymentId", r.reason, r.state,
         r.requested_by as "requestedBy", r.requested_at as "requestedAt",
         r.decided_by as "decidedBy", r.decided_at as "decidedAt",
         r.decision_reason as "decisionReason",
         case when r.state <> 'open' then null
              when r.requested_by = $4 then 'other_person_needed'
              when r.item_id is null and v.role <> all($6::text[]) then 'role_not_allowed'
              else ${UNFITNESS} end as obstacle
    from suspense_requests r
    left join suspense_items i on i.id = r.item_id
    left join credits c on c.id = i.credit_id
    left join users v on v.id = $3::uuid
   where r.client_id = $1
     and (i.client_id = $1 or r.item_id is null or ($2 and i.client_id is null))
     and ${inMerchantScope('c.collection_account_id', '$1')}`

function toValues({ client, userId, actor, newSince }: Viewer): unknown[] {
  return [client.id, client.isOperator, userId, actor, newSince, [...SETTERS]]
}

export async function lockRequest(
  tx: Transaction,
  viewer: Viewer,
  id: bigint,
): Promise<ApprovalRequest> {
  const { rows } = await tx.query<ApprovalRequest>({
    name: 'lock-suspense-request',
    text: `${SELECT_REQUEST} and r.id = $7 for no key update of r`,
    values: [...toValues(viewer), id],
  })
  if (!rows[0]) throw new Refusal('request_not_found')
  return rows[0]
}

export async function getRequest(
  db: Queryable,
  viewer: Viewer,
  id: bigint,
): Promise<ApprovalRequest> {
  const { rows } = await db.query<ApprovalRequest>({
    name: 'get-suspense-request',
    text: `${SELECT_REQUEST} and r.id = $7`,
    values: [...toValues(viewer), id],
  })
  if (!rows[0]) throw new Refusal('request_not_found')
  return rows[0]
}

type RequestFilter = {
  state: RequestState | null
  itemId: SuspenseItemId | null
  beforeId: bigint | null
  limit: number
}

// Newest first.
export async function listRequests(
  db: Queryable,
  viewer: Viewer,
  { state, itemId, beforeId, limit }: RequestFilter,
): Promise<ApprovalRequest[]> {
  const { rows } = await db.query<ApprovalRequest>({
    name: 'list-suspense-requests',
    text: `${SELECT_REQUEST}
              and ($7::text is null or r.state = $7)
              and ($8::bigint is null or r.item_id = $8)
              and ($9::bigint is null or r.id < $9)
            order by r.id desc limit $10`,
    values: [...toValues(viewer), state, itemId, beforeId, limit],
  })
  return rows
}

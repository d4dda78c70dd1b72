// Asking for money to leave suspense, and deciding on what somebody else asked for:
//
//   open ──▶ approved     another person; the money moves in the same transaction
//     ├────▶ rejected     another person, with a reason
//     └────▶ withdrawn    whoever asked
//
// That two people take part is held by the database (suspense_requests_two_people), and so is that
// an item has one open request (suspense_requests_one_open).
// Locks: the request, then whatever assigning and returning lock; who asks locks the item first,
// so that nobody moves it between.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { recordAction } from './actions.ts'
import type { Client } from './clients.ts'
import { withinMerchants } from './merchant-walls.ts'
import {
  type AssignTo,
  assignSuspense,
  lockAssignable,
  lockVisibleItem,
} from './suspense-assignments.ts'
import type { ItemState } from './suspense-items.ts'
import { requestReturn } from './suspense-returns.ts'

export const REQUEST_STATES = ['open', 'approved', 'rejected', 'withdrawn'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

export type SuspenseRequest = {
  id: bigint
  itemId: bigint
  itemState: ItemState
  itemReason: string
  amountKobo: bigint
  currency: string
  sourceAccountName: string | null
  action: 'assign' | 'return'
  toAccount: string | null
  toPaymentId: string | null
  reason: string
  state: RequestState
  requestedBy: string
  requestedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
}

type Acting = { now: Date; by: Client; actor: string }

// `to` is undefined for what is to go back to its payer.
export async function askForSuspense(
  tx: Transaction,
  { now, by, actor }: Acting,
  itemId: bigint,
  { to, reason }: { to: AssignTo | undefined; reason: string },
): Promise<bigint> {
  if (to) await lockAssignable(tx, by, itemId, to)
  else {
    const item = await lockVisibleItem(tx, by, itemId)
    if (item.state !== 'open') throw new Refusal('suspense_closed')
  }
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'ask-for-suspense',
    text: `insert into suspense_requests (client_id, item_id, action, to_account, to_payment_id,
                                          reason, requested_by, requested_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (item_id) where state = 'open' do nothing
           returning id`,
    values: [
      by.id,
      itemId,
      to ? 'assign' : 'return',
      to && 'accountNumber' in to ? to.accountNumber : null,
      to && 'paymentId' in to ? to.paymentId : null,
      reason,
      actor,
      now,
    ],
  })
  if (!rows[0]) throw new Refusal('suspense_requested')
  const detail = { ...(to ?? { toPayer: true }), note: reason }
  await record(tx, { now, by, actor }, 'suspense.request', { itemId, detail })
  return rows[0].id
}

// Again by the same person is fine and changes nothing.
export async function approveRequest(
  tx: Transaction,
  { sharedAccounts, ...acting }: Acting & { sharedAccounts: SharedAccounts },
  requestId: bigint,
): Promise<void> {
  const request = await lockRequest(tx, acting.by, requestId)
  if (isDecidedBy(request, 'approved', acting.actor)) return
  refuseDecided(request)
  if (request.requestedBy === acting.actor) throw new Refusal('other_person_needed')
  const { itemId, reason: note } = request
  const moving = { ...acting, sharedAccounts, note, isApproved: true }
  if (request.action === 'return') await requestReturn(tx, moving, itemId)
  else await assignSuspense(tx, moving, itemId, targetOf(request))
  await decide(tx, acting, request, { state: 'approved', reason: null })
}

export async function rejectRequest(
  tx: Transaction,
  acting: Acting,
  requestId: bigint,
  reason: string,
): Promise<void> {
  const request = await lockRequest(tx, acting.by, requestId)
  if (isDecidedBy(request, 'rejected', acting.actor)) return
  refuseDecided(request)
  if (request.requestedBy === acting.actor) throw new Refusal('other_person_needed')
  await decide(tx, acting, request, { state: 'rejected', reason })
}

export async function withdrawRequest(
  tx: Transaction,
  acting: Acting,
  requestId: bigint,
): Promise<void> {
  const request = await lockRequest(tx, acting.by, requestId)
  if (isDecidedBy(request, 'withdrawn', acting.actor)) return
  refuseDecided(request)
  if (request.requestedBy !== acting.actor) throw new Refusal('own_request_only')
  await decide(tx, acting, request, { state: 'withdrawn', reason: null })
}

function isDecidedBy(request: SuspenseRequest, state: RequestState, actor: string): boolean {
  return request.state === state && request.decidedBy === actor
}

function refuseDecided({ state }: SuspenseRequest): void {
  if (state !== 'open') throw new Refusal('request_decided')
}

const VERBS = { approved: 'approve', rejected: 'reject', withdrawn: 'withdraw' } as const

async function decide(
  tx: Transaction,
  acting: Acting,
  { id, itemId, requestedBy }: SuspenseRequest,
  { state, reason }: { state: keyof typeof VERBS; reason: string | null },
): Promise<void> {
  await tx.query({
    name: 'decide-suspense-request',
    text: `update suspense_requests
              set state = $2, decided_by = $3, decided_at = $4, decision_reason = $5
            where id = $1`,
    values: [id, state, acting.actor, acting.now, reason],
  })
  const detail = { requestedBy, note: reason }
  await record(tx, acting, `suspense.${VERBS[state]}`, { itemId, detail })
}

function record(
  tx: Transaction,
  { now, by, actor }: Acting,
  action: `suspense.${string}`,
  { itemId, detail }: { itemId: bigint; detail: object },
): Promise<void> {
  const subject = `suspense/${itemId}`
  return recordAction(tx, now, { clientId: by.id, actor, action, subject, detail })
}

function targetOf({ toAccount, toPaymentId }: SuspenseRequest): AssignTo {
  if (toPaymentId !== null) return { paymentId: toPaymentId }
  return { accountNumber: toAccount as string }
}

// Of the client's own people, about what the client may see.
const SELECT_REQUEST = `
  select r.id, r.item_id as "itemId", i.state as "itemState", i.reason as "itemReason",
         i.amount_kobo as "amountKobo", c.currency, c.source_account_name as "sourceAccountName",
         r.action, r.to_account as "toAccount", r.to_payment_id as "toPaymentId", r.reason, r.state,
         r.requested_by as "requestedBy", r.requested_at as "requestedAt",
         r.decided_by as "decidedBy", r.decided_at as "decidedAt",
         r.decision_reason as "decisionReason"
    from suspense_requests r
    join suspense_items i on i.id = r.item_id
    join credits c on c.id = i.credit_id
   where r.client_id = $1 and (i.client_id = $1 or ($2 and i.client_id is null))
     and ${withinMerchants('c.collection_account_id', '$1')}`

async function lockRequest(tx: Transaction, by: Client, id: bigint): Promise<SuspenseRequest> {
  const { rows } = await tx.query<SuspenseRequest>({
    name: 'lock-suspense-request',
    text: `${SELECT_REQUEST} and r.id = $3 for no key update of r`,
    values: [by.id, by.isOperator, id],
  })
  if (!rows[0]) throw new Refusal('request_not_found')
  return rows[0]
}

export async function getRequest(
  db: Queryable,
  client: Client,
  id: bigint,
): Promise<SuspenseRequest> {
  const { rows } = await db.query<SuspenseRequest>({
    name: 'get-suspense-request',
    text: `${SELECT_REQUEST} and r.id = $3`,
    values: [client.id, client.isOperator, id],
  })
  if (!rows[0]) throw new Refusal('request_not_found')
  return rows[0]
}

export type RequestFilter = {
  state: RequestState | null
  itemId: bigint | null
  beforeId: bigint | null
  limit: number
}

// Newest first.
export async function listRequests(
  db: Queryable,
  client: Client,
  { state, itemId, beforeId, limit }: RequestFilter,
): Promise<SuspenseRequest[]> {
  const { rows } = await db.query<SuspenseRequest>({
    name: 'list-suspense-requests',
    text: `${SELECT_REQUEST}
              and ($3::text is null or r.state = $3)
              and ($4::bigint is null or r.item_id = $4)
              and ($5::bigint is null or r.id < $5)
            order by r.id desc limit $6`,
    values: [client.id, client.isOperator, state, itemId, beforeId, limit],
  })
  return rows
}

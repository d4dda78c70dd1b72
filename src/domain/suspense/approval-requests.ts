// Approval requests: to assign or return suspended money, or to turn off maker-checker.
//
//   open ──▶ approved     by another, independent person; the action runs in the same transaction
//     ├────▶ rejected     by another person, with a reason
//     ├────▶ withdrawn    by the requester
//     └────▶ void         the bank took the money back (adjust-approval-requests.ts)
//
// The database enforces that two people take part (suspense_requests_two_people), that they are
// independent (suspense_requests_independent_checker), and that an item (suspense_requests_one_open) or
// the setting (suspense_requests_one_open_of_setting) has at most one open request.
// Locks: payment, item, the approver (so that nobody changes their access meanwhile), request; then the
// locks of assigning and returning.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { readMakerChecker } from '#domain/access/maker-checker.ts'
import type { Role } from '#domain/access/roles.ts'
import { lockPayments } from '#domain/credits/payment-balances.ts'
import { lockItems } from '#domain/credits/suspense-items.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { SuspenseItemId, UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import {
  type ApprovalRequest,
  getRequest,
  lockRequest,
  type RequestState,
  type Viewer,
} from './approval-request-list.ts'
import {
  type AssignTo,
  assignSuspense,
  lockAssignable,
  lockVisibleItem,
} from './assign-suspense.ts'
import { SETTERS, writeMakerChecker } from './maker-checker.ts'
import { requestReturn, type Sending } from './return-suspense.ts'

type Acting = Viewer & { userId: UserId; now: Date }
type NewRequest = {
  itemId: SuspenseItemId | null
  amountKobo: Kobo | null
  action: ApprovalRequest['action']
  to?: AssignTo | undefined
  reason: string
}

// Without `to`, the money is to be returned to its payer.
export async function requestApproval(
  tx: Transaction,
  acting: Acting,
  { itemId, to, reason }: { itemId: SuspenseItemId; to: AssignTo | undefined; reason: string },
): Promise<bigint> {
  const by = acting.client
  if (to) await lockAssignable(tx, by, { itemId, to })
  const { state, amountKobo } = await lockVisibleItem(tx, by, itemId)
  if (state !== 'open') throw new Refusal('suspense_closed')
  const action = to ? 'assign' : 'return'
  const id = await insertRequest(tx, acting, { itemId, amountKobo, action, to, reason })
  if (id === undefined) throw new Refusal('suspense_requested')
  const detail = { ...(to ?? { toPayer: true }), note: reason }
  await record(tx, acting, { action: 'suspense.request', subject: `suspense/${itemId}`, detail })
  return id
}

// An owner or operator decides.
export async function requestDisable(
  tx: Transaction,
  acting: Acting,
  reason: string,
): Promise<bigint> {
  if (!SETTERS.includes(await lockPerson(tx, acting.userId))) throw new Refusal('role_not_allowed')
  if (!(await readMakerChecker(tx, acting.client.id))) throw new Refusal('maker_checker_off')
  const action = 'disable_maker_checker'
  const id = await insertRequest(tx, acting, { itemId: null, amountKobo: null, action, reason })
  if (id === undefined) throw new Refusal('disable_requested')
  const subject = settingSubject(acting.client)
  const detail = { action, note: reason }
  await record(tx, acting, { action: 'suspense.request', subject, detail })
  return id
}

async function insertRequest(
  tx: Transaction,
  { client, actor, userId, now }: Acting,
  { itemId, amountKobo, action, to, reason }: NewRequest,
): Promise<bigint | undefined> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'ask-for-suspense',
    text: `insert into suspense_requests
             (client_id, item_id, requested_kobo, action, to_account, to_payment_id, reason,
              requested_by, requested_by_user, requested_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           on conflict do nothing
           returning id`,
    values: [
      client.id,
      itemId,
      amountKobo,
      action,
      to && 'accountNumber' in to ? to.accountNumber : null,
      to && 'paymentId' in to ? to.paymentId : null,
      reason,
      actor,
      userId,
      now,
    ],
  })
  return rows[0]?.id
}

// Idempotent for the same user.
export async function approveRequest(
  tx: Transaction,
  { sealer, sharedAccounts, mode, ...acting }: Acting & Sending,
  requestId: bigint,
): Promise<void> {
  await lockSubject(tx, acting, requestId)
  await lockPerson(tx, acting.userId)
  const request = await lockRequest(tx, acting, requestId)
  if (isDecidedBy(request, 'approved', acting.actor)) return
  refuseDecided(request)
  if (request.obstacle) throw new Refusal(request.obstacle)
  const { itemId, reason: note } = request
  const { client: by, actor, now } = acting
  const moving = { now, by, actor, sealer, sharedAccounts, mode, note, isApproved: true }
  if (itemId === null)
    await writeMakerChecker(tx, now, { client: by, actor, hasMakerChecker: false })
  else if (request.action === 'return') await requestReturn(tx, moving, itemId)
  else await assignSuspense(tx, moving, { itemId, to: assignTarget(request) })
  await decide(tx, acting, { request, state: 'approved', reason: null })
}

// A request's subject never changes, so it can be read before the lock.
async function lockSubject(tx: Transaction, acting: Acting, requestId: bigint): Promise<void> {
  const { itemId, toPaymentId } = await getRequest(tx, acting, requestId)
  if (toPaymentId !== null) await lockPayments(tx, [toPaymentId])
  if (itemId !== null) await lockItems(tx, 'id', itemId)
}

// Concurrent changes of the user's access wait for this lock.
async function lockPerson(tx: Transaction, userId: UserId): Promise<Role> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'lock-deciding-person',
    text: 'select role from users where id = $1 and is_active for share',
    values: [userId],
  })
  if (!rows[0]) throw new Refusal('session_needed')
  return rows[0].role
}

// Rejecting moves no money, so new and dependent users may reject.
export async function rejectRequest(
  tx: Transaction,
  acting: Acting,
  { requestId, reason }: { requestId: bigint; reason: string },
): Promise<void> {
  const request = await lockRequest(tx, acting, requestId)
  if (isDecidedBy(request, 'rejected', acting.actor)) return
  refuseDecided(request)
  const { obstacle } = request
  if (obstacle === 'other_person_needed' || obstacle === 'role_not_allowed') {
    throw new Refusal(obstacle)
  }
  await decide(tx, acting, { request, state: 'rejected', reason })
}

export async function withdrawRequest(
  tx: Transaction,
  acting: Acting,
  requestId: bigint,
): Promise<void> {
  const request = await lockRequest(tx, acting, requestId)
  if (isDecidedBy(request, 'withdrawn', acting.actor)) return
  refuseDecided(request)
  if (request.requestedBy !== acting.actor) throw new Refusal('own_request_only')
  await decide(tx, acting, { request, state: 'withdrawn', reason: null })
}

function isDecidedBy(request: ApprovalRequest, state: RequestState, actor: string): boolean {
  return request.state === state && request.decidedBy === actor
}

function refuseDecided({ state }: ApprovalRequest): void {
  if (state === 'void') throw new Refusal('suspense_closed')
  if (state !== 'open') throw new Refusal('request_decided')
}

const VERBS = { approved: 'approve', rejected: 'reject', withdrawn: 'withdraw' } as const

type ApprovalDecision = {
  request: ApprovalRequest
  state: keyof typeof VERBS
  reason: string | null
}

async function decide(
  tx: Transaction,
  acting: Acting,
  { request: { id, itemId, requestedBy }, state, reason }: ApprovalDecision,
): Promise<void> {
  await tx.query({
    name: 'decide-suspense-request',
    text: `update suspense_requests
              set state = $2, decided_by = $3, decided_by_user = $4, decided_at = $5,
                  decision_reason = $6
            where id = $1`,
    values: [id, state, acting.actor, acting.userId, acting.now, reason],
  })
  const subject = itemId === null ? settingSubject(acting.client) : `suspense/${itemId}`
  const detail = { requestedBy, note: reason }
  await record(tx, acting, { action: `suspense.${VERBS[state]}`, subject, detail })
}

function record(
  tx: Transaction,
  { now, client, actor }: Acting,
  { action, subject, detail }: { action: `suspense.${string}`; subject: string; detail: object },
): Promise<void> {
  return writeAuditLog(tx, now, { clientId: client.id, actor, action, subject, detail })
}

function settingSubject({ clientId }: Client): string {
  return `client/${clientId}`
}

function assignTarget({ toAccount, toPaymentId }: ApprovalRequest): AssignTo {
  if (toPaymentId !== null) return { paymentId: toPaymentId }
  return { accountNumber: toAccount as string }
}

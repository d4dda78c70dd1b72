// Approval requests: to assign or return suspended money, or to turn off maker-checker (I26). A request
// becomes void once the bank takes its money back (credits/suspense-items.ts). The database admits at most
// one open request per item (suspense_requests_one_open), and per client one to turn off maker-checker
// (suspense_requests_one_open_of_setting).
//
// Locks, before the request: the payment, then the item.

import { inMerchantScope } from '#access/permissions.ts'
import { lockApprover } from '#approvals/approvers.ts'
import {
  type Checker,
  readMakerChecker,
  SETTERS,
  REQUEST_STATES as STATES,
  type Verb,
  Workflow,
  type Request as WorkflowRequest,
  writeMakerChecker,
} from '#approvals/workflow.ts'
import { lockPayments } from '#credits/balances.ts'
import type { ItemState } from '#credits/states.ts'
import { lockItems } from '#credits/suspense-items.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { PaymentId, SuspenseItemId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { refuseStopped, refuseUnheld } from '#screening/credits.ts'
import { type AssignTo, assignSuspense, lockAssignable, lockVisibleItem } from './assign.ts'
import { requestReturn, type Sending } from './return.ts'

export const REQUEST_STATES = [...STATES, 'void'] as const

export type AmountChange = {
  fromKobo: string
  toKobo: string
  changedBy: string
  changedAt: string
}

// The fields of the item are null in a request to turn off maker-checker.
export type ApprovalRequest = WorkflowRequest & {
  itemId: SuspenseItemId | null
  itemState: ItemState | null
  itemReason: string | null
  requestedKobo: Kobo | null
  amountKobo: Kobo | null // The item's amount after reversals.
  changes: AmountChange[]
  currency: string | null
  sourceAccountName: string | null
  action: 'assign' | 'return' | 'disable_maker_checker'
  toAccount: string | null
  toPaymentId: PaymentId | null
  reason: string
}

export const approvalRequests = new Workflow<ApprovalRequest, Sending>({
  table: 'suspense_requests',
  key: 'id',
  columns: `r.item_id, i.state as item_state, i.reason as item_reason,
    coalesce(r.requested_kobo, i.amount_kobo) as requested_kobo,
    coalesce((select h.to_kobo from suspense_request_changes h
               where h.request_id = r.id order by h.id desc limit 1),
             r.requested_kobo, i.amount_kobo) as amount_kobo,
    (select coalesce(json_agg(json_build_object(
              'fromKobo', h.from_kobo::text, 'toKobo', h.to_kobo::text,
              'changedBy', h.changed_by, 'changedAt', h.changed_at) order by h.id), '[]')
       from suspense_request_changes h where h.request_id = r.id) as changes,
    c.currency, c.source_account_name, r.action, r.to_account, r.to_payment_id, r.reason`,
  joins: `left join suspense_items i on i.id = r.item_id left join credits c on c.id = i.credit_id`,
  // A client sees its own requests, about items in its merchant scope. Only an operator sees requests about
  // unidentified money.
  isVisible: ({ id, isOperator }) => [
    [
      `r.client_id = $ and ${inMerchantScope('c.collection_account_id', '$')}
       and (i.client_id = $ or i.client_id is null ${isOperator ? '' : 'and r.item_id is null'})`,
      id,
    ],
  ],
  isForSetters: 'r.item_id is null',
  notFound: 'request_not_found',
  whenVoid: 'suspense_closed',
  lock: async (tx, { itemId, toPaymentId }) => {
    if (toPaymentId !== null) await lockPayments(tx, [toPaymentId])
    if (itemId !== null) await lockItems(tx, 'id', itemId)
  },
  perform,
  audit: (request, verb, { clientId }) => ({
    action: `suspense.${verb}`,
    subject: request.itemId === null ? `client/${clientId}` : `suspense/${request.itemId}`,
    detail: detailOf(request, verb),
  }),
})

// Carries out an approved request: turns off maker-checker, returns the money, or assigns it.
async function perform(
  tx: Transaction,
  { client, ...by }: Checker & Sending,
  { itemId, action, reason: note, ...request }: ApprovalRequest,
): Promise<void> {
  const moving = { ...by, by: client, note, isApproved: true }
  // The only request without an item is the one to turn off maker-checker.
  if (itemId === null) {
    const change = { client, actor: by.actor, hasMakerChecker: false }
    await writeMakerChecker(tx, by.now, change)
  } else if (action === 'return') await requestReturn(tx, moving, itemId)
  else await assignSuspense(tx, moving, { itemId, to: assignTarget(request) })
}

type Target = Pick<ApprovalRequest, 'toAccount' | 'toPaymentId'>

// Returns the payment or account that the request wants the money assigned to.
function assignTarget({ toAccount, toPaymentId }: Target): AssignTo {
  if (toPaymentId !== null) return { paymentId: toPaymentId }
  return { accountNumber: toAccount as string }
}

// Returns the details of a request for the audit log.
function detailOf(request: ApprovalRequest, verb: Verb): object {
  const { action, reason: note, requestedBy, decisionReason } = request
  if (verb !== 'request') return { requestedBy, note: decisionReason }
  if (action === 'disable_maker_checker') return { action, note }
  return { ...(action === 'return' ? { toPayer: true } : assignTarget(request)), note }
}

// Requests approval to assign the money to `to`, or to return it to its payer if `to` is undefined.
export async function requestApproval(
  tx: Transaction,
  by: Checker,
  { itemId, to, reason }: { itemId: SuspenseItemId; to: AssignTo | undefined; reason: string },
): Promise<ApprovalRequest> {
  if (to) await lockAssignable(tx, by.client, { itemId, to })
  const { state, amountKobo, creditId } = await lockVisibleItem(tx, by.client, itemId)
  if (state !== 'open') throw new Refusal('suspense_closed')
  // Unidentified money that screening stopped may be assigned, which holds it, but not returned.
  await (to ? refuseUnheld(tx, creditId) : refuseStopped(tx, creditId))
  const values = {
    client_id: by.client.id,
    item_id: itemId,
    requested_kobo: amountKobo,
    action: to ? 'assign' : 'return',
    to_account: to && 'accountNumber' in to ? to.accountNumber : null,
    to_payment_id: to && 'paymentId' in to ? to.paymentId : null,
    reason,
  }
  return approvalRequests.request(tx, by, { values, conflict: 'suspense_requested' })
}

// Requests approval to turn off maker-checker. An owner or operator decides.
export async function requestDisable(
  tx: Transaction,
  by: Checker,
  reason: string,
): Promise<ApprovalRequest> {
  if (!SETTERS.includes(await lockApprover(tx, by))) throw new Refusal('role_not_allowed')
  if (!(await readMakerChecker(tx, by.client.id))) throw new Refusal('maker_checker_off')
  const values = { client_id: by.client.id, action: 'disable_maker_checker', reason }
  return approvalRequests.request(tx, by, { values, conflict: 'disable_requested' })
}

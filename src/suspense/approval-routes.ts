// /api/v1/suspense/requests: approval requests (maker-checker). /api/v1/suspense/settings: turn maker-checker
// on or off; one user can turn it on, and turning it off needs approval.

import { Type } from '@fastify/type-provider-typebox'
import {
  ApprovalBody,
  approvalFields,
  checkerOf,
  DecidedFields,
  ofPeople,
  operationsOf,
  RequestedFields,
  RequestReason,
  viewerOf,
} from '#approvals/views.ts'
import { readMakerChecker, setMakerChecker } from '#approvals/workflow.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { choice, wholeQuery } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { named, strictObject, trueOrFalse } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { findId, publicId, type SuspenseItemId } from '#ids.ts'
import { kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  type AmountChange,
  type ApprovalRequest,
  approvalRequests,
  REQUEST_STATES,
  requestApproval,
  requestDisable,
} from './approve.ts'
import { AssignTarget, parseAssignTo, requireItemId } from './views.ts'

// An id that no item has. The list uses it if the filter names an unknown item, and so finds no requests.
const NO_ITEM = -1n as SuspenseItemId

const AmountChangeView = view('AmountChange', (f: Fields<AmountChange>) => ({
  from: f.naira(({ fromKobo }) => kobo(BigInt(fromKobo))),
  to: f.naira(({ toKobo }) => kobo(BigInt(toKobo))),
  changedBy: f.text('changedBy', 'e.g. bank:035 after a partial reversal.'),
  changedAt: f.time(({ changedAt }) => new Date(changedAt)),
}))

type Context = { sealer: Sealer; actor: string }

const RequestView = view('ApprovalRequest', (f: Fields<ApprovalRequest, Context>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'request', id)),
  itemId: f.integerOrNull(
    ({ itemId }, { sealer }) => itemId && publicId(sealer, 'suspense', itemId),
    'Suspense item. Null for requests to disable maker-checker.',
  ),
  itemState: f.textOrNull('itemState'),
  itemReason: f.textOrNull('itemReason', 'Suspense reason.'),
  amount: f.nairaOrNull('amountKobo', 'Amount that moves on approval.'),
  requestedAmount: f.nairaOrNull('requestedKobo', 'Amount at the time of the request.'),
  amountChanges: f.list(AmountChangeView, 'changes', 'Changes while the request was pending.'),
  currency: f.textOrNull('currency'),
  sourceAccountName: f.textOrNull('sourceAccountName'),
  action: f.text('action', 'assign, return or disable_maker_checker.'),
  assignTo: f.textOrNull(
    ({ toPaymentId, toAccount }) => toPaymentId ?? toAccount,
    'Payment reference or account number.',
  ),
  reason: f.text('reason', 'Reason given by the requester.'),
  state: f.text('state', `One of ${REQUEST_STATES.join(', ')}.`),
  ...RequestedFields,
  isOwn: f.flag(
    ({ requestedBy }, { actor }) => requestedBy === actor,
    'Whether you are the requester.',
  ),
  ...approvalFields('pending'),
  ...DecidedFields,
}))

const { listRequests, rejecting, withdrawing } = operationsOf(
  approvalRequests,
  ({ input }: { input: bigint }) => input,
)

// `id` is the id of a suspense item or of an approval request, depending on the route.
export const suspenseRequests = resource('/api/v1/suspense', {
  tag: 'Suspense',
  noun: 'request',
  view: RequestView,
  scopes: { read: 'suspense:read', write: 'suspense:write' },
  params: { id: String },
})
  .list('listSuspenseRequests', {
    exportAs: 'exportSuspenseRequests',
    path: '/requests',
    name: 'suspense-requests',
    summary: 'List approval requests, newest first',
    description: 'What users asked to do with suspended money, and who decided.',
    filters: {
      state: choice(REQUEST_STATES),
      itemId: wholeQuery(
        '^[0-9]{1,18}$',
        {},
        { description: 'Filter by suspense item.', 'x-says': 'Must be a suspense ID.' },
      ),
    },
    rows: (db, call) => {
      const { state, itemId } = call.query
      const id = itemId && (findId(call.sealer, 'suspense', itemId) ?? NO_ITEM)
      const where = [['r.state = $', state] as const, ['r.item_id = $', id] as const]
      return listRequests(db, call, where)
    },
  })
  .act('requestApproval', {
    ...ofPeople,
    path: '/:id/requests',
    summary: 'Request approval to assign or return suspended money',
    description: 'No money moves until another user approves. One pending request per item.',
    pool: 'batchPool',
    body: strictObject({
      action: Type.Unsafe<'assign' | 'return'>({
        type: 'string',
        enum: ['assign', 'return'],
        'x-says': 'Must be assign or return.',
      }),
      ...AssignTarget,
      reason: RequestReason,
    }),
    errors: [
      'account_not_found',
      'credit_held',
      'suspense_closed',
      'suspense_not_fitting',
      'suspense_not_found',
      'suspense_requested',
    ],
    message: 'Approval requested successfully',
    parse: ({ sealer, params, body }) => ({
      itemId: requireItemId(sealer, params.id),
      to: body.action === 'assign' ? parseAssignTo(body) : refuseTarget(body),
      reason: body.reason,
    }),
    run: (tx, call) => requestApproval(tx, checkerOf(call), call.input),
  })
  .route('POST', 'approveSuspenseRequest', {
    ...ofPeople,
    path: '/requests/:id/approve',
    summary: 'Approve a request',
    description:
      'Moves the money as requested. Only by a user who did not ask for it and is ' +
      'independent of who did.',
    isKeyed: true,
    body: ApprovalBody,
    errors: [
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'client_held',
      'client_suspended',
      'credit_held',
      'maker_counts_as_you',
      'other_person_needed',
      'request_changed',
      'request_decided',
      'request_not_found',
      'suspense_closed',
      'suspense_not_fitting',
    ],
    handle: (call) => {
      const { db, batchPool, request, reply } = call
      const id = requireRequestId(call)
      // The first step, in its own transaction. The idempotency key stores its result.
      const begin = async (tx: Transaction) => {
        const approval = { key: id, revision: call.body.revision }
        await approvalRequests.approve(tx, checkerOf(call), approval)
        return id.toString()
      }
      return withIdempotentSteps(call, { request, reply, pool: batchPool, begin }, async () => {
        await call.sendReturns()
        const approved = await approvalRequests.get(db, viewerOf(call), id)
        return accepted('Approved successfully', RequestView.present(approved, call))
      })
    },
  })
  .act('rejectSuspenseRequest', {
    ...rejecting,
    path: '/requests/:id/reject',
    summary: 'Reject a request',
    description: 'Nothing moves. The requester sees the reason.',
    errors: ['other_person_needed', 'request_decided', 'request_not_found', 'suspense_closed'],
    message: 'Rejected successfully',
    parse: requireRequestId,
  })
  .act('withdrawSuspenseRequest', {
    ...withdrawing,
    path: '/requests/:id/withdraw',
    summary: 'Withdraw your request',
    description: 'Only by the user who asked for it, before it is decided.',
    errors: ['own_request_only', 'request_decided', 'request_not_found', 'suspense_closed'],
    message: 'Withdrawn successfully',
    parse: requireRequestId,
  })

// Decrypts the public id of an approval request in the path, or refuses it.
function requireRequestId({ sealer, params }: { sealer: Sealer; params: { id: string } }): bigint {
  const id = findId(sealer, 'request', params.id)
  if (id === undefined) throw new Refusal('request_not_found')
  return id
}

// Refuses a target in a request for a return, because a return always goes to the payer.
function refuseTarget(body: { accountNumber?: string; paymentReference?: string }): undefined {
  for (const field of ['accountNumber', 'paymentReference'] as const) {
    if (body[field] === undefined) continue
    throw invalidField(field, 'Only for action assign. Returns go to the payer.')
  }
}

const MakerChecker = trueOrFalse(
  'Maker-checker: another user must approve before money leaves suspense.',
)

const SETTINGS = '/api/v1/suspense/settings'
const options = {
  tag: 'Suspense',
  noun: 'settings',
  view: named('SuspenseSettings', { makerChecker: MakerChecker }),
}

export const suspenseSettings = resource(SETTINGS, {
  ...options,
  scopes: { read: 'suspense:read', write: 'suspense:write' },
})
  .get('getSuspenseSettings', {
    path: '',
    summary: 'Retrieve suspense settings',
    description: 'Whether money leaves suspense only with a second person’s approval.',
    run: async (db, { clientId }) => ({ makerChecker: await readMakerChecker(db, clientId) }),
  })
  .act('askToDisableMakerChecker', {
    ...ofPeople,
    path: '/requests',
    summary: 'Request approval to disable maker-checker',
    description: 'Approve at /api/v1/suspense/requests/{id}/approve.',
    body: strictObject({ reason: RequestReason }),
    view: RequestView,
    errors: ['disable_requested', 'maker_checker_off'],
    message: 'Approval requested successfully',
    run: (tx, call) => requestDisable(tx, checkerOf(call), call.body.reason),
  })

export const suspenseSettingChanges = resource(SETTINGS, {
  ...options,
  scopes: 'session',
}).replace('setSuspenseSettings', {
  path: '',
  summary: 'Update suspense settings',
  description:
    'For signed-in owners and operators. Turning maker-checker off requires approval: it is ' +
    'refused with approval_needed; use /api/v1/suspense/settings/requests.',
  body: strictObject({ makerChecker: MakerChecker }),
  errors: ['approval_needed'],
  run: async (tx, { client, actor, now, body: { makerChecker }, request }) => {
    const by = { client, actor, role: request.session.user.role }
    await setMakerChecker(tx, now, { ...by, hasMakerChecker: makerChecker })
    return { makerChecker }
  },
})

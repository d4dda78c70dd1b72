// /api/v1/operator/payouts: the payouts of all clients, and the outcomes that operators report for banks.
// /api/v1/operator/payout-failures: the requests to fail payouts.

import { type Static, type TObject, Type } from '@fastify/type-provider-typebox'
import { requireClientId } from '#access/client-routes.ts'
import { getClient } from '#access/clients.ts'
import {
  ApprovalBody,
  checkerOf,
  ofPeople,
  operationsOf,
  referenceOf,
  toViewer,
  viewerOf,
} from '#approvals/views.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { choice, SUMMARISED } from '#http/lists.ts'
import { referenceKey } from '#http/path-keys.ts'
import { type Call, resource } from '#http/resource.ts'
import { digits, strictObject, text } from '#http/schemas.ts'
import {
  FAILURE_STATES,
  findOpenFailure,
  requestPayoutFailure,
  resolvePayout,
  payoutFailures as workflow,
} from './failures.ts'
import { getFileId } from './files.ts'
import { listPayouts, readPayoutDetail, summarizePayouts } from './queries.ts'
import {
  Evidence,
  OperatorPayoutDetailView,
  OperatorPayoutView,
  PayoutFailureView,
  PayoutFilters,
  parsePayoutFilters,
  REASON_MAX,
} from './views.ts'

const BANK_REFERENCE_MAX = 100

const OperatorFilters = {
  clientId: Type.Optional(text(64, 'Filter by client.')),
  bankCode: Type.Optional(
    digits('^[0-9]{3,6}$', 'Filter by sending bank.', 'Must be a bank code.'),
  ),
  payoutFile: Type.Optional(
    digits('^PYF[0-9]{15}$', 'Filter by payout file.', 'Must be the id of a payout file.'),
  ),
  ...PayoutFilters,
}

export const operatorPayouts = resource('/api/v1/operator/payouts', {
  tag: 'Operator',
  noun: 'payout',
  view: OperatorPayoutView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { reference: String },
})
  .summary('summarizeAllPayouts', {
    summary: 'Count and add up payouts of all clients',
    description: SUMMARISED,
    filters: OperatorFilters,
    errors: ['client_not_found', 'payout_file_not_found'],
    run: async (db, { query, now }) =>
      summarizePayouts(db, await parseOperatorFilters(db, now, query)),
  })
  .list('listAllPayouts', {
    exportAs: 'exportAllPayouts',
    name: 'operator-payouts',
    summary: 'List payouts of all clients, newest first',
    description:
      'Filter by bank, state and payout file, for example what a bank has not answered for.',
    filters: OperatorFilters,
    isOrdered: true,
    errors: ['client_not_found', 'payout_file_not_found'],
    rows: async (db, { query, now, order, after, limit }) => {
      const filters = await parseOperatorFilters(db, now, query)
      return listPayouts(db, { ...filters, order, after, limit })
    },
  })
  .get('getAnyPayout', {
    summary: 'Retrieve a payout of any client',
    description: 'Its state, what it is for, and every change with who made it.',
    view: OperatorPayoutDetailView,
    errors: ['payout_not_found'],
    run: (db, call) => readDetail(db, call, call.params.reference),
  })
  .act('confirmPayout', {
    path: '/:reference/confirm',
    summary: 'Confirm an unknown payout',
    description: 'The bank has paid it, as its statement shows. Idempotent.',
    body: strictObject({ bankReference: text(BANK_REFERENCE_MAX, 'The bank’s own reference.') }),
    view: OperatorPayoutDetailView,
    errors: ['payout_not_found', 'payout_settled'],
    message: 'Payout confirmed successfully',
    pool: 'batchPool',
    run: async (tx, call) => {
      const { reference } = call.params
      const outcome = { status: 'confirmed', bankReference: call.body.bankReference } as const
      await resolvePayout(tx, { ...call, hooks: call.payoutHooks }, { reference, outcome })
      return readDetail(tx, call, reference)
    },
  })
  .act('failPayout', {
    ...ofPeople,
    path: '/:reference/fail',
    summary: 'Request that an unknown payout fails',
    description:
      'The bank has not paid it and never will. Once another user approves (failureRequest), the ' +
      'money is available again.',
    body: strictObject({
      reason: text(REASON_MAX, 'Failure reason, shown to the client.'),
      evidence: Evidence,
    }),
    view: OperatorPayoutDetailView,
    errors: ['failure_requested', 'payout_not_found', 'payout_settled'],
    message: 'Failure requested successfully',
    run: async (tx, call) => {
      const { reference } = call.params
      await requestPayoutFailure(tx, checkerOf(call), { reference, ...call.body })
      return readDetail(tx, call, reference)
    },
  })

type FilterQuery = Static<TObject<typeof OperatorFilters>>

// Replaces the names of the client and the payout file in a query by their ids.
async function parseOperatorFilters(db: Queryable, now: Date, query: FilterQuery) {
  const { clientId: name, payoutFile, ...otherFilters } = parsePayoutFilters(query)
  const client = name === undefined ? undefined : await getClient(db, now, requireClientId(name))
  const fileId = payoutFile === undefined ? undefined : await getFileId(db, payoutFile)
  return { ...otherFilters, clientId: client?.id, fileId }
}

// Reads a payout with its open request to fail it, for the operator's view.
async function readDetail(db: Queryable, call: Call, reference: string) {
  const payout = await readPayoutDetail(db, { reference })
  const failure = await findOpenFailure(db, toViewer(call, call), { payoutId: payout.id })
  return { ...payout, failure }
}

const { listRequests, rejecting, withdrawing } = operationsOf(workflow, referenceOf)

// /api/v1/operator/payout-failures: requests to fail payouts that a bank may have, under maker-checker. Only
// users request and decide.
export const payoutFailures = resource('/api/v1/operator/payout-failures', {
  tag: 'Operator',
  noun: 'request',
  view: PayoutFailureView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { reference: referenceKey('PFR', 'request_not_found') },
})
  .list('listPayoutFailures', {
    exportAs: 'exportPayoutFailures',
    summary: 'List requests to fail payouts, newest first',
    description: 'With the evidence, who asked and who decided.',
    filters: { state: choice(FAILURE_STATES, 'Filter by state.') },
    rows: (db, call) => listRequests(db, call, [['r.state = $', call.query.state]]),
  })
  .route('POST', 'approvePayoutFailure', {
    ...ofPeople,
    path: '/:reference/approve',
    summary: 'Approve that payouts fail',
    description:
      'The payout, or every open one of the file, fails and its money is available again. Only ' +
      'by a user who did not ask for it and is independent of who did.',
    isKeyed: true,
    body: ApprovalBody,
    errors: [
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'other_person_needed',
      'payout_file_paid',
      'payout_settled',
      'request_changed',
      'request_decided',
      'request_not_found',
    ],
    // Approves in one transaction, and then settles the payouts of a file as a report would.
    handle: (call) => {
      const { db, batchPool, request, reply, payoutHooks: hooks } = call
      const { reference } = call.params
      // The first step approves the request, in its own transaction. The idempotency key stores the reference
      // for a retry of the second step.
      const begin = async (tx: Transaction) => {
        const approval = { key: reference, revision: call.body.revision }
        await workflow.approve(tx, { ...checkerOf(call), hooks }, approval)
        return reference
      }
      return withIdempotentSteps(call, { request, reply, pool: batchPool, begin }, async () => {
        await call.settleReported()
        const failure = await workflow.get(db, viewerOf(call), reference)
        return accepted('Request approved successfully', PayoutFailureView.present(failure))
      })
    },
  })
  .act('rejectPayoutFailure', {
    ...rejecting,
    path: '/:reference/reject',
    summary: 'Reject that payouts fail',
    description: 'Nothing changes. The requester sees the reason.',
    errors: ['other_person_needed', 'request_decided', 'request_not_found'],
    message: 'Request rejected',
  })
  .act('withdrawPayoutFailure', {
    ...withdrawing,
    path: '/:reference/withdraw',
    summary: 'Withdraw your request to fail payouts',
    description: 'Only by the user who asked for it, before it is decided.',
    errors: ['own_request_only', 'request_decided', 'request_not_found'],
    message: 'Request withdrawn',
  })

// /api/v1/operator/payout-failures: requests to fail payouts that a bank may have, under maker-checker.
// Client credentials may request, but only users decide.

import { checkerOf, ofPeople, rejecting, viewerOf } from '#approvals/views.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { choice } from '#http/lists.ts'
import { Nothing, resource } from '#http/resource.ts'
import { FAILURE_STATES, isFailureReference, payoutFailures as workflow } from './failures.ts'
import { PayoutFailureView } from './views.ts'

export const payoutFailures = resource('/api/v1/operator/payout-failures', {
  tag: 'Operator',
  noun: 'request',
  view: PayoutFailureView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { reference: requireReference },
})
  .list('listPayoutFailures', {
    exportAs: 'exportPayoutFailures',
    summary: 'List requests to fail payouts, newest first',
    description: 'With the evidence, who asked and who decided.',
    filters: { state: choice(FAILURE_STATES, 'Filter by state.') },
    rows: (db, call) => {
      const { query, after: beforeId, limit } = call
      const where = [['r.state = $', query.state]] as const
      return workflow.list(db, viewerOf(call), { where, beforeId, limit })
    },
  })
  .route('POST', 'approvePayoutFailure', {
    ...ofPeople,
    path: '/:reference/approve',
    summary: 'Approve that payouts fail',
    description:
      'The payout, or every open one of the file, fails and its money is available again. Only ' +
      'by a user who did not ask for it and is independent of who did.',
    isKeyed: true,
    body: Nothing,
    errors: [
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'other_person_needed',
      'payout_file_paid',
      'payout_settled',
      'request_decided',
      'request_not_found',
    ],
    handle: (call) => {
      const { db, batchPool, request, reply, payoutHooks: hooks } = call
      const { reference } = call.params
      const begin = async (tx: Transaction) => {
        await workflow.approve(tx, { ...checkerOf(call), hooks }, reference)
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
    run: (tx, call) => {
      const decision = { key: call.params.reference, reason: call.body.reason }
      return workflow.reject(tx, checkerOf(call), decision)
    },
  })
  .act('withdrawPayoutFailure', {
    ...ofPeople,
    path: '/:reference/withdraw',
    summary: 'Withdraw your request to fail payouts',
    description: 'Only by the user who asked for it, before it is decided.',
    errors: ['own_request_only', 'request_decided', 'request_not_found'],
    message: 'Request withdrawn',
    run: (tx, call) => workflow.withdraw(tx, checkerOf(call), call.params.reference),
  })

function requireReference(text: string): string {
  if (!isFailureReference(text)) throw new Refusal('request_not_found')
  return text
}

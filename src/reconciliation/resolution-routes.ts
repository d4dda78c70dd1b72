// /api/v1/operator/reconciliation/{id}/resolve, approve, reject, withdraw and assign. Many differences can
// be resolved or assigned at once. A client's credentials may resolve only while maker-checker is off. Only
// a user may approve.

import { Type } from '@fastify/type-provider-typebox'
import { ApprovalBody, checkerOf, ofPeople } from '#approvals/views.ts'
import { isUnavailable, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { type Call, Nothing, resource } from '#http/resource.ts'
import { strictObject } from '#http/schemas.ts'
import type { DifferenceId } from '#ids.ts'
import { finishBooking } from './book.ts'
import type { DifferenceAction } from './difference.ts'
import { DifferenceDetailView, readDifference } from './difference-routes.ts'
import { assignDifferences, listOwners } from './owners.ts'
import {
  approveResolution,
  rejectResolution,
  resolveDifference,
  withdrawResolution,
} from './resolve.ts'
import {
  AssignmentRequest,
  BulkAssignmentRequest,
  BulkResolutionRequest,
  DifferenceOwnerBody,
  RECONCILIATION,
  Reason,
  ResolutionRequest,
  ResolutionResult,
  requireDifferenceId,
  toOwner,
} from './views.ts'

// How many differences of one request are resolved concurrently: half of the connections that may write.
const AT_ONCE = 4

type BulkResolution = { ids: readonly number[]; action: DifferenceAction; reason: string }
type ResolutionOutcome = { id: number; ok: boolean; code?: string; message?: string }

// Resolves many differences, each in separate transactions. Safe to repeat: it is a success if the same user
// has already resolved a difference in the same way. Returns the results ordered as `ids`.
async function resolveEach(
  call: Call,
  { ids, action, reason }: BulkResolution,
): Promise<ResolutionOutcome[]> {
  const { clock, sharedAccounts, batchPool, sealer, writers, client, actor, userId, request } = call
  const submitCredits: Parameters<typeof finishBooking>[0]['submitCredits'] = (credits) =>
    writers.credits.submitAll(credits)

  // Resolves one difference. A failure becomes its result, so that the others are still resolved.
  const resolve = async (differenceId: number): Promise<ResolutionOutcome> => {
    const id = BigInt(differenceId) as DifferenceId
    try {
      await withCaller(call, { request, pool: batchPool }, (tx) => {
        const acting = { client, actor, userId, now: clock(), sharedAccounts }
        return resolveDifference(tx, acting, { id, action, reason })
      })
      await finishBooking({ batchPool, sealer, submitCredits, now: clock() }, id)
      return { id: differenceId, ok: true }
    } catch (error) {
      return { id: differenceId, ok: false, ...describeFailure(call, error) }
    }
  }

  const results = new Map<number, ResolutionOutcome>()
  const waitingIds = [...new Set(ids)]
  // Takes differences from the list until it is empty. AT_ONCE of these loops run concurrently.
  const resolveWaiting = async () => {
    for (let id = waitingIds.shift(); id !== undefined; id = waitingIds.shift()) {
      results.set(id, await resolve(id))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, resolveWaiting))
  return ids.map((id) => results.get(id) as ResolutionOutcome)
}

// Converts an error of one difference to the code and message of its result, because one failure must not
// fail the whole request. Logs errors that are not refusals.
function describeFailure({ log }: Deps, error: unknown): { code: string; message: string } {
  if (!(error instanceof Refusal)) log.error({ err: error }, 'failed to resolve a difference')
  const { code, message, fields } =
    error instanceof Refusal ? error : new Refusal(isUnavailable(error) ? 'try_again' : 'internal')
  return { code, message: [message, ...fields.map((field) => field.message)].join(' ') }
}

// The refusals that resolving and approving have in common.
const RESOLVING = [
  'action_not_allowed',
  'cost_not_booked',
  'difference_not_found',
  'line_known_otherwise',
  'reading_needed',
  'reversal_not_possible',
  'suggestion_gone',
] as const

type DifferenceCall = Call<{ id: typeof requireDifferenceId }>

// Handles a request that resolves one difference, in two steps: commits `decide`, then books the credit of
// the line, which needs a transaction of its own. If the process dies in between, a retry of the request
// continues with the booking. Responds with the difference as it is afterwards.
function resolveInSteps(
  call: DifferenceCall,
  message: string,
  decide: (tx: Transaction) => Promise<void>,
) {
  const { request, reply, batchPool, sealer, writers, clock } = call
  const { id } = call.params
  const submitCredits: Parameters<typeof finishBooking>[0]['submitCredits'] = (credits) =>
    writers.credits.submitAll(credits)
  // The first step stores the decision, in its own transaction. The idempotency key stores the id of the
  // difference for a retry of the second step.
  const commitDecision = async (tx: Transaction) => {
    await decide(tx)
    return id.toString()
  }
  return withIdempotentSteps(
    call,
    { request, reply, pool: batchPool, begin: commitDecision },
    async () => {
      await finishBooking({ batchPool, sealer, submitCredits, now: clock() }, id)
      const difference = await readDifference(call, call, id)
      return accepted(message, DifferenceDetailView.present(difference, call))
    },
  )
}

export const differenceResolutions = resource(RECONCILIATION, {
  tag: 'Operator',
  noun: 'difference',
  view: DifferenceDetailView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { id: requireDifferenceId },
})
  .route('POST', 'resolveDifference', {
    path: '/:id/resolve',
    summary: 'Resolve a difference',
    description:
      'Which actions a difference allows depends on its kind. Under maker-checker it is asked ' +
      'for, and another user approves it.',
    isKeyed: true,
    body: ResolutionRequest,
    errors: [...RESOLVING, 'difference_asked', 'difference_resolved'],
    handle: (call) =>
      resolveInSteps(call, 'Difference resolved successfully', (tx) =>
        resolveDifference(tx, { ...call, now: call.clock() }, { id: call.params.id, ...call.body }),
      ),
  })
  .route('POST', 'resolveDifferences', {
    path: '/resolve',
    summary: 'Resolve many differences',
    description: 'Each on its own: one that is refused keeps no other from being resolved.',
    isKeyed: true,
    body: BulkResolutionRequest,
    view: Type.Array(ResolutionResult),
    handle: (call) => {
      const { request, reply, batchPool } = call
      const steps = { request, reply, pool: batchPool, begin: 'many' }
      return withIdempotentSteps(call, steps, async () =>
        accepted('Differences resolved', await resolveEach(call, call.body)),
      )
    },
  })
  .route('POST', 'approveResolution', {
    ...ofPeople,
    path: '/:id/approve',
    summary: 'Approve the resolution of a difference',
    description: 'By another user than the one who asked for it.',
    isKeyed: true,
    body: ApprovalBody,
    errors: [
      ...RESOLVING,
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'other_person_needed',
      'request_changed',
      'request_decided',
    ],
    handle: (call) =>
      resolveInSteps(call, 'Resolution approved successfully', (tx) =>
        approveResolution(tx, checkerOf(call), { id: call.params.id, ...call.body }),
      ),
  })
  .route('POST', 'rejectResolution', {
    ...ofPeople,
    path: '/:id/reject',
    summary: 'Reject the resolution of a difference',
    description: 'The difference is open again.',
    isKeyed: true,
    body: strictObject({ reason: Reason }),
    errors: ['difference_not_found', 'other_person_needed', 'request_decided'],
    handle: (call) =>
      resolveInSteps(call, 'Resolution rejected', (tx) =>
        rejectResolution(tx, checkerOf(call), { id: call.params.id, reason: call.body.reason }),
      ),
  })
  .route('POST', 'withdrawResolution', {
    ...ofPeople,
    path: '/:id/withdraw',
    summary: 'Withdraw your resolution of a difference',
    description: 'Only by the user who asked for it, before it is decided.',
    isKeyed: true,
    body: Nothing,
    errors: ['difference_not_found', 'own_request_only', 'request_decided'],
    handle: (call) =>
      resolveInSteps(call, 'Resolution withdrawn', (tx) =>
        withdrawResolution(tx, checkerOf(call), call.params.id),
      ),
  })

// Routes that assign one or many differences to a user, and list the users who may own differences.
export const differenceOwners = resource(RECONCILIATION, {
  tag: 'Operator',
  noun: 'owner',
  view: DifferenceDetailView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { id: requireDifferenceId },
})
  .route('POST', 'assignDifference', {
    path: '/:id/assign',
    summary: 'Assign a difference',
    description:
      'To yourself, another user or nobody. Says who works on it: anybody with access may still ' +
      'resolve it.',
    isKeyed: true,
    body: AssignmentRequest,
    errors: [
      'difference_not_found',
      'difference_resolved',
      'owner_changed',
      'owner_without_access',
      'user_not_found',
    ],
    handle: (call) => {
      const { request, reply, clock } = call
      const { id } = call.params
      const { owner, from } = call.body
      const ownerId = toOwner(owner, call)
      const fromId = from === undefined ? undefined : toOwner(from, call)
      // The first step assigns the difference, in its own transaction. The idempotency key stores the id of
      // the difference for a retry of the second step.
      const begin = async (tx: Transaction) => {
        const acting = { ...call, now: clock() }
        const refused = await assignDifferences(tx, acting, { ids: [id], ownerId, fromId })
        const code = refused.get(id)
        if (code) throw new Refusal(code)
        return id.toString()
      }
      return withIdempotentSteps(call, { request, reply, begin }, async () => {
        const difference = await readDifference(call, call, id)
        const body = DifferenceDetailView.present(difference, call)
        return accepted('Difference assigned successfully', body)
      })
    },
  })
  .act('assignDifferences', {
    path: '/assign',
    summary: 'Assign many differences',
    description: 'In one transaction. One that is refused keeps no other from being assigned.',
    body: BulkAssignmentRequest,
    view: Type.Array(ResolutionResult),
    message: 'Differences assigned',
    errors: ['owner_without_access', 'user_not_found'],
    parse: (call) => toOwner(call.body.owner, call),
    run: async (tx, call) => {
      const ids = call.body.ids.map((id) => BigInt(id) as DifferenceId)
      const refused = await assignDifferences(tx, call, { ids, ownerId: call.input })
      return ids.map((id) => {
        const code = refused.get(id)
        if (!code) return { id: Number(id), ok: true }
        return { id: Number(id), ok: false, code, message: new Refusal(code).message }
      })
    },
  })
  .get('listDifferenceOwners', {
    path: '/owners',
    summary: 'List who can own differences',
    description:
      'Users of your client with access to reconciliation, and those who own an open difference ' +
      'and no longer have it.',
    view: Type.Array(DifferenceOwnerBody),
    message: 'Owners retrieved successfully',
    run: (db, { client }) => listOwners(db, client),
  })

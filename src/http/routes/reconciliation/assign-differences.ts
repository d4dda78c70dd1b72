// POST /api/v1/operator/reconciliation/{id}/assign, and many at once: who works on a difference. Also who
// may.

import { Type } from '@fastify/type-provider-typebox'
import type { Transaction } from '#db/transaction.ts'
import { assignDifferences } from '#domain/reconciliation/assign-differences.ts'
import { listOwners } from '#domain/reconciliation/difference-owners.ts'
import { Refusal } from '#errors.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { resource } from '#http/resource.ts'
import type { DifferenceId } from '#ids.ts'
import { RECONCILIATION } from './days.ts'
import { DifferenceDetailView, readDifference } from './differences.ts'
import {
  AssignmentRequest,
  BulkAssignmentRequest,
  DifferenceOwnerBody,
  toOwner,
} from './owner-presenters.ts'
import { ResolutionResult, requireDifferenceId } from './resolution-presenters.ts'

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

// POST /api/v1/operator/reconciliation/{id}/assign, and many at once: who works on a difference. Also who
// may.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { Transaction } from '#db/transaction.ts'
import { assignDifferences } from '#domain/reconciliation/assign-differences.ts'
import { listOwners } from '#domain/reconciliation/difference-owners.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency, withIdempotentSteps } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import type { DifferenceId } from '#ids.ts'
import { RECONCILIATION } from './daily-proofs.ts'
import { DifferenceDetailBody } from './difference-presenters.ts'
import {
  AssignmentRequest,
  BulkAssignmentRequest,
  DifferenceOwnerBody,
  toOwner,
} from './owner-presenters.ts'
import { ResolutionResult, requireDifferenceId } from './resolution-presenters.ts'
import { showDifference } from './show-difference.ts'

const about = { tags: ['Operator'], security: BEARER, querystring: NoQuery }

export const assignDifferenceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(assigning, deps)
  await app.register(assigningMany, deps)
  await app.register(listingOwners, deps)
}

const assigning: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps
  app.post(
    `${RECONCILIATION}/:id/assign`,
    {
      onRequest: authentication.requires('accounting:write'),
      schema: {
        ...about,
        operationId: 'assignDifference',
        summary: 'Assign a difference',
        description:
          'To yourself, another user or nobody. Says who works on it: anybody with access may still ' +
          'resolve it.',
        headers: IdempotencyHeaders,
        params: Type.Object({ id: Type.String() }),
        body: AssignmentRequest,
        response: { 200: ApiEnvelope(DifferenceDetailBody) },
      },
    },
    async (request, reply) => {
      const { client, actor, userId, body } = request
      const id = requireDifferenceId(request.params.id)
      const ownerId = toOwner(body.owner, request)
      const fromId = body.from === undefined ? undefined : toOwner(body.from, request)
      const begin = async (tx: Transaction) => {
        const acting = { client, actor, userId, now: clock() }
        const refused = await assignDifferences(tx, acting, { ids: [id], ownerId, fromId })
        const code = refused.get(id)
        if (code) throw new Refusal(code)
        return id.toString()
      }
      return withIdempotentSteps(deps, { request, reply, begin }, async () =>
        accepted('Difference assigned successfully', await showDifference(deps, request, id)),
      )
    },
  )
}

const assigningMany: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps
  app.post(
    `${RECONCILIATION}/assign`,
    {
      onRequest: authentication.requires('accounting:write'),
      schema: {
        ...about,
        operationId: 'assignDifferences',
        summary: 'Assign many differences',
        description: 'In one transaction. One that is refused keeps no other from being assigned.',
        headers: IdempotencyHeaders,
        body: BulkAssignmentRequest,
        response: { 200: ApiEnvelope(Type.Array(ResolutionResult)) },
      },
    },
    async (request, reply) => {
      const { client, actor, userId, body } = request
      const ids = body.ids.map((id) => BigInt(id) as DifferenceId)
      const ownerId = toOwner(body.owner, request)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const acting = { client, actor, userId, now: clock() }
        const refused = await assignDifferences(tx, acting, { ids, ownerId })
        const results = ids.map((id) => {
          const code = refused.get(id)
          if (!code) return { id: Number(id), ok: true }
          return { id: Number(id), ok: false, code, message: new Refusal(code).message }
        })
        return accepted('Differences assigned', results)
      })
    },
  )
}

const listingOwners: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, db } = deps
  app.get(
    `${RECONCILIATION}/owners`,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'listDifferenceOwners',
        summary: 'List who can own differences',
        description:
          'Users of your client with access to reconciliation, and those who own an open difference ' +
          'and no longer have it.',
        response: { 200: ApiEnvelope(Type.Array(DifferenceOwnerBody)) },
      },
    },
    async ({ client }) => accepted('Owners retrieved successfully', await listOwners(db, client)),
  )
}

// POST /api/v1/operator/reconciliation/{id}/resolve, approve, reject, withdraw; and many at once.
// Client credentials resolve only while maker-checker is off; approving takes a user.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from '#db/transaction.ts'
import { finishBooking } from '#domain/reconciliation/finish-booking.ts'
import {
  approveResolution,
  rejectResolution,
  resolveDifference,
  withdrawResolution,
} from '#domain/reconciliation/resolve-difference.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import { requireApprover, requireUser } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import type { DifferenceId } from '#ids.ts'
import { RECONCILIATION } from './days.ts'
import { DifferenceDetailView, readDifference } from './differences.ts'
import {
  BulkResolutionRequest,
  Reason,
  ResolutionRequest,
  ResolutionResult,
  requireDifferenceId,
} from './resolution-presenters.ts'
import { resolveEach } from './resolve-each.ts'

const Params = Type.Object({ id: Type.String() })
const Nothing = Type.Object({}, { additionalProperties: false })
const change = { tags: ['Operator'], querystring: NoQuery, headers: IdempotencyHeaders }
const about = {
  ...change,
  params: Params,
  response: { 200: ApiEnvelope(DifferenceDetailView.schema) },
}

// The errors of booking, matching or noting.
const RESOLVING = [
  'action_not_allowed',
  'cost_not_booked',
  'difference_not_found',
  'line_known_otherwise',
  'reading_needed',
  'reversal_not_possible',
  'suggestion_gone',
] as const

const APPROVING = [
  ...RESOLVING,
  'approver_not_independent',
  'approver_too_new',
  'maker_counts_as_you',
  'other_person_needed',
  'request_decided',
] as const

export const resolveDifferenceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(resolving, deps)
  await app.register(resolvingMany, deps)
  await app.register(deciding, deps)
}

type Call = { request: FastifyRequest; reply: FastifyReply; message: string }

// The decision is committed before the credit of a line is taken; a retry goes on from there.
function stepping(deps: Deps) {
  const { batchPool, sealer, writers, clock } = deps
  const submitCredits: Parameters<typeof finishBooking>[0]['submitCredits'] = (credits) =>
    writers.credits.submitAll(credits)
  return (
    { request, reply, message }: Call,
    work: (tx: Transaction, id: DifferenceId) => Promise<void>,
  ) => {
    const id = requireDifferenceId((request.params as { id: string }).id)
    const begin = async (tx: Transaction) => {
      await work(tx, id)
      return id.toString()
    }
    return withIdempotentSteps(deps, { request, reply, pool: batchPool, begin }, async () => {
      await finishBooking({ batchPool, sealer, submitCredits, now: clock() }, id)
      const difference = await readDifference(deps, request, id)
      return accepted(message, DifferenceDetailView.present(difference, deps))
    })
  }
}

const resolving: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock, sharedAccounts } = deps
  const step = stepping(deps)
  app.post(
    `${RECONCILIATION}/:id/resolve`,
    {
      config: { errors: [...RESOLVING, 'difference_asked', 'difference_resolved'] },
      onRequest: authentication.requires('accounting:write'),
      schema: {
        ...about,
        operationId: 'resolveDifference',
        summary: 'Resolve a difference',
        description:
          'Which actions a difference allows depends on its kind. Under maker-checker it is asked ' +
          'for, and another user approves it.',
        security: BEARER,
        body: ResolutionRequest,
      },
    },
    async (request, reply) => {
      const { client, actor, userId, body } = request
      const message = 'Difference resolved successfully'
      return step({ request, reply, message }, (tx, id) =>
        resolveDifference(
          tx,
          { client, actor, userId, now: clock(), sharedAccounts },
          { id, ...body },
        ),
      )
    },
  )
}

const resolvingMany: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, batchPool } = deps
  app.post(
    `${RECONCILIATION}/resolve`,
    {
      onRequest: authentication.requires('accounting:write'),
      schema: {
        ...change,
        operationId: 'resolveDifferences',
        summary: 'Resolve many differences',
        description: 'Each on its own: one that is refused keeps no other from being resolved.',
        security: BEARER,
        body: BulkResolutionRequest,
        response: {
          200: ApiEnvelope(Type.Array(ResolutionResult)),
        },
      },
    },
    async (request, reply) => {
      const call = { request, reply, pool: batchPool, begin: 'many' }
      return withIdempotentSteps(deps, call, async () =>
        accepted('Differences resolved', await resolveEach(deps, request, request.body)),
      )
    },
  )
}

const deciding: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, sharedAccounts } = deps
  const onRequest = [authentication.requires('accounting:write'), requireUser]
  const security = SESSION
  const step = stepping(deps)
  const by = (request: FastifyRequest) => ({ ...requireApprover(deps, request), sharedAccounts })

  app.post(
    `${RECONCILIATION}/:id/approve`,
    {
      config: { errors: APPROVING },
      onRequest,
      schema: {
        ...about,
        operationId: 'approveResolution',
        summary: 'Approve the resolution of a difference',
        description: 'By another user than the one who asked for it.',
        security,
        body: Nothing,
      },
    },
    async (request, reply) => {
      const message = 'Resolution approved successfully'
      return step({ request, reply, message }, (tx, id) => approveResolution(tx, by(request), id))
    },
  )

  app.post(
    `${RECONCILIATION}/:id/reject`,
    {
      config: { errors: ['difference_not_found', 'other_person_needed', 'request_decided'] },
      onRequest,
      schema: {
        ...about,
        operationId: 'rejectResolution',
        summary: 'Reject the resolution of a difference',
        description: 'The difference is open again.',
        security,
        body: Type.Object({ reason: Reason }, { additionalProperties: false }),
      },
    },
    async (request, reply) => {
      const { reason } = request.body
      const message = 'Resolution rejected'
      return step({ request, reply, message }, (tx, id) =>
        rejectResolution(tx, by(request), { id, reason }),
      )
    },
  )

  app.post(
    `${RECONCILIATION}/:id/withdraw`,
    {
      config: { errors: ['difference_not_found', 'own_request_only', 'request_decided'] },
      onRequest,
      schema: {
        ...about,
        operationId: 'withdrawResolution',
        summary: 'Withdraw your resolution of a difference',
        description: 'Only by the user who asked for it, before it is decided.',
        security,
        body: Nothing,
      },
    },
    async (request, reply) => {
      const message = 'Resolution withdrawn'
      return step({ request, reply, message }, (tx, id) => withdrawResolution(tx, by(request), id))
    },
  )
}

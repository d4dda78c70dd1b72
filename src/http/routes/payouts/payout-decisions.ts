// /api/v1/payouts/{reference}/cancel, approve, reject. Approving and rejecting are for users only:
// client credentials do not count as a second person.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { approvePayout, cancelPayout, rejectPayout } from '#domain/payouts/decide-payout.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import { requireApprover, requireUser } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, text } from '#http/schemas.ts'
import { PayoutDetailBody } from './payout-presenters.ts'
import { PAYOUTS, showPayout } from './payouts.ts'

const REASON_MAX = 500

const about = {
  tags: ['Payouts'],
  headers: IdempotencyHeaders,
  params: Type.Object({ reference: Type.String() }),
  querystring: NoQuery,
  response: { 200: ApiEnvelope(PayoutDetailBody) },
}

type Call = { request: FastifyRequest; reply: FastifyReply; reference: string; message: string }

// Not on `db`: shared accounts are opened on a connection of it.
function deciding(deps: Deps) {
  return (
    { request, reply, reference, message }: Call,
    work: (tx: Transaction) => Promise<void>,
  ) => {
    refuseRestricted(request.client)
    return withIdempotency(deps, { request, reply, pool: deps.batchPool }, async (tx) => {
      await work(tx)
      return accepted(message, await showPayout(tx, deps, { by: request, reference }))
    })
  }
}

export const payoutDecisionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(cancelling, deps)
  await app.register(approving, deps)
  await app.register(rejecting, deps)
}

const cancelling: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, sharedAccounts, payoutHooks: hooks, clock } = deps
  const decide = deciding(deps)
  app.post(
    `${PAYOUTS}/:reference/cancel`,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        security: BEARER,
        operationId: 'cancelPayout',
        summary: 'Cancel a payout',
        description:
          'While it is queued. The money, fee and VAT are available again. One of a settlement or ' +
          'refund only while it is blocked (blockedBy).',
        body: Type.Object(
          { reason: Type.Optional(text(REASON_MAX, 'Reason.')) },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const { client, actor, params, body } = request
      const { reference } = params
      const { reason = 'Cancelled.' } = body
      const message = 'Payout cancelled successfully'
      return decide({ request, reply, reference, message }, (tx) => {
        const by = { sharedAccounts, hooks, now: clock(), client, actor }
        return cancelPayout(tx, by, { reference, reason })
      })
    },
  )
}

const approving: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const decide = deciding(deps)
  app.post(
    `${PAYOUTS}/:reference/approve`,
    {
      onRequest: [deps.authentication.requires('payouts:write'), requireUser],
      schema: {
        ...about,
        security: SESSION,
        operationId: 'approvePayout',
        summary: 'Approve a payout',
        description: 'Only by a user who neither created it nor chose its bank account.',
        body: Type.Object({}, { additionalProperties: false }),
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const message = 'Payout approved successfully'
      return decide({ request, reply, reference, message }, (tx) =>
        approvePayout(tx, requireApprover(deps, request), reference),
      )
    },
  )
}

const rejecting: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, sharedAccounts, payoutHooks: hooks } = deps
  const decide = deciding(deps)
  app.post(
    `${PAYOUTS}/:reference/reject`,
    {
      onRequest: [authentication.requires('payouts:write'), requireUser],
      schema: {
        ...about,
        security: SESSION,
        operationId: 'rejectPayout',
        summary: 'Reject a payout',
        description: 'It is cancelled: money, fee and VAT are available again.',
        body: Type.Object(
          { reason: text(REASON_MAX, 'Reason, shown to the maker.') },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const { reason } = request.body
      const message = 'Payout rejected successfully'
      return decide({ request, reply, reference, message }, (tx) => {
        const by = { ...requireApprover(deps, request), sharedAccounts, hooks }
        return rejectPayout(tx, by, { reference, reason })
      })
    },
  )
}

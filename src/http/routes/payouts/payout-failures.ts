// /api/v1/operator/payout-failures: requests to fail payouts that a bank may have, under maker-checker.
// Client credentials may request, and decide nothing.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import type { Transaction } from '#db/transaction.ts'
import { approveFailure, rejectFailure, withdrawFailure } from '#domain/payouts/fail-payouts.ts'
import { FAILURE_STATES, getFailure, listFailures } from '#domain/payouts/payout-failures.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import {
  requireApprover,
  requireUser,
  toViewer,
} from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, oneOf, text } from '#http/schemas.ts'
import { PayoutFailureBody, presentFailure, REASON_MAX } from './payout-failure-presenters.ts'

const FAILURES = '/api/v1/operator/payout-failures'

const Params = Type.Object({ reference: Type.String() })
const Nothing = Type.Object({}, { additionalProperties: false })
const response = { 200: ApiEnvelope(PayoutFailureBody) }
const about = { tags: ['Operator'], security: SESSION, querystring: NoQuery, response }
const change = { ...about, headers: IdempotencyHeaders, params: Params }

export const payoutFailureRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(reading, deps)
  await app.register(deciding, deps)
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    FAILURES,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'listPayoutFailures',
        summary: 'List requests to fail payouts, newest first',
        description: 'With the evidence, who asked and who decided.',
        security: BEARER,
        querystring: query({
          state: Type.Optional({
            ...oneOf(FAILURE_STATES, 'Filter by state.'),
            'x-says': `Must be one of ${FAILURE_STATES.join(', ')}.`,
          }),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(PayoutFailureBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      const { state } = asked
      const list: List = { name: 'payout-failures', clientId: client.id, filters: { state } }
      const viewer = toViewer(deps, request)
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listFailures(db, viewer, { state: state ?? null, beforeId: after, limit }),
      )
      return listResponse('Requests retrieved successfully', page, presentFailure)
    },
  )
}

type Decider = Parameters<typeof approveFailure>[1]

type Decision = {
  call: Pick<Parameters<typeof withIdempotentSteps>[1], 'request' | 'reply'>
  reference: string
  how: (tx: Transaction, by: Decider) => Promise<void>
  message: string
}

// Not on `db`: shared accounts are opened on a connection of it.
function decide(deps: Deps, { call, reference, how, message }: Decision) {
  const { db, batchPool, sharedAccounts, payoutHooks: hooks, settleReported } = deps
  const begin = async (tx: Transaction) => {
    await how(tx, { ...requireApprover(deps, call.request), sharedAccounts, hooks })
    return reference
  }
  return withIdempotentSteps(deps, { ...call, pool: batchPool, begin }, async () => {
    await settleReported()
    const failure = await getFailure(db, toViewer(deps, call.request), reference)
    return accepted(message, presentFailure(failure))
  })
}

const deciding: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const onRequest = [deps.authentication.requires('accounting:write'), requireUser]

  app.post(
    `${FAILURES}/:reference/approve`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'approvePayoutFailure',
        summary: 'Approve that payouts fail',
        description:
          'The payout, or every open one of the file, fails and its money is available again. Only ' +
          'by a user who did not ask for it and is independent of who did.',
        body: Nothing,
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const how = (tx: Transaction, by: Decider) => approveFailure(tx, by, reference)
      const message = 'Request approved successfully'
      return decide(deps, { call: { request, reply }, reference, how, message })
    },
  )

  app.post(
    `${FAILURES}/:reference/reject`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'rejectPayoutFailure',
        summary: 'Reject that payouts fail',
        description: 'Nothing changes. The requester sees the reason.',
        body: Type.Object(
          { reason: text(REASON_MAX, 'Reason, shown to the requester.') },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const { reason } = request.body
      const how = (tx: Transaction, by: Decider) => rejectFailure(tx, by, { reference, reason })
      return decide(deps, { call: { request, reply }, reference, how, message: 'Request rejected' })
    },
  )

  app.post(
    `${FAILURES}/:reference/withdraw`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'withdrawPayoutFailure',
        summary: 'Withdraw your request to fail payouts',
        description: 'Only by the user who asked for it, before it is decided.',
        body: Nothing,
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const how = (tx: Transaction, by: Decider) => withdrawFailure(tx, by, reference)
      const message = 'Request withdrawn'
      return decide(deps, { call: { request, reply }, reference, how, message })
    },
  )
}

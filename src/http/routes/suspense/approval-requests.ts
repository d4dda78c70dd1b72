// /api/v1/suspense/requests: approval requests (maker-checker). Users only: client credentials do
// not count as a second person.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import {
  getRequest,
  listRequests,
  REQUEST_STATES,
  type RequestState,
} from '#domain/suspense/approval-request-list.ts'
import {
  approveRequest,
  rejectRequest,
  requestApproval,
  withdrawRequest,
} from '#domain/suspense/approval-requests.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency, withIdempotentSteps } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import { ApiEnvelope, BEARER, digits, IdempotencyHeaders, text } from '#http/schemas.ts'
import type { SuspenseItemId } from '#ids.ts'
import { findId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import {
  presentRequest,
  RequestBody,
  requireApprover,
  requireUser,
  toViewer,
} from './approval-presenters.ts'
import { AssignTarget, parseAssignTo, requireItemId } from './suspense-presenters.ts'

const REQUESTS = '/api/v1/suspense/requests'
const REASON_MAX = 500
const NO_ITEM = -1n as SuspenseItemId

const Params = Type.Object({ id: Type.String() })
const response = { 200: ApiEnvelope(RequestBody) }
const about = { tags: ['Suspense'], security: SESSION, querystring: NoQuery, response }
const Nothing = Type.Object({}, { additionalProperties: false })

export const approvalRequestRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(listing, deps)
  await app.register(asking, deps)
  await app.register(approving, deps)
  await app.register(refusing, deps)
}

const listing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  app.get(
    REQUESTS,
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'listSuspenseRequests',
        tags: ['Suspense'],
        summary: 'List approval requests, newest first',
        description: 'What users asked to do with suspended money, and who decided.',
        security: BEARER,
        querystring: query({
          state: Type.Optional(
            Type.Unsafe<RequestState>({
              type: 'string',
              enum: [...REQUEST_STATES],
              'x-says': `Must be one of ${REQUEST_STATES.join(', ')}.`,
            }),
          ),
          itemId: Type.Optional(
            digits('^[0-9]{1,18}$', 'Filter by suspense item.', 'Must be a suspense ID.'),
          ),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(RequestBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      const { state, itemId } = asked
      const filters = { state, itemId }
      const list: List = { name: 'suspense-requests', clientId: client.id, filters }
      const wanted = {
        state: state ?? null,
        itemId: itemId === undefined ? null : (findId(sealer, 'suspense', itemId) ?? NO_ITEM),
      }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listRequests(db, toViewer(deps, request), { ...wanted, beforeId: after, limit }),
      )
      return listResponse('Requests retrieved successfully', page, (row) =>
        presentRequest(row, { actor: request.actor, sealer }),
      )
    },
  )
}

const asking: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, sealer, authentication } = deps
  app.post(
    '/api/v1/suspense/:id/requests',
    {
      onRequest: [authentication.requires('suspense:write'), requireUser],
      schema: {
        ...about,
        operationId: 'requestApproval',
        summary: 'Request approval to assign or return suspended money',
        description: 'No money moves until another user approves. One pending request per item.',
        headers: IdempotencyHeaders,
        params: Params,
        body: Type.Object(
          {
            action: Type.Unsafe<'assign' | 'return'>({
              type: 'string',
              enum: ['assign', 'return'],
              'x-says': 'Must be assign or return.',
            }),
            ...AssignTarget,
            reason: text(REASON_MAX, 'Reason, shown to the approver.'),
          },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const { params, body } = request
      const itemId = requireItemId(sealer, params.id)
      const to = body.action === 'assign' ? parseAssignTo(body) : refuseTarget(body)
      return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
        const asked = { to, reason: body.reason }
        const id = await requestApproval(tx, requireApprover(deps, request), { itemId, ...asked })
        return accepted(
          'Approval requested successfully',
          await show(tx, deps, { by: request, id }),
        )
      })
    },
  )
}

const approving: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, batchPool, sealer, sharedAccounts, mode, authentication, sendReturns } = deps
  app.post(
    `${REQUESTS}/:id/approve`,
    {
      onRequest: [authentication.requires('suspense:write'), requireUser],
      schema: {
        ...about,
        operationId: 'approveSuspenseRequest',
        summary: 'Approve a request',
        description:
          'Moves the money as requested. Only by a user who did not ask for it and is ' +
          'independent of who did.',
        headers: IdempotencyHeaders,
        params: Params,
        body: Nothing,
      },
    },
    async (request, reply) => {
      const id = requireRequestId(sealer, request.params.id)
      const begin = async (tx: Transaction) => {
        const acting = { ...requireApprover(deps, request), sealer, sharedAccounts, mode }
        await approveRequest(tx, acting, id)
        return id.toString()
      }
      return withIdempotentSteps(deps, { request, reply, pool: batchPool, begin }, async () => {
        await sendReturns()
        return accepted('Approved successfully', await show(db, deps, { by: request, id }))
      })
    },
  )
}

const refusing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, authentication } = deps
  const onRequest = [authentication.requires('suspense:write'), requireUser]

  app.post(
    `${REQUESTS}/:id/reject`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'rejectSuspenseRequest',
        summary: 'Reject a request',
        description: 'Nothing moves. The requester sees the reason.',
        headers: IdempotencyHeaders,
        params: Params,
        body: Type.Object(
          { reason: text(REASON_MAX, 'Reason, shown to the requester.') },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const id = requireRequestId(sealer, request.params.id)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        await rejectRequest(tx, requireApprover(deps, request), {
          requestId: id,
          reason: request.body.reason,
        })
        return accepted('Rejected successfully', await show(tx, deps, { by: request, id }))
      })
    },
  )

  app.post(
    `${REQUESTS}/:id/withdraw`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'withdrawSuspenseRequest',
        summary: 'Withdraw your request',
        description: 'Only by the user who asked for it, before it is decided.',
        headers: IdempotencyHeaders,
        params: Params,
        body: Nothing,
      },
    },
    async (request, reply) => {
      const id = requireRequestId(sealer, request.params.id)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        await withdrawRequest(tx, requireApprover(deps, request), id)
        return accepted('Withdrawn successfully', await show(tx, deps, { by: request, id }))
      })
    },
  )
}

async function show(db: Queryable, deps: Deps, { by, id }: { by: Identity; id: bigint }) {
  const { actor } = by
  return presentRequest(await getRequest(db, toViewer(deps, by), id), { actor, ...deps })
}

function requireRequestId(sealer: Sealer, given: string): bigint {
  const id = findId(sealer, 'request', given)
  if (id === undefined) throw new Refusal('request_not_found')
  return id
}

// A return goes to the payer; a target would be misleading.
function refuseTarget(body: { accountNumber?: string; paymentReference?: string }): undefined {
  for (const field of ['accountNumber', 'paymentReference'] as const) {
    if (body[field] === undefined) continue
    const message = 'Only for action assign. Returns go to the payer.'
    throw new Refusal('invalid_request', [{ field, message }])
  }
}

// /api/v1/operator/adjustments: recover or write off what clients and banks owe us, under
// maker-checker. Users only: client credentials do not count as a second person.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { findClient } from '#domain/access/clients.ts'
import {
  approveAdjustment,
  rejectAdjustment,
  requestAdjustment,
  withdrawAdjustment,
} from '#domain/refunds/adjust-debts.ts'
import {
  ADJUSTMENT_STATES,
  type Debt,
  getAdjustment,
  listAdjustments,
} from '#domain/refunds/adjustments.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import {
  requireApprover,
  requireUser,
  toViewer,
} from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, text } from '#http/schemas.ts'
import { CURRENCY, type Kobo, koboOf } from '#money.ts'
import {
  AdjustmentBody,
  AdjustmentRequest,
  choice,
  presentAdjustment,
  REASON_MAX,
} from './adjustment-presenters.ts'

const ADJUSTMENTS = '/api/v1/operator/adjustments'

const Params = Type.Object({ reference: Type.String() })
const Nothing = Type.Object({}, { additionalProperties: false })
const response = { 200: ApiEnvelope(AdjustmentBody) }
const about = { tags: ['Operator'], security: SESSION, querystring: NoQuery, response }
const change = { ...about, headers: IdempotencyHeaders }

export const adjustmentRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(reading, deps)
  await app.register(requesting, deps)
  await app.register(deciding, deps)
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('accounting:read')

  app.get(
    ADJUSTMENTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listAdjustments',
        summary: 'List adjustments, newest first',
        description:
          'Recoveries and write-offs of what clients and banks owe, with who asked and who ' +
          'decided.',
        security: BEARER,
        querystring: query({
          state: Type.Optional(choice(ADJUSTMENT_STATES, 'Filter by state.')),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(AdjustmentBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      const { state } = asked
      const list: List = { name: 'adjustments', clientId: client.id, filters: { state } }
      const viewer = toViewer(deps, request)
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listAdjustments(db, viewer, { state: state ?? null, beforeId: after, limit }),
      )
      return listResponse('Adjustments retrieved successfully', page, presentAdjustment)
    },
  )

  app.get(
    `${ADJUSTMENTS}/:reference`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getAdjustment',
        summary: 'Retrieve an adjustment',
        description: 'What it recovers or writes off, who asked for it and who decided.',
        security: BEARER,
        params: Params,
      },
    },
    async (request) => {
      const { reference } = request.params
      return accepted(
        'Adjustment retrieved successfully',
        await show(db, deps, { by: request, reference }),
      )
    },
  )
}

const requesting: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, sharedAccounts, authentication } = deps
  app.post(
    ADJUSTMENTS,
    {
      onRequest: [authentication.requires('accounting:write'), requireUser],
      schema: {
        ...change,
        operationId: 'requestAdjustment',
        summary: 'Request a recovery or a write-off',
        description:
          'No money moves until another user approves. A recovery of a receivable is taken from ' +
          'what is available to the client; of a shortfall, the bank has paid it.',
        body: AdjustmentRequest,
      },
    },
    async (request, reply) => {
      const { kind, amount, reason } = request.body
      return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
        const debt = await findDebt(tx, deps, request.body)
        const amountKobo = koboOf(amount) as Kobo // Checked by the schema.
        const reference = await requestAdjustment(
          tx,
          { ...requireApprover(deps, request), sharedAccounts },
          { kind, debt, amountKobo, currency: CURRENCY, reason },
        )
        const shown = await show(tx, deps, { by: request, reference })
        return accepted('Adjustment requested successfully', shown)
      })
    },
  )
}

type Decision = {
  call: Parameters<typeof withIdempotency>[1]
  reference: string
  how: (tx: Transaction, by: Acting) => Promise<void>
  message: string
}

function decide(deps: Deps, { call, reference, how, message }: Decision) {
  const { batchPool, sharedAccounts } = deps
  return withIdempotency(deps, { ...call, pool: batchPool }, async (tx) => {
    await how(tx, { ...requireApprover(deps, call.request), sharedAccounts })
    return accepted(message, await show(tx, deps, { by: call.request, reference }))
  })
}

const deciding: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication } = deps
  const onRequest = [authentication.requires('accounting:write'), requireUser]

  app.post(
    `${ADJUSTMENTS}/:reference/approve`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'approveAdjustment',
        summary: 'Approve an adjustment',
        description:
          'Posts it. Only by a user who did not ask for it and is independent of who did.',
        params: Params,
        body: Nothing,
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const how = (tx: Transaction, by: Acting) => approveAdjustment(tx, by, reference)
      const message = 'Adjustment approved successfully'
      return decide(deps, { call: { request, reply }, reference, how, message })
    },
  )

  app.post(
    `${ADJUSTMENTS}/:reference/reject`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'rejectAdjustment',
        summary: 'Reject an adjustment',
        description: 'Nothing is posted. The requester sees the reason.',
        params: Params,
        body: Type.Object(
          { reason: text(REASON_MAX, 'Reason, shown to the requester.') },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const { reason } = request.body
      const how = (tx: Transaction, by: Acting) => rejectAdjustment(tx, by, { reference, reason })
      const message = 'Adjustment rejected'
      return decide(deps, { call: { request, reply }, reference, how, message })
    },
  )

  app.post(
    `${ADJUSTMENTS}/:reference/withdraw`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'withdrawAdjustment',
        summary: 'Withdraw your adjustment',
        description: 'Only by the user who asked for it, before it is decided.',
        params: Params,
        body: Nothing,
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const how = (tx: Transaction, by: Acting) => withdrawAdjustment(tx, by, reference)
      const message = 'Adjustment withdrawn'
      return decide(deps, { call: { request, reply }, reference, how, message })
    },
  )
}

type Acting = Parameters<typeof approveAdjustment>[1]

// Exactly the one that the kind of debt is of.
async function findDebt(
  tx: Transaction,
  { banks }: Deps,
  { of, clientId, bankCode }: Static<typeof AdjustmentRequest>,
): Promise<Debt> {
  const [field, other] =
    of === 'receivable' ? (['clientId', 'bankCode'] as const) : (['bankCode', 'clientId'] as const)
  const given = { clientId, bankCode }
  if (given[field] === undefined) throw refused(field, `Required for a ${of}.`)
  if (given[other] !== undefined) throw refused(other, `Not for a ${of}.`)
  if (of === 'shortfall') {
    if (!banks.some(({ code }) => code === bankCode)) throw new Refusal('bank_not_supported')
    return { of, clientId: null, bankCode: bankCode as string }
  }
  const debtor = await findClient(tx, clientId as string)
  if (!debtor) throw new Refusal('client_not_found')
  return { of, clientId: debtor.id, bankCode: null }
}

function refused(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }])
}

type Shown = { by: Identity; reference: string }

async function show(db: Queryable, deps: Deps, { by, reference }: Shown) {
  return presentAdjustment(await getAdjustment(db, toViewer(deps, by), reference))
}

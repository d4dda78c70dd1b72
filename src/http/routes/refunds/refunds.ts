// /api/v1/payments/{reference}/refunds and /api/v1/credits/{id}/refunds: refund a payment, or a credit
// to a collection account. /api/v1/refunds: all of them.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { List } from '#db/paging.ts'
import type { Transaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { getCredit } from '#domain/credits/credit-list.ts'
import { findPayment } from '#domain/payments/payment-lookups.ts'
import { cancelRefund } from '#domain/refunds/cancel-refund.ts'
import type { RefundOf } from '#domain/refunds/refundable.ts'
import { getRefund, listRefunds } from '#domain/refunds/refunds.ts'
import { requestRefund } from '#domain/refunds/request-refund.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { parseCreditKey } from '#http/routes/credits/credit-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, text } from '#http/schemas.ts'
import { type Kobo, koboOf } from '#money.ts'
import { presentRefund, REASON_MAX, RefundBody, RefundRequest } from './refund-presenters.ts'

const OF_PAYMENT = '/api/v1/payments/:reference/refunds'
const OF_CREDIT = '/api/v1/credits/:id/refunds'

const about = { tags: ['Refunds'], security: BEARER }
const response = { 200: ApiEnvelope(RefundBody) }
const asking = { ...about, headers: IdempotencyHeaders, body: RefundRequest, response }
const listing = {
  ...about,
  querystring: query(PageQuery),
  response: { 200: ListEnvelope(RefundBody) },
}
const PaymentParams = Type.Object({ reference: Type.String() })
const CreditParams = Type.Object({ id: Type.String() })

const HOW =
  'Sent to the account that the money came from, from what is available to you beyond what you ' +
  'owe: insufficient_balance if that is less. At most what was received less what was reversed, ' +
  'refunded or is being refunded (refund_too_large). Fees are not given back. '

export const refundRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(requesting, deps)
  await app.register(cancelling, deps)
  await app.register(listingOf, deps)
  await app.register(reading, deps)
}

const requesting: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, authentication } = deps
  const onRequest = authentication.requires('refunds:write')

  app.post(
    OF_PAYMENT,
    {
      onRequest,
      schema: {
        ...asking,
        operationId: 'refundPayment',
        summary: 'Refund a payment, in whole or in part',
        description: `${HOW}A payment that several credits paid is refunded newest credit first.`,
        params: PaymentParams,
      },
    },
    async (request, reply) =>
      refund(deps, { request, reply, body: request.body }, async (tx) => {
        const { payment } = await findPayment(tx, request.client.id, request.params.reference)
        return { paymentId: payment.id }
      }),
  )

  app.post(
    OF_CREDIT,
    {
      onRequest,
      schema: {
        ...asking,
        operationId: 'refundCredit',
        summary: 'Refund a credit to a collection account, in whole or in part',
        description: `${HOW}What paid a payment is refunded with the payment.`,
        params: CreditParams,
      },
    },
    async (request, reply) =>
      refund(deps, { request, reply, body: request.body }, async (tx) => {
        const by = parseCreditKey(sealer, request.params.id)
        return { creditId: (await getCredit(tx, { sealer, viewer: request.client, by })).id }
      }),
  )
}

const cancelling: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, sealer, sharedAccounts, payoutHooks: hooks, authentication, clock } = deps
  app.post(
    '/api/v1/refunds/:reference/cancel',
    {
      onRequest: authentication.requires('refunds:write'),
      schema: {
        ...about,
        operationId: 'cancelRefund',
        summary: 'Cancel a refund',
        description: 'While all of it is queued. The money is available again. Idempotent.',
        headers: IdempotencyHeaders,
        params: PaymentParams,
        querystring: NoQuery,
        body: Type.Object(
          { reason: text(REASON_MAX, 'Why it is cancelled.') },
          { additionalProperties: false },
        ),
        response,
      },
    },
    async (request, reply) => {
      const { client, actor } = request
      const { reference } = request.params
      refuseRestricted(client)
      return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
        const acting = { sharedAccounts, hooks, now: clock(), client, actor }
        await cancelRefund(tx, acting, { reference, reason: request.body.reason })
        const shown = await getRefund(tx, client.id, reference)
        return accepted('Refund cancelled successfully', presentRefund(shown, sealer))
      })
    },
  )
}

type Call = { request: FastifyRequest; reply: FastifyReply; body: Static<typeof RefundRequest> }

// Not on `db`: shared accounts are opened on a connection of it.
function refund(
  deps: Deps,
  { request, reply, body }: Call,
  find: (tx: Transaction) => Promise<RefundOf>,
) {
  const { batchPool, sealer, sharedAccounts, clock } = deps
  const { client, actor } = request as Identity
  refuseRestricted(client)
  return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
    const of = await find(tx)
    const amountKobo = koboOf(body.amount) as Kobo // Checked by the schema.
    const asked = { client, actor, of, amountKobo, reason: body.reason }
    const reference = await requestRefund(tx, { sealer, sharedAccounts, now: clock() }, asked)
    const made = await getRefund(tx, client.id, reference)
    return accepted('Refund requested successfully', presentRefund(made, sealer))
  })
}

type Listed = { by: Identity; asked: { limit?: string; cursor?: string }; of?: Partial<RefundOf> }

async function list({ db, sealer }: Deps, { by: { client }, asked, of = {} }: Listed) {
  refuseRestricted(client)
  const filters = Object.fromEntries(Object.entries(of).map(([name, id]) => [name, String(id)]))
  const list: List = { name: 'refunds', clientId: client.id, filters }
  const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
    listRefunds(db, client.id, { ...of, beforeId: after, limit }),
  )
  return listResponse('Refunds retrieved successfully', page, (row) => presentRefund(row, sealer))
}

const listingOf: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    OF_PAYMENT,
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...listing,
        operationId: 'listPaymentRefunds',
        summary: 'List the refunds of a payment, newest first',
        description: 'Each with the payouts that give the money back, and their states.',
        params: PaymentParams,
      },
    },
    async (request) => {
      const { payment } = await findPayment(db, request.client.id, request.params.reference)
      return list(deps, { by: request, asked: request.query, of: { paymentId: payment.id } })
    },
  )

  app.get(
    OF_CREDIT,
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        ...listing,
        operationId: 'listCreditRefunds',
        summary: 'List the refunds of a credit, newest first',
        description: 'Each with the payout that gives the money back, and its state.',
        params: CreditParams,
      },
    },
    async (request) => {
      const by = parseCreditKey(sealer, request.params.id)
      const { id: creditId } = await getCredit(db, { sealer, viewer: request.client, by })
      return list(deps, { by: request, asked: request.query, of: { creditId } })
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    '/api/v1/refunds',
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...listing,
        operationId: 'listRefunds',
        summary: 'List refunds, newest first',
        description: 'All refunds of your payments and credits, with the state of their payouts.',
      },
    },
    async (request) => list(deps, { by: request, asked: request.query }),
  )

  app.get(
    '/api/v1/refunds/:reference',
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...about,
        operationId: 'getRefund',
        summary: 'Retrieve a refund',
        description: 'Its state is that of its payouts: one per credit that is given back.',
        params: PaymentParams,
        querystring: NoQuery,
        response,
      },
    },
    async ({ client, params }) => {
      refuseRestricted(client)
      const found = await getRefund(db, client.id, params.reference)
      return accepted('Refund retrieved successfully', presentRefund(found, sealer))
    },
  )
}

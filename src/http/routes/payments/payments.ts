// /api/v1/payments: list and retrieve payments.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { LIMIT_MAX, type List, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { listCredits } from '#domain/credits/credit-list.ts'
import { listPayments, PAYMENT_STATUSES, summarizePayments } from '#domain/payments/payment-list.ts'
import { findPayment } from '#domain/payments/payment-lookups.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery, parseLimit, query, scannedPage } from '#http/lists.ts'
import { CreditBody, presentCredit } from '#http/routes/credits/credit-presenters.ts'
import { ApiEnvelope, BEARER, named } from '#http/schemas.ts'
import { PaymentSummaryBody, presentSummary, presentTotal, SUMMARISED } from '#http/summaries.ts'
import { toNaira } from '#money.ts'
import {
  BY_ANY_REFERENCE,
  filterFields,
  LISTED,
  listQuery,
  PaymentFields,
  parsePaymentFilters,
  presentPaymentRecord,
} from './payment-presenters.ts'

const PaymentDetailBody = named('PaymentDetail', {
  ...PaymentFields,
  amountInSuspense: Type.Number({ description: 'Amount of its credits currently in suspense.' }),
  credits: Type.Array(CreditBody, { description: 'Latest credits, newest first.' }),
  hasMoreCredits: Type.Boolean({ description: 'If true, list the rest by paymentReference.' }),
})

const about = { tags: ['Payments'], security: BEARER }

const summing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps

  app.get(
    '/api/v1/payments/summary',
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...about,
        operationId: 'summarizePayments',
        summary: 'Count and add up payments',
        description: SUMMARISED,
        querystring: query(filterFields(PAYMENT_STATUSES)),
        response: { 200: ApiEnvelope(PaymentSummaryBody) },
      },
    },
    async ({ client, query: asked }) => {
      const how = { filters: parsePaymentFilters(asked), now: clock() }
      const summary = await withSnapshot(db, (tx) => summarizePayments(tx, client.id, how))
      const shown = presentSummary(summary, (total) => ({
        ...presentTotal(total),
        amountPaid: toNaira(total.amountPaidKobo),
      }))
      return accepted('Payments added up successfully', shown)
    },
  )
}

export const paymentRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(summing, deps)
  const { db, sealer, authentication, clock, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/payments',
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...about,
        operationId: 'listPayments',
        summary: 'List payments, newest first',
        description: LISTED,
        querystring: listQuery(PAYMENT_STATUSES),
        response: { 200: ListEnvelope(named('Payment', PaymentFields)) },
      },
    },
    async ({ client, query: asked }) => {
      const { limit: _, cursor, order, ...filters } = asked
      const list = { name: 'payments', clientId: client.id, order, filters } as List
      const after = readCursor(sealer, list, cursor)?.[0]
      const [limit, now] = [parseLimit(asked), clock()]
      const page = { order, after, limit: limit + 1, now }
      const scan = await withSnapshot(db, (tx) =>
        listPayments(tx, client.id, { filters: parsePaymentFilters(asked), ...page }),
      )
      const shown = scannedPage(scan, {
        limit,
        idOf: (payment) => payment.id,
        cursorAfter: (id) => writeCursor(sealer, list, [id]),
      })
      return listResponse('Payments retrieved successfully', shown, (payment) =>
        presentPaymentRecord(payment, now, nameBank),
      )
    },
  )

  app.get(
    '/api/v1/payments/:reference',
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...about,
        operationId: 'getPayment',
        summary: 'Retrieve a payment by any reference',
        description: BY_ANY_REFERENCE,
        params: Type.Object({ reference: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(PaymentDetailBody) },
      },
    },
    async ({ client, params: { reference } }) => {
      const data = await withSnapshot(db, async (tx) => {
        const { payment, inSuspenseKobo } = await findPayment(tx, client.id, reference)
        const filters = { paymentReference: payment.id }
        const limit = LIMIT_MAX + 1
        const credits = await listCredits(tx, { sealer, viewer: client, filters, limit })
        return {
          ...presentPaymentRecord(payment, clock(), nameBank),
          amountInSuspense: toNaira(inSuspenseKobo),
          credits: credits
            .slice(0, LIMIT_MAX)
            .map((credit) => presentCredit(credit, { sealer, nameBank })),
          hasMoreCredits: credits.length > LIMIT_MAX,
        }
      })
      return accepted('Payment retrieved successfully', data)
    },
  )
}

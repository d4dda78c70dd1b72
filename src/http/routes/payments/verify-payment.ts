// /api/Transaction: verify a payment by either reference.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  findPaidWhere,
  getPayment,
  type PaidWhere,
  type Payment,
  statusAt,
} from '#domain/payments/payments.ts'
import { buildCallBackUrl } from '#domain/payments/resource-presenters.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { BEARER, named, nullable, PaymentEnvelope } from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { maskAccountNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'

const TransactionBody = named('Transaction', {
  merchantCode: Type.String(),
  paymentReference: Type.String(),
  adviceReference: Type.String(),
  merchantReference: nullable('string'),
  amountCollected: Type.Number(),
  amount: Type.Number(),
  callBackUrl: Type.String(),
  processorCode: nullable('string'),
  transactionStatus: Type.String(),
  currencyCode: Type.String(),
  accountNumber: nullable('string'),
  accountNumberMasked: nullable('string'),
  narration: nullable('string'),
  env: Type.String(),
  message: Type.String(),
  customerName: Type.String(),
  paymentDate: nullable('string', { description: 'When the last of amountCollected was booked.' }),
})

export const verifyPaymentRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock, mode } = deps

  for (const by of ['payment', 'advice'] as const) {
    app.get(
      `/api/Transaction/by${by}reference/:reference`,
      {
        config: { isPublished: true },
        onRequest: authentication.requires('payments:read'),
        schema: {
          operationId: by === 'payment' ? 'verifyByPayment' : 'verifyByAdvice',
          tags: ['Payments'],
          summary: `Verify a payment by its ${by} reference`,
          description:
            'The state of the payment, decided by what is booked. Verify before you deliver: a ' +
            'webhook may come late.',
          security: BEARER,
          params: Type.Object({ reference: Type.String() }),
          response: { 200: PaymentEnvelope(TransactionBody) },
        },
      },
      async (request) => {
        const reference = parseReference(request.params.reference)
        if (!reference) throw new Refusal('payment_not_found')
        const payment = await getPayment(db, request.client.id, { by, reference })
        const paid = await findPaidWhere(db, payment)
        return paymentAccepted(presentTransaction(payment, { ...paid, now: clock(), mode }))
      },
    )
  }
}

function presentTransaction(
  payment: Payment,
  { number, paidAt, now, mode }: PaidWhere & { now: Date; mode: Deps['mode'] },
) {
  const status = statusAt(payment, now)
  return {
    merchantCode: payment.clientName,
    paymentReference: payment.id,
    adviceReference: payment.adviceId,
    merchantReference: payment.merchantRef,
    amountCollected: toNaira(payment.amountPaidKobo),
    amount: toNaira(payment.amountKobo),
    callBackUrl: buildCallBackUrl(payment),
    processorCode: number?.bankCode ?? null,
    transactionStatus: status,
    currencyCode: payment.currency,
    accountNumber: number?.accountNumber ?? null,
    accountNumberMasked: number ? maskAccountNumber(number.accountNumber) : null,
    narration: payment.narration,
    env: mode === 'live' ? 'Live' : 'Test',
    message: status,
    customerName: payment.customerName,
    paymentDate: payment.amountPaidKobo > 0n && paidAt ? timestamp(paidAt) : null,
  }
}

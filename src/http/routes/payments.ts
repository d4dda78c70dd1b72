// /api/v1/payments: all about one payment, found by any of its references.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { LIMIT_MAX } from '#db/paging.ts'
import { readTogether } from '#db/snapshot.ts'
import { type CreditTrace, listCredits } from '#domain/credit-traces.ts'
import { type FoundPayment, findPayment } from '#domain/payment-lookups.ts'
import { statusAt } from '#domain/payments.ts'
import { bankNames, CreditBody, type NameBank, presentCredit } from '#http/credit-bodies.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { callBackUrlOf, timestamp } from '#http/present.ts'
import { ApiEnvelope, ApiFailure, BEARER, nullable } from '#http/schemas.ts'
import { toNaira } from '#money.ts'

const PaymentDetailBody = Type.Object({
  paymentReference: Type.String(),
  adviceReference: Type.String(),
  merchantRef: nullable('string'),
  status: Type.String(),
  amount: Type.Number(),
  amountPaid: Type.Number(),
  amountRemaining: Type.Number({ description: 'What is still due.' }),
  amountInSuspense: Type.Number({ description: 'Of its credits, what is in suspense now.' }),
  currency: Type.String(),
  amountPolicy: Type.String(),
  expiresAt: Type.String(),
  closesAt: Type.String({ description: 'The end of grace: until here money still counts.' }),
  numbers: Type.Array(
    Type.Object({
      bankCode: Type.String(),
      bankName: Type.String(),
      accountNumber: Type.String(),
    }),
  ),
  customerName: Type.String(),
  narration: nullable('string'),
  callBackUrl: Type.String(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  credits: Type.Array(CreditBody, { description: 'The latest, newest first.' }),
  hasMoreCredits: Type.Boolean({ description: 'True: list the rest by paymentReference.' }),
})

export const paymentRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/payments/:reference',
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        operationId: 'getPayment',
        tags: ['Payments'],
        summary: 'A payment by any of its references',
        description:
          'Payment or advice reference (with or without dashes, in any case), merchantRef, ' +
          'session id of a transfer, or account number (its latest payment): tried in this order.',
        security: BEARER,
        params: Type.Object({ reference: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(PaymentDetailBody), '4xx': ApiFailure },
      },
    },
    async ({ client, params: { reference } }) => {
      const data = await readTogether(db, async (tx) => {
        const found = await findPayment(tx, client.id, reference)
        const filters = { paymentReference: found.payment.id }
        const limit = LIMIT_MAX + 1
        const credits = await listCredits(tx, sealer, client, filters, { limit })
        return presentDetail(found, credits, clock(), nameBank)
      })
      return accepted('Payment retrieved successfully', data)
    },
  )
}

function presentDetail(
  { payment, inSuspenseKobo }: FoundPayment,
  credits: readonly CreditTrace[],
  now: Date,
  nameBank: NameBank,
) {
  const { amountKobo, amountPaidKobo } = payment
  const isPaid = payment.status === 'Successful' || amountPaidKobo >= amountKobo
  return {
    paymentReference: payment.id,
    adviceReference: payment.adviceId,
    merchantRef: payment.merchantRef,
    status: statusAt(payment, now),
    amount: toNaira(amountKobo),
    amountPaid: toNaira(amountPaidKobo),
    amountRemaining: isPaid ? 0 : toNaira(amountKobo - amountPaidKobo),
    amountInSuspense: toNaira(inSuspenseKobo),
    currency: payment.currency,
    amountPolicy: payment.amountPolicy,
    expiresAt: timestamp(payment.expiresAt),
    closesAt: timestamp(payment.closesAt),
    numbers: payment.numbers.map(({ bankCode, accountNumber }) => ({
      bankCode,
      bankName: nameBank(bankCode),
      accountNumber,
    })),
    customerName: payment.customerName,
    narration: payment.narration,
    callBackUrl: callBackUrlOf(payment),
    createdAt: timestamp(payment.createdAt),
    updatedAt: timestamp(payment.updatedAt),
    credits: credits.slice(0, LIMIT_MAX).map((credit) => presentCredit(credit, nameBank)),
    hasMoreCredits: credits.length > LIMIT_MAX,
  }
}

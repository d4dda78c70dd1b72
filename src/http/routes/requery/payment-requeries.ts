// POST /api/v1/payments/{reference}/requery: ask the payment's banks now. While a question is open,
// asking again only brings it forward.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { findPayment } from '#domain/payments/payment-lookups.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import {
  askForPayment,
  type OpenQuestion,
  REQUERY_STATES,
  type RequeryState,
} from '#domain/requery/questions.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { BY_ANY_REFERENCE } from '#http/routes/payments/payment-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, nullable } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'

const SessionId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^(?!\\.{1,2}$)[^\\p{Cc}\\p{Cs}]+$', // Dots alone would be another path of the bank's.
  description: 'Session ID from the payer’s receipt: the bank is asked for this transfer.',
  'x-says': 'Must be 1 to 64 characters without control characters.',
})

const RequeryRequest = named(
  'RequeryRequest',
  { sessionId: Type.Optional(SessionId) },
  { additionalProperties: false, 'x-says': 'Must be an object with at most sessionId.' },
)

const RequeryBody = named('Requery', {
  paymentReference: Type.String(),
  questions: Type.Array(
    Type.Object({
      bankCode: Type.String(),
      bankName: Type.String(),
      state: Type.Unsafe<RequeryState>({ type: 'string', enum: [...REQUERY_STATES] }),
      dueAt: Type.String({ description: 'When the bank is asked next.' }),
      attempts: Type.Integer({ description: 'Times asked so far.' }),
      askedAt: nullable('string', { description: 'When it was last asked.' }),
    }),
    { description: 'One per bank that can be asked.' },
  ),
})

export const paymentRequeryRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock, banks, bankConnections } = deps
  const nameBank = bankNames(banks)

  app.post(
    '/api/v1/payments/:reference/requery',
    {
      onRequest: authentication.requires('payments:write'),
      // The body may be left out.
      preValidation: (request, _reply, done) => {
        request.body ??= {}
        done()
      },
      schema: {
        operationId: 'requeryPayment',
        tags: ['Payments'],
        summary: 'Ask the bank for a payment’s transfer',
        description:
          'For a payer who paid but whose transfer was not reported. The bank is asked within ' +
          'seconds, and again while it finds nothing; each query appears in the timeline. ' +
          'Idempotent while a requery is pending. Banks that cannot list transfers need a sessionId.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Type.Object({ reference: Type.String({ description: BY_ANY_REFERENCE }) }),
        querystring: NoQuery,
        body: RequeryRequest,
        response: { 200: ApiEnvelope(RequeryBody) },
      },
    },
    async (request, reply) => {
      const { client, actor, params, body } = request
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const now = clock()
        const { payment } = await findPayment(tx, client.id, params.reference)
        const { sessionId } = body
        const asked = { payment, reason: 'demand', sessionId } as const
        const questions = await askForPayment(tx, { now, bankConnections }, asked)
        if (questions.length === 0) throw new Refusal('requery_not_supported')
        await writeAuditLog(tx, now, {
          clientId: client.id,
          actor,
          action: 'payment.requery',
          subject: `payment/${payment.id}`,
          detail: sessionId === undefined ? {} : { sessionId },
        })
        return accepted('Requery accepted', {
          paymentReference: payment.id,
          questions: questions.map((question) => present(question, nameBank)),
        })
      })
    },
  )
}

function present(question: OpenQuestion, nameBank: (code: string) => string) {
  const { bankCode, state, dueAt, attempts, askedAt } = question
  return {
    bankCode,
    bankName: nameBank(bankCode),
    state,
    dueAt: timestamp(dueAt),
    attempts,
    askedAt: askedAt && timestamp(askedAt),
  }
}

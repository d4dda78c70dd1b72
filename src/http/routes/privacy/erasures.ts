// Erasing a customer's personal data: of a collection account, or of an advice.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { eraseAccounts, eraseAdvice } from '#domain/privacy/erase-personal-data.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ApiEnvelope, ApiFailure, BEARER, IdempotencyHeaders, text } from '#http/schemas.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { timestamp } from '#wat-time.ts'

const ACCOUNT_NUMBER = /^[0-9]{10}$/

const reason = text(200, 'Why: kept for ever, so without any of the data that is to go.')
const ErasedFields = {
  erasedAt: Type.String(),
  isComplete: Type.Boolean({
    description: 'Whether its credits and deliveries are done too; they are in some minutes.',
  }),
}
const ErasedAccounts = Type.Object({
  accounts: Type.Array(Type.Object({ accountNumber: Type.String(), ...ErasedFields })),
})
const ErasedAdvice = Type.Object({ adviceReference: Type.String(), ...ErasedFields })

export const erasureRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(accountErasure, deps)
  await app.register(adviceErasure, deps)
}

const accountErasure: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, authentication, clock, eraseTraces } = deps
  app.post(
    '/api/v1/accounts/static/:accountNumber/erase',
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        operationId: 'eraseCollectionAccount',
        tags: ['Collection accounts'],
        summary: 'Erase a customer’s personal data, for good',
        description:
          'Name, BVN, email, phone number and payer rules of the account, and what its credits and ' +
          'deliveries tell of people. The account is closed and its number never used again; ' +
          'balance, transfers and references stay. Money that still comes is suspended. Refused ' +
          'while money of it is in suspense. Again is fine, and erases what came in since.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Type.Object({ accountNumber: Type.String() }),
        body: Type.Object(
          {
            reason,
            sameBvn: Type.Optional(
              Type.Boolean({
                description: 'Also erase your other accounts with the same BVN. Default false.',
                'x-says': 'Must be true or false.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(ErasedAccounts), '4xx': ApiFailure },
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      const { accountNumber } = request.params
      if (!ACCOUNT_NUMBER.test(accountNumber)) throw new Refusal('account_not_found')
      const { sameBvn = false } = body
      const answer = await withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { sealer, now: clock(), by: client, actor, reason: body.reason }
        const erased = await eraseAccounts(tx, by, { accountNumber, sameBvn })
        const accounts = erased.map((each) => ({ ...each, erasedAt: timestamp(each.erasedAt) }))
        return accepted('Personal data erased successfully', { accounts })
      })
      await eraseTraces()
      return answer
    },
  )
}

const adviceErasure: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, authentication, clock, eraseTraces } = deps
  app.post(
    '/api/v1/advices/:adviceReference/erase',
    {
      onRequest: authentication.requires('payments:write'),
      schema: {
        operationId: 'eraseAdvice',
        tags: ['Payments'],
        summary: 'Erase the customer of an advice, for good',
        description:
          'Name, email, phone number, your id of the customer, narration and payer rules, and what ' +
          'its credits and deliveries tell of people. Amounts, states and references stay. Refused ' +
          'while it may still be paid, and while money of it is in suspense. Again is fine.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Type.Object({ adviceReference: Type.String() }),
        body: Type.Object({ reason }, { additionalProperties: false }),
        response: { 200: ApiEnvelope(ErasedAdvice), '4xx': ApiFailure },
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      const id = parseReference<AdviceId>(request.params.adviceReference)
      if (!id) throw new Refusal('advice_not_found')
      const answer = await withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { sealer, now: clock(), by: client, actor, reason: body.reason }
        const { erasedAt, isComplete } = await eraseAdvice(tx, by, id)
        const data = { adviceReference: id, erasedAt: timestamp(erasedAt), isComplete }
        return accepted('Personal data erased successfully', data)
      })
      await eraseTraces()
      return answer
    },
  )
}

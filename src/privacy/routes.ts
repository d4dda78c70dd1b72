// Routes that erase a customer's personal data: of a collection account, or of an advice.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { isAccountNumber } from '#banks/numbers.ts'
import { timestamp } from '#clock.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, text } from '#http/schemas.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { eraseAccounts, eraseAdvice } from './erasure.ts'

const reason = text(200, 'Reason (audit log). Must not contain personal data.')
const ErasedFields = {
  erasedAt: Type.String(),
  isComplete: Type.Boolean({
    description: 'Whether its credits and deliveries are erased too; takes a few minutes.',
  }),
}
const ErasedAccounts = named('ErasedAccounts', {
  accounts: Type.Array(Type.Object({ accountNumber: Type.String(), ...ErasedFields })),
})
const ErasedAdvice = named('ErasedAdvice', { adviceReference: Type.String(), ...ErasedFields })

export const erasureRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await accountErasure(app, deps)
  await adviceErasure(app, deps)
}

const accountErasure: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, authentication, clock, eraseTraces } = deps
  app.post(
    '/api/v1/accounts/static/:accountNumber/erase',
    {
      config: { errors: ['account_not_found', 'erasure_waits'] },
      onRequest: authentication.requires('accounts:write'),
      schema: {
        operationId: 'eraseCollectionAccount',
        tags: ['Collection accounts'],
        summary: 'Erase the personal data of a collection account',
        description:
          'Irreversible. Erases name, BVN, email, phone number and payer rules of the account, and ' +
          'personal data in its credits and deliveries. The account is closed and its number never ' +
          'reused; balance, transfers and references stay. Later credits are suspended. Refused ' +
          'while it has money in suspense. Can be repeated to erase data received since.',
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
        response: { 200: ApiEnvelope(ErasedAccounts) },
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      const { accountNumber } = request.params
      if (!isAccountNumber(accountNumber)) throw new Refusal('account_not_found')
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
      config: { errors: ['advice_not_found', 'advice_open', 'erasure_waits'] },
      onRequest: authentication.requires('payments:write'),
      schema: {
        operationId: 'eraseAdvice',
        tags: ['Payments'],
        summary: 'Erase the personal data of an advice',
        description:
          'Name, email, phone number, your id of the customer, narration and payer rules, and what ' +
          'its credits and deliveries tell of people. Amounts, states and references stay. Refused ' +
          'while it may still be paid, and while money of it is in suspense. Can be repeated.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Type.Object({ adviceReference: Type.String() }),
        body: Type.Object({ reason }, { additionalProperties: false }),
        response: { 200: ApiEnvelope(ErasedAdvice) },
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
